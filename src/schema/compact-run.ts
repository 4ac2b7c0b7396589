import { z } from 'zod';
import { RunDocument, RunStatus, TaskLabel } from './document.ts';
import { TaskOverviewStatus } from './overview.ts';
import { Checkpoint } from './report/checkpoint.ts';
import { RiskFlag } from './risk.ts';

/** The minimum that a controlling agent needs of a run: current step, last action, risks and next step. */
export const CompactRun = z.object({
  run: z.string(),
  title: z.string(),
  status: RunStatus,
  phase: z
    .enum(['starting', 'planning', 'working', 'verifying', 'landing', 'waiting', 'scheduled', 'paused', 'ended'])
    .describe('The current step.'),
  progress: z.object({
    done: z.number().int(),
    total: z.number().int(),
    counts: z.partialRecord(TaskOverviewStatus, z.int()),
  }),
  cost: z.number(),
  unknownUsage: RunDocument.shape.unknownUsage,
  lastAction: z
    .object({ at: z.string(), task: z.string().nullable(), what: z.string() })
    .nullable()
    .describe('The last meaningful action, of an agent or on the run.'),
  toolCalls: z
    .array(z.object({ task: z.string(), tool: z.string(), detail: z.string(), times: z.number().int() }))
    .describe('Tool calls since the cursor, repeated calls listed once, the latest last; at most 50.'),
  checkpoints: z
    .array(Checkpoint.extend({ task: z.string(), label: TaskLabel, attempt: z.number().int() }))
    .default([])
    .describe('How far long attempts are that run now, or that ended last in their task; at most 5.'),
  changedFiles: z.array(z.string()).describe('Files that agents reported as changed since the cursor; at most 200.'),
  risks: z.array(RiskFlag.extend({ task: z.string(), label: TaskLabel })).describe('The worst first.'),
  warnings: z.array(z.object({ task: z.string(), label: TaskLabel, message: z.string() })),
  attention: RunDocument.shape.attention,
  recommended: z.object({
    action: z.enum(['wait', 'approve', 'answer', 'retry', 'resume', 'inspect', 'land', 'none']),
    task: z.string().nullable(),
    because: z.string(),
    command: z.string().nullable(),
  }),
  result: z.unknown().optional(),
  cursor: z.string().describe('Pass it as `after` in the next request to get only what is new.'),
  unchanged: z.boolean().describe('No event occurred since the cursor that was passed.'),
});
export type CompactRun = z.infer<typeof CompactRun>;
