import { runDocument } from '../../core/view/document.ts';
import { runStatus } from '../../core/view/run-status.ts';
import { AppError } from '../../errors.ts';
import { findRun, requireEngine } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Brings the branch of a run onto its base, merged, checked, moved only forward; or opens a pull request for it. */
export const landRun: Operation<'land-run'> = async (ports, input) => {
  const state = await findRun(ports, input);
  const { run, base } = state.start;
  const word = runStatus(state);
  if (state.undone !== null) {
    const again = `git revert ${state.undone.commit.slice(0, 10)}`;
    throw new AppError('REFUSED', `Run ${run} was undone on ${state.undone.branch}; to have it again: ${again}`, {
      run,
    });
  }
  // A pull request that is open is brought up to date, or the run is landed here after all.
  if (state.landed !== null && state.landed.how !== 'pr')
    throw new AppError('REFUSED', `Run ${run} has landed on ${state.landed.branch} already`, { run });
  if (state.tip.commit === base.commit) throw new AppError('REFUSED', `Run ${run} has nothing to land`, { run });
  if (word === 'running' || word === 'cancelling')
    throw new AppError('REFUSED', `Run ${run} is still ${word}; wait for it with manyhands wait ${run}`, { run });
  const draft = input.draft === undefined ? {} : { draft: input.draft };
  return runDocument(await requireEngine(ports).land(run, { how: input.how, ...draft }));
};
