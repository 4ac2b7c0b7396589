import type { ReactElement } from 'react';
import { Link } from 'wouter';
import type { RunOverview } from '../../../schema/overview.ts';
import { folderName, runPath } from '../../ui/browser/page-paths.ts';
import { CurrentSteps, LiveAgent } from '../../ui/run/live-agent.tsx';
import { runDisplayState, stateColor } from '../../ui/state/display-state.ts';
import { StateBar } from '../../ui/state/state-bar.tsx';
import { StateMark } from '../../ui/state/state-mark.tsx';
import { count, Duration, Spent, Time } from '../../ui/text/amounts.tsx';
import styles from './open-runs.module.css';

/** An open run: progress, cost and its agents. */
function RunCard({ run }: { run: RunOverview }): ReactElement {
  const displayState = runDisplayState(run);
  const rest = run.liveCount - run.live.length;
  return (
    <article className={styles.card} style={{ borderLeftColor: stateColor(displayState) }} aria-label={run.title}>
      <header className={styles.head}>
        {run.status === 'cancelling' ? (
          <StateMark displayState={displayState} label="Cancelling" />
        ) : (
          <StateMark displayState={displayState} />
        )}
        <Link href={runPath(run.run)} className={styles.title}>
          {run.title}
        </Link>
        <Cost run={run} />
      </header>
      <p className={styles.facts}>
        <span title={run.project}>{folderName(run.project)}</span>
        <span>{run.recipe}</span>
        {run.branch === null ? null : <span>{run.branch}</span>}
        {displayState === 'scheduled' ? null : (
          <span>
            <Duration from={run.startedAt} to={run.endedAt} />
          </span>
        )}
        {run.nextAt === null ? null : (
          <span>
            next <Time at={run.nextAt} />
          </span>
        )}
      </p>
      <div className={styles.progress}>
        <StateBar counts={run.counts} total={run.tasks} />
        <span className="numbers quiet">
          {run.done.toLocaleString('en-US')} / {run.tasks.toLocaleString('en-US')}
        </span>
      </div>
      {run.live.length === 0 ? null : (
        <ul className={styles.agents} aria-label="Running agents">
          {run.live.map((live) => (
            <LiveAgent key={`${live.task} ${live.attempt}`} run={run.run} live={live} />
          ))}
        </ul>
      )}
      {rest > 0 ? <p className="quiet">and {count(rest, 'more agent')}</p> : null}
      {run.live.length === 0 ? <Idle run={run} /> : null}
    </article>
  );
}

function Cost({ run: { cost, budget, unknownUsage } }: { run: RunOverview }): ReactElement | null {
  if (cost === 0 && budget === null && unknownUsage === undefined) return null;
  const isNear = budget !== null && cost >= budget * 0.8;
  return (
    <span className={styles.cost} data-near={isNear} title={budget === null ? 'No budget' : 'Cost of its budget'}>
      <Spent usd={cost} budget={budget} unknown={unknownUsage} />
    </span>
  );
}

function Idle({ run }: { run: RunOverview }): ReactElement | null {
  return run.reason === null ? <CurrentSteps current={run} /> : <p className={styles.reason}>{run.reason}</p>;
}

type RunningProps = { running: readonly RunOverview[]; idle: readonly RunOverview[] };

/** The open runs: active ones first, then idle ones. */
export function OpenRuns({ running, idle }: RunningProps): ReactElement {
  const cards = [...running, ...idle];
  const scheduled = cards.filter((run) => runDisplayState(run) === 'scheduled').length;
  return (
    <section aria-label="Running">
      <h2 className={styles.runningTitle}>
        Running{' '}
        <span className="quiet">
          {cards.length === 0 ? '' : cards.length - scheduled}
          {scheduled === 0 ? '' : ` · ${scheduled} scheduled`}
        </span>
      </h2>
      {cards.length === 0 ? (
        <p className="quiet">No run is active.</p>
      ) : (
        <ul className={styles.cards}>
          {cards.map((run) => (
            <li key={run.run}>
              <RunCard run={run} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
