import type { ReactElement } from 'react';
import { Link } from 'wouter';
import type { RunOverview } from '../../../schema/overview.ts';
import { useAction } from '../../api/use-operation.ts';
import { folderName, runPath } from '../../ui/browser/page-paths.ts';
import { Button, LinkButton } from '../../ui/controls/button.tsx';
import { runDisplayState } from '../../ui/state/display-state.ts';
import { StateMark } from '../../ui/state/state-mark.tsx';
import { Duration, Spent, Time } from '../../ui/text/amounts.tsx';
import styles from './recent-runs.module.css';

const MAX = 30;

/** Ended runs, unread ones first. */
export function RecentRuns({ runs }: { runs: readonly RunOverview[] }): ReactElement {
  const read = useAction('mark-read');
  const unread = runs.filter((run) => run.unread);
  return (
    <section aria-label="Recent">
      <header className={styles.head}>
        <h2>
          Recent <span className="quiet">{unread.length === 0 ? '' : `${unread.length} unread`}</span>
        </h2>
        {unread.length < 2 ? null : (
          <Button weight="quiet" onClick={() => unread.forEach(({ run }) => void read.act({ run }))}>
            Mark all as read
          </Button>
        )}
      </header>
      {runs.length === 0 ? (
        <p className="quiet">No run has ended yet.</p>
      ) : (
        <ul className={styles.rows}>
          {runs.slice(0, MAX).map((run) => (
            <RecentRow key={run.run} run={run} />
          ))}
        </ul>
      )}
      {runs.length > MAX ? (
        <p className={styles.more}>
          <LinkButton to="/history">All runs</LinkButton>
        </p>
      ) : null}
    </section>
  );
}

function RecentRow({ run }: { run: RunOverview }): ReactElement {
  const isGood = run.status === 'done';
  return (
    <li className={styles.row} data-unread={run.unread}>
      <StateMark displayState={runDisplayState(run)} bare />
      <div className={styles.text}>
        <Link href={runPath(run.run)} className={styles.title}>
          {run.title}
        </Link>
        {isGood || run.reason === null ? null : <p className={styles.reason}>{run.reason}</p>}
      </div>
      <span className={styles.fact} title={run.project}>
        {folderName(run.project)}
      </span>
      <span className={styles.fact}>{run.landed === null ? run.recipe : `landed: ${run.landed.how}`}</span>
      <span className={styles.figure}>
        {run.done.toLocaleString('en-US')} / {run.tasks.toLocaleString('en-US')}
      </span>
      <span className={styles.figure}>
        <Spent usd={run.cost} unknown={run.unknownUsage} />
      </span>
      <span className={styles.figure}>
        <Duration from={run.startedAt} to={run.endedAt} />
      </span>
      <span className={styles.figure}>
        <Time at={run.endedAt ?? run.startedAt} />
      </span>
    </li>
  );
}
