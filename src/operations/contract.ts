import type { z } from 'zod';

/** Who carries an operation out: `engine` ones change runs and act, `living-engine` ones also, but nobody becomes the engine for them, `anywhere` ones only read. */
export type Where = 'engine' | 'living-engine' | 'anywhere';

/** One operation. */
export function operation<I extends z.ZodType, O extends z.ZodType>(
  where: Where,
  summary: string,
  input: I,
  output: O,
) {
  return { where, summary, input, output };
}
