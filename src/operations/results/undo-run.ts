import { findRun, requireEngine } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Takes a landed run back by a new commit, only where git proves it safe; or says what that would do. */
export const undoRun: Operation<'undo-run'> = async (ports, { dryRun, branch, reason, ...ref }) => {
  const { run } = (await findRun(ports, ref)).start;
  return requireEngine(ports).undo(run, { dryRun, branch, reason });
};
