import { limitRun as decideLimit } from '../../core/run/decide-run.ts';
import { runDocument } from '../../core/view/document.ts';
import { findRun, requireEngine } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Changes how many attempts of a run are under way at once, while it goes on. */
export const limitRun: Operation<'limit-run'> = async (ports, input) => {
  const { start } = await findRun(ports, input);
  return runDocument(await requireEngine(ports).submit(start.run, (state) => decideLimit(state, input.agents)));
};
