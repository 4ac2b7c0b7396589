import { z } from 'zod';
import type { App } from '../../app.ts';
import { AppError } from '../../errors.ts';
import { attemptId } from '../../schema/ids.ts';
import { completeKey, findRun, type Ref, requireTask, TaskRef } from '../find-run.ts';

/** The fields of every operation about one attempt. */
export const AttemptRef = {
  ...TaskRef,
  attempt: z.number().int().positive().optional().describe('The number of the attempt; default: the last one.'),
};

/** The selected attempt, by number or the last; undefined if the task was never attempted. */
export async function findAttempt(
  app: App,
  ref: Ref & { task: string; attempt?: number | undefined },
): Promise<{ number: number; attempt: string | undefined }> {
  const state = await findRun(app, ref);
  const task = requireTask(state, completeKey(state, ref.task));
  const number = ref.attempt ?? task.attempts.length;
  if (number > task.attempts.length) {
    const { key } = task.spec;
    throw new AppError('INPUT_INVALID', `Task ${key} has ${task.attempts.length} attempts, so none is ${number}`);
  }
  const attempt = number === 0 ? undefined : attemptId(state.start.run, task.ordinal, number);
  return { number, attempt };
}
