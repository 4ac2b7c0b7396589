import { openWarnings } from '../../core/attempt/fold-attempt.ts';
import { lastAttempt } from '../../core/run/state.ts';
import { completeKey, findRun } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Lists what looks like trouble in the last attempt of each task of a run, or of one of them. */
export const listWarnings: Operation<'list-warnings'> = async (ports, input) => {
  const state = await findRun(ports, input);
  const keys = input.task === undefined ? state.order : [completeKey(state, input.task)];
  return keys.flatMap((key) => {
    const task = state.tasks[key];
    const attempt = task === undefined ? undefined : lastAttempt(task);
    return openWarnings(attempt).map(({ sign, message, at }) => ({
      run: state.start.run,
      task: key,
      attempt: attempt?.number ?? 0,
      sign,
      message,
      at: new Date(at).toISOString(),
    }));
  });
};
