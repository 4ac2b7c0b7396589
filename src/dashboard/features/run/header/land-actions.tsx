import type { ReactElement } from 'react';
import { hasLanded, type RunState } from '../../../../core/run/state.ts';
import { useAction } from '../../../api/use-operation.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { ConfirmButton } from '../../../ui/controls/confirm-button.tsx';
import { LandOnBase } from './land-panel.tsx';

/** The actions that land the result of an ended run, or undo the landing. */
export function LandActions({ state }: { state: RunState }): ReactElement | null {
  const run = state.start.run;
  const land = useAction('land-run', { done: 'Landed' });
  const undo = useAction('undo-run', { done: 'Landing undone' });
  if (state.landed !== null && state.undone === null && hasLanded(state)) {
    if (state.landed.how !== 'merge') return null;
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
  }
  if (state.pushed === null || state.tip.commit === state.start.base.commit) return null;
  const isGood = state.status.kind === 'ended' && state.status.status === 'done';
  const base = state.start.base.branch;
  return (
    <>
      {base === null ? null : <LandOnBase state={state} base={base} isMain={isGood} />}
      <Button busy={land.isBusy} onClick={() => land.act({ run, how: 'pr' })}>
        Open pull request
      </Button>
      <Button weight="quiet" busy={land.isBusy} onClick={() => land.act({ run, how: 'branch' })}>
        Keep as branch
      </Button>
    </>
  );
}
