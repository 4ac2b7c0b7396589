import { runDocument, runWord } from '../core/document.ts';
import { AppError } from '../errors.ts';
import { findRun, requireEngine } from './find-run.ts';
import type { Operation } from './operation.ts';

/** Brings the branch of a run onto its base: merged, checked, moved only forward. */
export const landRun: Operation<'land-run'> = async (ports, input) => {
  const state = await findRun(ports, input);
  const { run, base } = state.start;
  const word = runWord(state);
  if (input.how === 'pr') throw new AppError('INPUT_INVALID', 'Pull requests are not supported yet; use --land merge');
  if (state.landed !== null) throw new AppError('REFUSED', `Run ${run} has landed on ${state.landed.branch} already`);
  if (state.tip.commit === base.commit) throw new AppError('REFUSED', `Run ${run} has nothing to land`);
  if (word === 'running' || word === 'cancelling')
    throw new AppError('REFUSED', `Run ${run} is still ${word}; wait for it with manyhands wait ${run}`);
  return runDocument(await requireEngine(ports).land(run, input.how));
};
