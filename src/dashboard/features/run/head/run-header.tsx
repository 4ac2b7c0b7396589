import type { ReactElement } from 'react';
import type { RunState } from '../../../../core/run/state.ts';
import { nextStartAt } from '../../../../core/schedule/next-start.ts';
import { runStatus } from '../../../../core/view/run-status.ts';
import { useRunOverview } from '../../../api/overview.ts';
import { lookOfRun } from '../../../ui/state.ts';
import { StateMark } from '../../../ui/state-mark.tsx';
import { RunActions } from './run-actions.tsx';
import { RunFacts } from './run-facts.tsx';
import styles from './run-header.module.css';
import { RunTitle } from './run-title.tsx';

/** What run it is, how it stands, and what can be done with it. */
export function RunHeader({ state }: { state: RunState }): ReactElement {
  const overview = useRunOverview(state.start.run);
  const next = nextStartAt(state);
  const look = lookOfRun({
    status: runStatus(state),
    unread: false,
    nextAt: next === undefined ? null : new Date(next).toISOString(),
    liveCount: state.counts.running,
    carried: overview?.carried ?? true,
  });
  const reason = state.status.kind === 'ended' || state.status.kind === 'cancelling' ? state.status.reason : null;
  return (
    <header className={styles.header}>
      <div className={styles.first}>
        {state.status.kind === 'cancelling' ? (
          <StateMark look={look} word="Being cancelled" />
        ) : (
          <StateMark look={look} />
        )}
        <RunTitle run={state.start.run} title={state.start.title} />
      </div>
      {reason === null ? null : (
        <p className={styles.reason} title={reason}>
          {reason}
        </p>
      )}
      <RunFacts state={state} />
      <RunActions state={state} filing={overview} />
    </header>
  );
}
