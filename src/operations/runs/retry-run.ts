import { retryTasks } from '../../core/run/decide-run.ts';
import { requeueTasks } from '../../core/run/requeue.ts';
import { runDocument } from '../../core/view/document.ts';
import { completeKey, findRun, requireEngine } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Tries failed, blocked, skipped or cancelled tasks again, with those that were skipped because of them. */
export const retryRun: Operation<'retry-run'> = async (ports, input) => {
  const found = await findRun(ports, input);
  const engine = requireEngine(ports);
  const task = input.task === undefined ? {} : { task: completeKey(found, input.task) };
  const again = input.requeue ? requeueTasks : retryTasks;
  await engine.resume(found.start.run);
  return runDocument(
    await engine.submit(found.start.run, (state) => again(state, { ...task, reason: 'asked for by a person' })),
  );
};
