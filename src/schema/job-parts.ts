import { z } from 'zod';

const DAY_MS = 86_400_000;

/** The name of a context value: one line. */
const ContextKey = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._/:-]{0,99}$/u, 'a name of at most 100 letters, digits, blanks and . _ / : -');

/** Facts for an agent, added to the prompt verbatim, each under its own heading. */
export const Context = z
  .record(ContextKey, z.string().max(100_000))
  .refine((context) => Object.keys(context).length <= 200, 'at most 200 values');
export type Context = z.infer<typeof Context>;

/** How a job is repeated: the interval counts from the end of the last repetition, and a failure ends it. */
export const Repeat = z.object({
  everyMs: z
    .number()
    .int()
    .min(1_000)
    .max(366 * DAY_MS)
    .describe('Milliseconds from the end of one repetition to the start of the next.'),
  times: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe('Total number of repetitions; default: until it is cancelled.'),
});
export type Repeat = z.infer<typeof Repeat>;
