import type { z } from 'zod';

/** One operation: `engine` ones change runs and act, `anywhere` ones only read. */
export function operation<I extends z.ZodType, O extends z.ZodType>(
  where: 'engine' | 'anywhere',
  summary: string,
  input: I,
  output: O,
) {
  return { where, summary, input, output };
}
