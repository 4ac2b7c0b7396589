import { titleRun } from '../../core/run/decide-run.ts';
import { runDocument } from '../../core/view/document.ts';
import { findRun, requireEngine } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Gives a run another title, whether it goes on or has ended. */
export const renameRun: Operation<'rename-run'> = async (ports, { title, ...ref }) => {
  const { run } = (await findRun(ports, ref)).start;
  return runDocument(await requireEngine(ports).submit(run, (state) => titleRun(state, title)));
};
