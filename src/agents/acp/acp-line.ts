import { z } from 'zod';
import { Usage } from '../../schema/usage.ts';
import { EVENT_LINES } from '../event-line.ts';

/** The output of the ACP client program, one JSON object per line; `spent` is the usage so far, for live budgets, and `at` when the prompt was sent. */
export const AcpLine = z.discriminatedUnion('type', [
  ...EVENT_LINES,
  z.object({ type: z.literal('retry'), message: z.string() }),
  z.object({ type: z.literal('permission-denied'), tool: z.string(), message: z.string() }),
  z.object({ type: z.literal('question'), text: z.string() }),
  z.object({ type: z.literal('terminal'), text: z.string() }),
  z.object({ type: z.literal('unknown'), raw: z.string() }),
  z.object({ type: z.literal('result'), isError: z.boolean(), text: z.string(), output: z.unknown().optional() }),
  z.object({ type: z.literal('spent'), usage: Usage, at: z.number().optional() }),
]);
export type AcpLine = z.infer<typeof AcpLine>;
