import { z } from 'zod';
import { RunDocument } from '../../schema/document.ts';
import { HealthSign } from '../../schema/health.ts';
import { MessageText, ReviewComment } from '../../schema/message.ts';
import { RunRef } from '../../schema/run-ref.ts';
import { operation } from '../contract.ts';

/** A sign that the last attempt of a task may be in trouble. */
export const WarningItem = z.object({
  run: z.string(),
  task: z.string(),
  attempt: z.number().int(),
  sign: HealthSign,
  message: z.string(),
  at: z.string(),
});
export type WarningItem = z.infer<typeof WarningItem>;

/** What a person asks of agents that are at work, and of the engine itself. */
export const CONTROL_OPERATIONS = {
  'send-message': operation(
    'engine',
    'Send a message, or a review of lines, to the agent of a task',
    z.object({
      ...RunRef,
      task: z.string(),
      message: MessageText.default('').describe('May be empty where there are comments.'),
      comments: z.array(ReviewComment).max(500).default([]),
    }),
    RunDocument,
  ),
  'dismiss-warning': operation(
    'engine',
    'Show a warning about an attempt no longer',
    z.object({ ...RunRef, task: z.string(), attempt: z.number().int().positive(), sign: HealthSign }),
    RunDocument,
  ),
  'list-warnings': operation(
    'anywhere',
    'List the warnings about the attempts of a run that nobody has dismissed',
    z.object({ ...RunRef, task: z.string().optional() }),
    z.array(WarningItem),
  ),
  'stop-engine': operation(
    'living-engine',
    'End the engine that runs; its runs can be resumed',
    z.object({
      agents: z
        .enum(['leave', 'stop'])
        .default('leave')
        .describe('`leave`: agents go on and the next engine adopts them; `stop`: they are ended, their work saved.'),
    }),
    z.object({ pid: z.number().int().describe('The process that ends.') }),
  ),
} as const;
