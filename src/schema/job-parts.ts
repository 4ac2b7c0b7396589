import { z } from 'zod';

const DAY_MS = 86_400_000;

/** A value of the context is named by a word or a few, on one line. */
const ContextKey = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._/:-]{0,99}$/u, 'a name of at most 100 letters, digits, blanks and . _ / : -');

/** Facts for an agent: they stand in the prompt under a heading of their own, letter for letter. */
export const Context = z
  .record(ContextKey, z.string().max(100_000))
  .refine((context) => Object.keys(context).length <= 200, 'at most 200 values');
export type Context = z.infer<typeof Context>;

/** How a job is done again: the interval counts from the end of the last time, and a failure ends it. */
export const Repeat = z.object({
  everyMs: z
    .number()
    .int()
    .min(1_000)
    .max(366 * DAY_MS)
    .describe('Milliseconds from the end of one time to the beginning of the next.'),
  times: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe('How often in all; without it, until it is cancelled.'),
});
export type Repeat = z.infer<typeof Repeat>;
