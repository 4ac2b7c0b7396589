import { dismissWarning as decideDismiss } from '../../core/attempt/decide-attempt.ts';
import { runDocument } from '../../core/view/document.ts';
import { completeKey, findRun, requireEngine } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Shows a warning no longer; what happened stays on record. */
export const dismissWarning: Operation<'dismiss-warning'> = async (ports, input) => {
  const found = await findRun(ports, input);
  const { attempt, sign } = input;
  const what = { task: completeKey(found, input.task), attempt, sign };
  return runDocument(await requireEngine(ports).record(found.start.run, (state) => decideDismiss(state, what)));
};
