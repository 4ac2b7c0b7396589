import type { ReactElement } from 'react';
import { Link } from 'wouter';
import type { WaitingEntry } from '../../../core/view/needs-you.ts';
import { isInterrupted } from '../../../core/view/open-run.ts';
import { folderName, runPath, taskPath } from '../browser/page-paths.ts';
import { type DisplayState, STATE_LABELS } from '../state/display-state.ts';
import { StateMark } from '../state/state-mark.tsx';
import { count, Time } from '../text/amounts.tsx';
import { CodeText } from '../text/code-text.tsx';
import { visibleText } from '../text/visible-text.ts';
import { AttentionButtons, NextStepLine } from './attention-actions.tsx';
import styles from './needs-you-row.module.css';

const TITLES: Record<WaitingEntry['item']['what'], string> = {
  plan: 'Plan to approve',
  held: 'Work to approve',
  blocked: 'Blocked',
  paused: 'Paused',
  question: 'Question',
};
const MAX_FILES = 3;

/** The attributes of a row in a list with keys. */
export type RowProps = { 'data-row': number; tabIndex: number; onFocus(): void };

type WaitingRowProps = { entry: WaitingEntry; rowProps?: RowProps };

/** Something that waits for the user: what it is, why, and the way to its decision. */
export function WaitingRow({ entry: { run, item }, rowProps }: WaitingRowProps): ReactElement {
  const displayState = displayStateOf(run, item);
  return (
    <li className={styles.item} {...rowProps}>
      <div className={styles.text}>
        <p className={styles.first}>
          <StateMark displayState={displayState} bare />
          <strong>{displayState === 'interrupted' ? STATE_LABELS.interrupted : titleOf(item)}</strong>
          <Link href={runPath(run.run)}>{visibleText(run.title)}</Link>
          {item.task === null || item.taskTitle === run.title ? null : (
            <Link href={taskPath(run.run, item.task)} className="quiet">
              {visibleText(item.taskTitle ?? item.label ?? item.task)}
            </Link>
          )}
          <span className="quiet" title={run.project}>
            {folderName(run.project)}
          </span>
          <span className="quiet">
            <Time at={item.since} />
          </span>
        </p>
        <p className={styles.reason}>
          <CodeText text={item.reason} />
        </p>
        {item.files.length === 0 ? null : <Files files={item.files} />}
        {item.what === 'blocked' ? (
          <p className={styles.step}>
            <NextStepLine step={item.nextStep} run={run.run} />
          </p>
        ) : null}
      </div>
      <div className={styles.buttons}>
        <AttentionButtons item={{ ...item, run: run.run }} />
      </div>
    </li>
  );
}

function titleOf({ what, options }: WaitingEntry['item']): string {
  return what === 'plan' && options !== undefined ? 'Choice to make' : TITLES[what];
}

/** An interrupted run is not paused itself; only tracks of it can be. */
function displayStateOf(run: WaitingEntry['run'], { what, track }: WaitingEntry['item']): DisplayState {
  if (what !== 'paused') return 'waiting';
  return isInterrupted(run) && track === undefined ? 'interrupted' : 'paused';
}

function Files({ files }: { files: readonly string[] }): ReactElement {
  const rest = files.length - MAX_FILES;
  return (
    <p className={styles.files} title={files.join('\n')}>
      {files.slice(0, MAX_FILES).map((file) => (
        <code key={file}>{visibleText(file)}</code>
      ))}
      {rest > 0 ? `and ${count(rest, 'more file', 'more files')}` : ''}
    </p>
  );
}
