import { z } from 'zod';
import { EVENT_LINES } from '../event-line.ts';

/** What the rehearsal program writes, one JSON object a line; its only results are good ones. */
export const RehearsalLine = z.discriminatedUnion('type', [
  ...EVENT_LINES,
  z.object({ type: z.literal('result'), isError: z.literal(false), text: z.string(), output: z.unknown().optional() }),
]);
export type RehearsalLine = z.infer<typeof RehearsalLine>;
