import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { folderName, runPath, taskPath } from '../../ui/browser/page-paths.ts';
import { Button, LinkButton } from '../../ui/controls/button.tsx';
import { StateMark } from '../../ui/state/state-mark.tsx';
import { count, Time } from '../../ui/text/amounts.tsx';
import { Copyable } from '../../ui/text/copyable.tsx';
import styles from './inbox.module.css';
import { type InboxItem, resolutionOf } from './inbox-items.ts';

type WaitingRowProps = {
  item: InboxItem;
  isBusy: boolean;
  rowProps: { 'data-row': number; tabIndex: number; onFocus(): void };
  onResolve(): void;
};

const LABELS: Record<InboxItem['what'], string> = {
  plan: 'Plan to approve',
  held: 'Work to approve',
  blocked: 'Blocked',
  paused: 'Paused',
  question: 'Question',
};
const MAX_FILES = 3;

/** One inbox item: what it is, why, and the button that resolves it. */
export function InboxRow({ item, isBusy, rowProps, onResolve }: WaitingRowProps): ReactElement {
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
          {task === null ? null : (
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
          <Copyable text={item.nextStep} />
        </p>
      </div>
      <div className={styles.actions}>
        {what === 'held' && task !== null ? (
          <LinkButton to={`${taskPath(run, task)}?view=diff`}>Open diff</LinkButton>
        ) : null}
        <Button weight={what === 'plan' || what === 'held' ? 'main' : 'plain'} busy={isBusy} onClick={onResolve}>
          {resolutionOf(what).label}
        </Button>
      </div>
    </li>
  );
}
