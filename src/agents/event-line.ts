import { z } from 'zod';
import { Failure } from '../schema/failure.ts';
import { Usage } from '../schema/usage.ts';

/** Lines that all our agent programs write, one JSON object each: agent events, and the failure. */
export const EVENT_LINES = [
  z.object({ type: z.literal('session'), id: z.string() }),
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('reasoning'), text: z.string() }),
  z.object({ type: z.literal('tool-call'), id: z.string(), name: z.string(), input: z.unknown() }),
  z.object({ type: z.literal('tool-result'), id: z.string(), output: z.string(), isError: z.boolean() }),
  z.object({ type: z.literal('file-change'), path: z.string(), change: z.enum(['added', 'modified', 'deleted']) }),
  z.object({ type: z.literal('usage'), usage: Usage }),
  z.object({ type: z.literal('failure'), failure: Failure }),
] as const;
