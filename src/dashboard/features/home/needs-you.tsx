import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { runPath, taskPath } from '../../ui/browser/page-paths.ts';
import { LinkButton } from '../../ui/controls/button.tsx';
import { NextStepLine, SettleButtons } from '../../ui/run/attention-actions.tsx';
import { StateMark } from '../../ui/state/state-mark.tsx';
import { count, Time } from '../../ui/text/amounts.tsx';
import { type Need, nameOfProject } from './home-sections.ts';
import styles from './needs-you.module.css';

const TITLES: Record<Need['item']['what'], string> = {
  plan: 'A plan waits for approval',
  held: 'Work is held',
  blocked: 'Blocked',
  paused: 'Paused',
};
const MOST_FILES = 3;
const MOST_ITEMS = 40;

/** What only a person can settle, the oldest first. */
export function NeedsYou({ needs }: { needs: readonly Need[] }): ReactElement {
  if (needs.length === 0) {
    return (
      <section aria-label="Needs you" className={styles.calm}>
        <StateMark look="done" bare />
        Nothing needs you.
      </section>
    );
  }
  return (
    <section aria-label="Needs you">
      <h2 className={styles.title}>
        Needs you <span className={styles.number}>{needs.length}</span>
      </h2>
      <ul className={styles.items}>
        {needs.slice(0, MOST_ITEMS).map((need) => (
          <NeedItem key={`${need.run.run} ${need.item.task} ${need.item.what} ${need.item.nextStep}`} need={need} />
        ))}
      </ul>
      {needs.length > MOST_ITEMS ? (
        <p className={styles.more}>
          <LinkButton to="/inbox">All {needs.length} in the inbox</LinkButton>
        </p>
      ) : null}
    </section>
  );
}

function NeedItem({ need: { run, item } }: { need: Need }): ReactElement {
  return (
    <li className={styles.item}>
      <div className={styles.words}>
        <p className={styles.first}>
          <StateMark look="waiting" bare />
          <strong>{TITLES[item.what]}</strong>
          <Link href={runPath(run.run)}>{run.title}</Link>
          {item.task === null ? null : (
            <Link href={taskPath(run.run, item.task)} className="quiet">
              {item.taskTitle ?? item.task}
            </Link>
          )}
          <span className="quiet">{nameOfProject(run.project)}</span>
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
        <SettleButtons item={{ ...item, run: run.run }} />
      </div>
    </li>
  );
}

function Files({ files }: { files: readonly string[] }): ReactElement {
  const rest = files.length - MOST_FILES;
  return (
    <p className={styles.files} title={files.join('\n')}>
      {files.slice(0, MOST_FILES).map((file) => (
        <code key={file}>{file}</code>
      ))}
      {rest > 0 ? `and ${count(rest, 'more file', 'more files')}` : ''}
    </p>
  );
}
