import { type ReactElement, useState } from 'react';
import type { RunState } from '../../../../core/run/state.ts';
import { openSubRuns } from '../../../../core/run/sub-run-state.ts';
import type { RunOverview } from '../../../../schema/overview.ts';
import { useAction } from '../../../api/use-operation.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { ConfirmButton } from '../../../ui/controls/confirm-button.tsx';
import { lazyView } from '../../../ui/feedback/lazy-view.tsx';
import { Icon } from '../../../ui/text/icon.tsx';
import { LandAction, OtherLandActions } from './land-actions.tsx';
import { AgentsAtOnce } from './parallel-agents.tsx';
import styles from './run-actions.module.css';

const SharePanel = lazyView(async () => (await import('./share-panel.tsx')).SharePanel, 3);

type ListState = Pick<RunOverview, 'flag' | 'hidden' | 'carried'>;

type ActionsProps = { state: RunState; overview: ListState | undefined };

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

function mayRetry({ status, counts, order }: RunState): boolean {
  const isEnded = status.kind === 'ended';
  if (isEnded && order.length === 0) return true;
  return counts.failed + counts.blocked > 0 || (isEnded && counts.cancelled > 0);
}

function RetryButton({ state, isMain }: { state: RunState; isMain: boolean }): ReactElement {
  const retry = useAction('retry-run', { done: 'Retry started' });
  const tasks = state.counts.failed + state.counts.blocked + state.counts.cancelled;
  return (
    <Button weight={isMain ? 'main' : 'plain'} busy={retry.isBusy} onClick={() => retry.act({ run: state.start.run })}>
      <Icon name="retry" size={14} /> Retry{' '}
      {state.order.length === 0 ? 'the run' : tasks === 1 ? 'the failed task' : `${tasks} tasks`}
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

/** Marks a run for later, or removes it from lists. */
export function ListActions({ run, overview }: { run: string; overview: ListState | undefined }): ReactElement {
  const flag = useAction('flag-run');
  const hide = useAction('hide-run');
  const isFlagged = overview?.flag != null;
  const isHidden = overview?.hidden === true;
  const [isSharing, setSharing] = useState(false);
  return (
    <>
      <span className={styles.filing}>
        <Button
          weight="quiet"
          aria-pressed={isFlagged}
          busy={flag.isBusy}
          onClick={() => flag.act({ run, flagged: !isFlagged })}
        >
          <Icon name="flag" size={14} /> {isFlagged ? 'Flagged' : 'Flag'}
        </Button>
        <Button
          weight="quiet"
          aria-pressed={isHidden}
          busy={hide.isBusy}
          onClick={() => hide.act({ run, hidden: !isHidden })}
        >
          <Icon name="eye" size={14} /> {isHidden ? 'Hidden' : 'Hide'}
        </Button>
        <Button weight="quiet" aria-expanded={isSharing} onClick={() => setSharing(!isSharing)}>
          <Icon name="outside" size={14} /> Share
        </Button>
      </span>
      {isSharing ? <SharePanel run={run} /> : null}
    </>
  );
}
