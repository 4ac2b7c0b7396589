import type { ReactElement } from 'react';
import type { RunState } from '../../../../core/run/state.ts';
import { openSubRuns } from '../../../../core/run/sub-run-state.ts';
import { attention } from '../../../../core/view/attention.ts';
import type { RunOverview } from '../../../../schema/overview.ts';
import { useAction } from '../../../api/use-operation.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { ConfirmButton } from '../../../ui/controls/confirm-button.tsx';
import { Icon } from '../../../ui/text/icon.tsx';
import { LandAction, OtherLandActions } from './land-actions.tsx';
import { AgentsAtOnce } from './parallel-agents.tsx';
import styles from './run-actions.module.css';

type ActionsProps = { state: RunState; overview: Pick<RunOverview, 'carried'> | undefined };

/** The one action that is most likely next: continue, retry or land. */
export function PrimaryAction({ state, overview }: ActionsProps): ReactElement | null {
  if (state.status.kind !== 'ended') return <PauseOrResume state={state} isInterrupted={overview?.carried === false} />;
  return mayRetry(state) ? <RetryButton state={state} isMain /> : <LandAction state={state} />;
}

/** The other actions that are available for a run. */
export function OtherActions({ state }: { state: RunState }): ReactElement {
  const isEnded = state.status.kind === 'ended';
  return (
    <div className={styles.actions}>
      {isEnded ? null : <ActiveRunActions state={state} />}
      {!isEnded && mayRetry(state) ? <RetryButton state={state} isMain={false} /> : null}
      {isEnded && mayRetry(state) ? <LandAction state={state} /> : null}
      {isEnded ? <OtherLandActions state={state} /> : null}
    </div>
  );
}

function mayRetry(state: RunState): boolean {
  const { status, counts, order } = state;
  const isEnded = status.kind === 'ended';
  if (isEnded && order.length === 0) return true;
  return counts.failed + retryableBlocked(state) > 0 || (isEnded && counts.cancelled > 0);
}

/** The blocked tasks that a retry continues: one that asks needs an answer, one that waits for a sub-run needs that run. */
function retryableBlocked(state: RunState): number {
  if (state.counts.blocked === 0) return 0;
  return attention(state).filter(({ what, subRun }) => what === 'blocked' && subRun === undefined).length;
}

function RetryButton({ state, isMain }: { state: RunState; isMain: boolean }): ReactElement {
  const retry = useAction('retry-run', { done: 'Retry started' });
  const blocked = retryableBlocked(state);
  const tasks = state.counts.failed + blocked + state.counts.cancelled;
  const one = `the ${blocked === 1 ? 'blocked' : state.counts.failed === 1 ? 'failed' : 'cancelled'} task`;
  return (
    <Button weight={isMain ? 'main' : 'plain'} busy={retry.isBusy} onClick={() => retry.act({ run: state.start.run })}>
      <Icon name="retry" size={14} /> Retry{' '}
      {state.order.length === 0 ? 'the run' : tasks === 1 ? one : `${tasks} tasks`}
    </Button>
  );
}

/** `isInterrupted`: no engine is running the run. */
function PauseOrResume({ state, isInterrupted }: { state: RunState; isInterrupted: boolean }): ReactElement | null {
  const run = state.start.run;
  const pause = useAction('pause-run', { done: 'Paused; running attempts continue' });
  const resume = useAction('resume-runs', { done: 'Resumed' });
  if (state.status.kind === 'cancelling') return null;
  return '' in state.paused || isInterrupted ? (
    <Button weight="main" busy={resume.isBusy} onClick={() => resume.act({ run })}>
      <Icon name="play" size={14} /> Resume
    </Button>
  ) : (
    <Button busy={pause.isBusy} onClick={() => pause.act({ run })}>
      <Icon name="pause" size={14} /> Pause
    </Button>
  );
}

function ActiveRunActions({ state }: { state: RunState }): ReactElement {
  const run = state.start.run;
  const cancel = useAction('cancel-run', { done: 'Cancelling; all work is kept' });
  if (state.status.kind === 'cancelling') {
    return (
      <ConfirmButton
        question="Stop its agents now? Their work is saved."
        yes="Stop now"
        busy={cancel.isBusy}
        onConfirm={() => cancel.act({ run, force: true })}
      >
        <Icon name="stop" size={14} /> Stop now
      </ConfirmButton>
    );
  }
  return (
    <>
      <ConfirmButton
        question={`Cancel this run${openSubRuns(state).length > 0 ? ' and its sub-runs' : ''}? All work is kept.`}
        yes="Cancel run"
        busy={cancel.isBusy}
        onConfirm={() => cancel.act({ run })}
      >
        <Icon name="stop" size={14} /> Cancel
      </ConfirmButton>
      <AgentsAtOnce run={run} now={state.maxParallel} />
    </>
  );
}
