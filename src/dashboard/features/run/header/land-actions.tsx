import type { ReactElement } from 'react';
import { isLanded, type RunState } from '../../../../core/run/state.ts';
import { useAction } from '../../../api/use-operation.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { ConfirmButton } from '../../../ui/controls/confirm-button.tsx';
import { LandOnBase } from './land-panel.tsx';

/** Whether an ended run has a result that has not landed. */
function isLandable(state: RunState): boolean {
  return !isLanded(state) && state.pushed !== null && state.tip.commit !== state.start.base.commit;
}

/** Lands the result of an ended run on its base. */
export function LandAction({ state }: { state: RunState }): ReactElement | null {
  const base = state.start.base.branch;
  if (!isLandable(state) || base === null) return null;
  const isGood = state.status.kind === 'ended' && state.status.status === 'done';
  return <LandOnBase state={state} base={base} isMain={isGood} />;
}

/** The other ways to land the result of an ended run, or to undo the landing. */
export function OtherLandActions({ state }: { state: RunState }): ReactElement | null {
  const run = state.start.run;
  const land = useAction('land-run', { done: 'Landed' });
  const undo = useAction('undo-run', { done: 'Landing undone' });
  if (state.landed?.how === 'merge' && isLanded(state))
    return (
      <ConfirmButton
        question={`Revert its changes on ${state.landed.branch}?`}
        yes="Undo landing"
        busy={undo.isBusy}
        onConfirm={() => undo.act({ run })}
      >
        Undo landing
      </ConfirmButton>
    );
  if (!isLandable(state)) return null;
  return (
    <>
      <Button weight="quiet" busy={land.isBusy} onClick={() => land.act({ run, how: 'pr' })}>
        Open pull request
      </Button>
      <Button weight="quiet" busy={land.isBusy} onClick={() => land.act({ run, how: 'branch' })}>
        Keep as branch
      </Button>
    </>
  );
}
