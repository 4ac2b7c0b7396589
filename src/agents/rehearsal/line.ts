import { z } from 'zod';
import { Failure } from '../../schema/failure.ts';
import { Usage } from '../../schema/usage.ts';

/** What the rehearsal program writes, one JSON object a line: agent events as they are, and how it failed. */
export const RehearsalLine = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session'), id: z.string() }),
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('reasoning'), text: z.string() }),
  z.object({ type: z.literal('tool-call'), id: z.string(), name: z.string(), input: z.unknown() }),
  z.object({ type: z.literal('tool-result'), id: z.string(), output: z.string(), isError: z.boolean() }),
  z.object({ type: z.literal('file-change'), path: z.string(), change: z.enum(['added', 'modified', 'deleted']) }),
  z.object({ type: z.literal('usage'), usage: Usage }),
  z.object({ type: z.literal('result'), isError: z.literal(false), text: z.string(), output: z.unknown().optional() }),
  z.object({ type: z.literal('failure'), failure: Failure }),
]);
export type RehearsalLine = z.infer<typeof RehearsalLine>;
