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

/** The longest wait of a call: clients abandon calls after 120 seconds. */
const MOST_SECONDS = 90;

/** How long a call of a tool waits. */
export const WaitSeconds = z
  .number()
  .min(0)
  .max(MOST_SECONDS)
  .default(MOST_SECONDS)
  .describe('How long this call waits; then it returns what is still pending.');
