import { z } from 'zod';
import { RunId, TaskKey } from '../schema/ids.ts';

/**
 * The attempt that calls, and the id of its call. The socket of the attempt fills them in from its token; they are no
 * part of the tool that an agent sees.
 */
export const AttemptCaller = {
  run: RunId,
  task: TaskKey,
  attempt: z.number().int().positive(),
  call: z.string().min(1).max(100),
};
export type AttemptCaller = z.infer<z.ZodObject<typeof AttemptCaller>>;

/** How every blocking tool describes its time limit. */
export const WAIT_MS = 90_000;
