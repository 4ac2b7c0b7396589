import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { folderName, runPath, taskPath } from '../../ui/browser/page-paths.ts';
import { AttentionButtons, NextStepLine } from '../../ui/run/attention-actions.tsx';
import { StateMark } from '../../ui/state/state-mark.tsx';
import { count, Time } from '../../ui/text/amounts.tsx';
import styles from './inbox.module.css';
import type { InboxItem } from './inbox-items.ts';

type InboxRowProps = {
  item: InboxItem;
  rowProps: { 'data-row': number; tabIndex: number; onFocus(): void };
};

const LABELS: Record<InboxItem['what'], string> = {
  plan: 'Plan to approve',
  held: 'Work to approve',
  blocked: 'Blocked',
  paused: 'Paused',
  question: 'Question',
};
const MAX_FILES = 3;

/** One inbox item: what it is, why, and the way to its decision. */
export function InboxRow({ item, rowProps }: InboxRowProps): ReactElement {
  const { run, task, what, files } = item;
  const more = files.length - MAX_FILES;
  return (
    <li className={styles.row} {...rowProps}>
      <div className={styles.mark}>
        <StateMark displayState={what === 'paused' ? 'paused' : 'waiting'} bare />
      </div>
      <div className={styles.body}>
        <p className={styles.title}>
          <Link href={runPath(run)}>{item.title}</Link>
          {task === null || item.taskTitle === item.title ? null : (
            <>
              <span className="quiet"> / </span>
              <Link href={taskPath(run, task)}>{item.taskTitle ?? task}</Link>
            </>
          )}
        </p>
        <p>
          <span className={styles.what}>{LABELS[what]}</span> {item.reason}
        </p>
        {files.length === 0 ? null : (
          <p className="quiet">
            {files.slice(0, MAX_FILES).map((file) => (
              <code key={file} className={styles.file}>
                {file}
              </code>
            ))}
            {more > 0 ? `and ${count(more, 'more file')}` : ''}
          </p>
        )}
        <p className={styles.facts}>
          <span title={item.project}>{folderName(item.project)}</span>
          <span>{item.recipe}</span>
          <Time at={item.since} />
        </p>
        {what === 'blocked' ? (
          <p className={styles.facts}>
            <NextStepLine step={item.nextStep} run={run} />
          </p>
        ) : null}
      </div>
      <div className={styles.actions}>
        <AttentionButtons item={item} />
      </div>
    </li>
  );
}
