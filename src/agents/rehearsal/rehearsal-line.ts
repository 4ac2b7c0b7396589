import { z } from 'zod';
import { EVENT_LINES } from '../event-line.ts';

/** The output of the rehearsal program, one JSON object per line; a result is always a success. */
export const RehearsalLine = z.discriminatedUnion('type', [
  ...EVENT_LINES,
  z.object({ type: z.literal('result'), isError: z.literal(false), text: z.string(), output: z.unknown().optional() }),
]);
export type RehearsalLine = z.infer<typeof RehearsalLine>;
