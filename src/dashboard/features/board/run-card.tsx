import type { HTMLAttributes, ReactElement } from 'react';
import { Link } from 'wouter';
import { moneyText } from '../../../core/view/amounts.ts';
import type { RunOverview } from '../../../schema/overview.ts';
import { folderName, runPath } from '../../ui/browser/page-paths.ts';
import { decisionPath } from '../../ui/run/attention-actions.tsx';
import { runDisplayState, stateColor } from '../../ui/state/display-state.ts';
import { StateBar } from '../../ui/state/state-bar.tsx';
import { StateMark } from '../../ui/state/state-mark.tsx';
import { Time } from '../../ui/text/amounts.tsx';
import styles from './board.module.css';

type RunCardProps = HTMLAttributes<HTMLLIElement> & { run: RunOverview };

/** A run; one that waits leads to the page of the decision. */
export function RunCard({ run, children, ...rest }: RunCardProps): ReactElement {
  const [waiting] = run.attention;
  const displayState = runDisplayState(run);
  return (
    <li {...rest} className={styles.card} style={{ borderLeftColor: stateColor(displayState) }}>
      <Link href={waiting === undefined ? runPath(run.run) : decisionPath({ ...waiting, run: run.run })}>
        {run.title}
      </Link>
      <p className="quiet">
        <StateMark displayState={displayState} /> {folderName(run.project)} · {run.recipe}
      </p>
      {waiting === undefined ? null : <p className={styles.reason}>{waiting.reason}</p>}
      {run.failure === null ? null : <p className={styles.reason}>{run.failure.error ?? run.failure.reason}</p>}
      {run.live.slice(0, 2).map(({ task, agent, title }) => (
        <p key={task} className={styles.reason}>
          {agent}: {title}
        </p>
      ))}
      <StateBar counts={run.counts} total={run.tasks} />
      <p className={styles.figures}>
        <span className="numbers">
          {run.done} / {run.tasks}
        </span>
        <span className="numbers">{moneyText(run.cost)}</span>
        <Time at={run.updatedAt} />
      </p>
      {children}
    </li>
  );
}
