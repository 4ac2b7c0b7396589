import { z } from 'zod';
import { Failure } from '../../schema/failure.ts';
import { Usage } from '../../schema/usage.ts';

/**
 * What the program writes, one JSON object a line: agent events as they are; `spent`, the usage so far, for live budgets;
 * and how it failed.
 */
export const AcpLine = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session'), id: z.string() }),
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('reasoning'), text: z.string() }),
  z.object({ type: z.literal('tool-call'), id: z.string(), name: z.string(), input: z.unknown() }),
  z.object({ type: z.literal('tool-result'), id: z.string(), output: z.string(), isError: z.boolean() }),
  z.object({ type: z.literal('file-change'), path: z.string(), change: z.enum(['added', 'modified', 'deleted']) }),
  z.object({ type: z.literal('usage'), usage: Usage }),
  z.object({ type: z.literal('retry'), message: z.string() }),
  z.object({ type: z.literal('permission-denied'), tool: z.string(), message: z.string() }),
  z.object({ type: z.literal('question'), text: z.string() }),
  z.object({ type: z.literal('unknown'), raw: z.string() }),
  z.object({ type: z.literal('result'), isError: z.boolean(), text: z.string(), output: z.unknown().optional() }),
  z.object({ type: z.literal('spent'), usage: Usage }),
  z.object({ type: z.literal('failure'), failure: Failure }),
]);
export type AcpLine = z.infer<typeof AcpLine>;
