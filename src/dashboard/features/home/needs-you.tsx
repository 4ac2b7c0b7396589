import type { ReactElement } from 'react';
import { Link } from 'wouter';
import type { RunOverview } from '../../../schema/overview.ts';
import { useAction } from '../../api/use-operation.ts';
import { runPath, taskPath } from '../../ui/browser/page-paths.ts';
import { Button, LinkButton } from '../../ui/controls/button.tsx';
import { AttentionButtons, NextStepLine } from '../../ui/run/attention-actions.tsx';
import { StateMark } from '../../ui/state/state-mark.tsx';
import { count, Time } from '../../ui/text/amounts.tsx';
import { failureLines, projectName, type WaitingEntry } from './home-sections.ts';
import styles from './needs-you.module.css';

const TITLES: Record<WaitingEntry['item']['what'], string> = {
  plan: 'Plan to approve',
  held: 'Work to approve',
  blocked: 'Blocked',
  paused: 'Paused',
  question: 'Question',
};
const MAX_FILES = 3;
const [MAX_ITEMS, MAX_FAILED] = [40, 10];

type NeedsYouProps = { waiting: readonly WaitingEntry[]; failed: readonly RunOverview[] };

/** What needs the user: what waits, oldest first, then runs that failed. */
export function NeedsYou({ waiting, failed }: NeedsYouProps): ReactElement {
  if (waiting.length + failed.length === 0) {
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
        Needs you <span className={styles.number}>{waiting.length + failed.length}</span>
      </h2>
      <ul className={styles.items}>
        {waiting.slice(0, MAX_ITEMS).map((entry) => (
          <WaitingRow
            key={`${entry.run.run} ${entry.item.task} ${entry.item.what} ${entry.item.nextStep}`}
            entry={entry}
          />
        ))}
        {failed.slice(0, MAX_FAILED).map((run) => (
          <FailedRow key={run.run} run={run} />
        ))}
      </ul>
      {failed.length > MAX_FAILED ? (
        <p className={styles.more}>
          <LinkButton to="/history?status=failed">All {failed.length} failed runs</LinkButton>
        </p>
      ) : null}
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
          {item.task === null || item.taskTitle === run.title ? null : (
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

/** A run that failed or landed in part: what failed first, with the end of its output. */
function FailedRow({ run }: { run: RunOverview }): ReactElement {
  const { failure } = run;
  const retry = useAction('retry-run', { done: 'Retry started' });
  const hide = useAction('hide-run', { done: 'Hidden' });
  return (
    <li className={styles.item}>
      <div className={styles.text}>
        <p className={styles.first}>
          <StateMark displayState="failed" bare />
          <strong>{run.status === 'partial' ? 'Partly done' : 'Failed'}</strong>
          <Link href={runPath(run.run)}>{run.title}</Link>
          {failure?.task == null || failure.title === run.title ? null : (
            <Link href={taskPath(run.run, failure.task)} className="quiet">
              {failure.title ?? failure.label ?? failure.task}
            </Link>
          )}
          <span className="quiet">{projectName(run.project)}</span>
          <span className="quiet">
            <Time at={run.endedAt ?? run.updatedAt} />
          </span>
        </p>
        <p className={styles.reason}>{failure?.reason ?? run.reason}</p>
        {failure === null || failure.lines.length === 0 ? null : (
          <pre className={styles.output}>{failureLines(failure).join('\n')}</pre>
        )}
      </div>
      <div className={styles.buttons}>
        <Button weight="main" busy={retry.isBusy} onClick={() => retry.act({ run: run.run })}>
          Retry
        </Button>
        {run.status === 'partial' ? (
          <LinkButton to={`${runPath(run.run)}?view=changes`}>Take what is good</LinkButton>
        ) : null}
        <Button weight="quiet" busy={hide.isBusy} onClick={() => hide.act({ run: run.run, hidden: true })}>
          Hide
        </Button>
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
