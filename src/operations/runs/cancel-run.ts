import { cancelRun as decideCancel } from '../../core/run/decide-run.ts';
import { runDocument } from '../../core/view/document.ts';
import { findRun, requireEngine } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Cancels a run: nothing new starts, what runs is stopped, and all of its work stays saved. */
export const cancelRun: Operation<'cancel-run'> = async (ports, input) => {
  const { start } = await findRun(ports, input);
  const engine = requireEngine(ports);
  return runDocument(await engine.cancel(start.run, (state) => decideCancel(state, input.reason, input.force)));
};
