import { type ReactElement, useState } from 'react';
import { isLanded, type RunState } from '../../../../core/run/state.ts';
import { ApiError } from '../../../api/api-error.ts';
import { call } from '../../../api/call.ts';
import { useAction } from '../../../api/use-operation.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { ConfirmButton } from '../../../ui/controls/confirm-button.tsx';
import { notify } from '../../../ui/feedback/notices.ts';
import { Icon } from '../../../ui/text/icon.tsx';
import { type Examined, type LandMethod, LandPanel, type MergeFindings } from './land-panel.tsx';

/** Whether an ended run has a result that has not landed. */
function isLandable(state: RunState): boolean {
  return !isLanded(state) && state.pushed !== null && state.tip.commit !== state.start.base.commit;
}

/** Lands the result of an ended run on its base. */
export function LandAction({ state }: { state: RunState }): ReactElement | null {
  const base = state.start.base.branch;
  if (!isLandable(state) || base === null) return null;
  const isGood = state.status.kind === 'ended' && state.status.status === 'done';
  return <LandButton state={state} method={{ how: 'merge', base }} weight={isGood ? 'main' : 'plain'} />;
}

/** The other ways to land the result of an ended run, or to undo the landing. */
export function OtherLandActions({ state }: { state: RunState }): ReactElement | null {
  const run = state.start.run;
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
  return isLandable(state) ? <LandButton state={state} method={{ how: 'pr' }} weight="quiet" /> : null;
}

type LandButtonProps = { state: RunState; method: LandMethod; weight: 'main' | 'plain' | 'quiet' };

/** Lands a clean result at once; otherwise opens a panel with what a person must know before that. */
function LandButton({ state, method, weight }: LandButtonProps): ReactElement {
  const { run } = state.start;
  const [examined, setExamined] = useState<Examined>();
  const [findings, setFindings] = useState<MergeFindings>();
  const [isExamining, setExamining] = useState(false);
  const close = () => {
    setExamined(undefined);
    setFindings(undefined);
  };
  const land = useAction('land-run', {
    done: method.how === 'pr' ? 'Pull request opened' : `Landed on ${method.base}`,
    onDone: close,
    onError: (error) => {
      const found = findingsOf(error);
      setFindings(found);
      return found !== undefined;
    },
  });
  const act = (accept?: string) => land.act({ run, how: method.how, ...(accept === undefined ? {} : { accept }) });
  const examine = async () => {
    setExamining(true);
    setFindings(undefined);
    try {
      const [acceptance, judgement] = await Promise.all([call('verify-run', { run }), call('judge-run', { run })]);
      if (isClean({ acceptance, judgement })) act();
      else setExamined({ acceptance, judgement });
    } catch (error) {
      notify({ kind: 'error', text: error instanceof Error ? error.message : String(error), error });
    } finally {
      setExamining(false);
    }
  };
  const isOpen = examined !== undefined || findings !== undefined;
  return (
    <>
      <Button weight={weight} busy={land.isBusy || isExamining} aria-expanded={isOpen} onClick={() => void examine()}>
        {method.how === 'pr' ? (
          'Open pull request'
        ) : (
          <>
            <Icon name="branch" size={14} /> Land on {method.base}
          </>
        )}
      </Button>
      {isOpen ? (
        <LandPanel
          state={state}
          method={method}
          examined={examined}
          findings={findings}
          isBusy={land.isBusy}
          onLand={act}
          close={close}
        />
      ) : null}
    </>
  );
}

/** Whether nothing about a result needs a person before it lands. */
function isClean({ acceptance, judgement }: Examined): boolean {
  return (
    acceptance.acceptance === 'verified' &&
    acceptance.criteria.every(({ verdict }) => verdict === 'pass') &&
    judgement.decision === 'approve'
  );
}

/** The findings on the merge with a base that has moved, where they are why it did not land. */
function findingsOf(error: Error): MergeFindings | undefined {
  if (!(error instanceof ApiError) || error.code !== 'NEEDS_PERSON') return undefined;
  const { tree, reason } = error.details;
  return typeof tree === 'string' && typeof reason === 'string' ? { tree, reason } : undefined;
}
