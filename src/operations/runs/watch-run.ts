import { completeId } from '../find-run.ts';
import type { StreamOperation } from '../operation.ts';

/** Follows the events of a run: those after a version first, then each as it is committed. */
export const watchRun: StreamOperation<'watch-run'> = async function* (ports, { run, after }, signal) {
  yield* ports.runs.events(completeId(ports, run), after, signal);
};
