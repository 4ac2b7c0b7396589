import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { runPath, taskPath } from '../../ui/browser/page-paths.ts';
import { LinkButton } from '../../ui/controls/button.tsx';
import { AttentionButtons, NextStepLine } from '../../ui/run/attention-actions.tsx';
import { StateMark } from '../../ui/state/state-mark.tsx';
import { count, Time } from '../../ui/text/amounts.tsx';
import { projectName, type WaitingEntry } from './home-sections.ts';
import styles from './needs-you.module.css';

const TITLES: Record<WaitingEntry['item']['what'], string> = {
  plan: 'Plan to approve',
  held: 'Work to approve',
  blocked: 'Blocked',
  paused: 'Paused',
};
const MAX_FILES = 3;
const MAX_ITEMS = 40;

/** What needs the user, oldest first. */
export function NeedsYou({ waiting }: { waiting: readonly WaitingEntry[] }): ReactElement {
  if (waiting.length === 0) {
    return (
      <section aria-label="Needs you" className={styles.calm}>
        <StateMark displayState="done" bare />
        Nothing needs you.
      </section>
    );
  }
  return (
    <section aria-label="Needs you">
      <h2 className={styles.title}>
        Needs you <span className={styles.number}>{waiting.length}</span>
      </h2>
      <ul className={styles.items}>
        {waiting.slice(0, MAX_ITEMS).map((entry) => (
          <WaitingRow
            key={`${entry.run.run} ${entry.item.task} ${entry.item.what} ${entry.item.nextStep}`}
            entry={entry}
          />
        ))}
      </ul>
      {waiting.length > MAX_ITEMS ? (
        <p className={styles.more}>
          <LinkButton to="/inbox">All {waiting.length} in the inbox</LinkButton>
        </p>
      ) : null}
    </section>
  );
}

function WaitingRow({ entry: { run, item } }: { entry: WaitingEntry }): ReactElement {
  return (
    <li className={styles.item}>
      <div className={styles.text}>
        <p className={styles.first}>
          <StateMark displayState="waiting" bare />
          <strong>{TITLES[item.what]}</strong>
          <Link href={runPath(run.run)}>{run.title}</Link>
          {item.task === null ? null : (
            <Link href={taskPath(run.run, item.task)} className="quiet">
              {item.taskTitle ?? item.label ?? item.task}
            </Link>
          )}
          <span className="quiet">{projectName(run.project)}</span>
          <span className="quiet">
            <Time at={item.since} />
          </span>
        </p>
        <p className={styles.reason}>{item.reason}</p>
        {item.files.length === 0 ? null : <Files files={item.files} />}
        <p className={styles.step}>
          <NextStepLine step={item.nextStep} run={run.run} />
        </p>
      </div>
      <div className={styles.buttons}>
        <AttentionButtons item={{ ...item, run: run.run }} />
      </div>
    </li>
  );
}

function Files({ files }: { files: readonly string[] }): ReactElement {
  const rest = files.length - MAX_FILES;
  return (
    <p className={styles.files} title={files.join('\n')}>
      {files.slice(0, MAX_FILES).map((file) => (
        <code key={file}>{file}</code>
      ))}
      {rest > 0 ? `and ${count(rest, 'more file', 'more files')}` : ''}
    </p>
  );
}
