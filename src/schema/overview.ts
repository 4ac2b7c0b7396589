import { z } from 'zod';
import { HealthSign } from './config/health.ts';
import { Activity, AttentionDocument, RunDocument, RunSummary, TaskLabel } from './document.ts';
import { Tier } from './task.ts';

/** The status of a task in an overview. */
export const TaskOverviewStatus = z.enum([
  'waiting',
  'ready',
  'running',
  'analyzing',
  'landing',
  'verifying',
  'conflicted',
  'held',
  'blocked',
  'done',
  'failed',
  'skipped',
  'cancelled',
]);
export type TaskOverviewStatus = z.infer<typeof TaskOverviewStatus>;

/** A running attempt and its latest activity. */
export const LiveAttempt = z.object({
  task: z.string(),
  label: TaskLabel,
  title: z.string(),
  role: z.string(),
  attempt: z.number().int(),
  agent: z.string(),
  account: z.string().nullable(),
  tier: Tier.nullable(),
  startedAt: z.number().describe('Milliseconds since 1970, as all times of this object.'),
  lastSignAt: z.number().describe('When it last showed activity.'),
  activity: z.string().nullable().describe('Its last meaningful action, one line of at most 200 characters.'),
  costUsd: z.number().nullable().describe('Its cost so far, if its agent reports it.'),
  turns: z.number().int(),
  warnings: z.array(z.object({ sign: HealthSign, message: z.string(), at: z.number() })),
  terminal: z.boolean().describe('Whether it has a terminal that can be watched and typed into.'),
});
export type LiveAttempt = z.infer<typeof LiveAttempt>;

/** Something that waits for a person, and since when. */
export const WaitingItem = AttentionDocument.extend({
  taskTitle: z.string().nullable(),
  since: z.string().describe('Since when it waits.'),
});
export type WaitingItem = z.infer<typeof WaitingItem>;

/** The maximum number of running attempts listed per run. */
export const MOST_LIVE = 20;

/** A run as a list of all work shows it. */
export const RunOverview = RunSummary.extend({
  version: z.number().int(),
  updatedAt: z.string(),
  projectId: z.string(),
  reason: z.string().nullable(),
  branch: z.string().nullable(),
  base: z.string().nullable().describe('The branch that it started from.'),
  landed: RunDocument.shape.landed,
  resultLanded: z.boolean().default(false).describe('Whether its current result has landed and that was not undone.'),
  budget: z.number().nullable().describe('Its maximum cost in US dollars.'),
  priority: z.number().int().default(0).describe('The highest priority of its queued tasks; 0 without any.'),
  counts: z
    .partialRecord(TaskOverviewStatus, z.number().int())
    .describe('Number of tasks by status; zero counts are omitted.'),
  attention: z.array(WaitingItem),
  failure: z
    .object({
      task: z.string().nullable().describe('The first task that failed; null if the run itself failed.'),
      label: TaskLabel,
      title: z.string().nullable(),
      reason: z.string(),
      command: z.string().nullable().describe('The failed check, if a check failed.'),
      error: z.string().nullable().default(null).describe('The line of its output that names the error.'),
      lines: z.array(z.string()).describe('The last lines of its output.'),
    })
    .nullable()
    .default(null)
    .describe('Of a run that failed, or of which some tasks failed: what failed first.'),
  live: z.array(LiveAttempt).describe(`Running attempts, at most ${MOST_LIVE} of them.`),
  liveCount: z.number().int().describe('Number of all running attempts.'),
  activity: z.array(Activity).describe('What the engine does for it now, besides its agents.'),
  unread: z.boolean().describe('It ended, or began to wait for a person, after it was last read.'),
});
export type RunOverview = z.infer<typeof RunOverview>;

/** An item of `watch-runs`: the current state of a run, a removed run, or the end of the initial list. */
export const RunsItem = z.union([
  z.object({ position: z.number().int(), run: RunOverview }),
  z.object({ position: z.number().int(), removed: z.string() }),
  z.object({ position: z.number().int(), ready: z.literal(true) }),
]);
export type RunsItem = z.infer<typeof RunsItem>;

/** The columns of the board, from left to right. */
export const BoardColumn = z.enum(['queued', 'running', 'needs you', 'done', 'landed', 'failed']);
export type BoardColumn = z.infer<typeof BoardColumn>;

/** A task as the board shows it. */
export const BoardTask = z.object({
  task: z.string(),
  label: TaskLabel,
  title: z.string(),
  role: z.string(),
  track: z.string().nullable(),
  status: TaskOverviewStatus,
  agent: z.string().nullable().describe('The agent of its last attempt, before the first the one that it requests.'),
  attempts: z.number().int(),
  priority: z.number().int(),
  reason: z.string().nullable().describe('Why it waits, failed or was skipped.'),
  what: AttentionDocument.shape.what.nullable().describe('What a person has to decide, if anything.'),
  at: z.number().describe('Since when it is in its column, in milliseconds since 1970.'),
});
export type BoardTask = z.infer<typeof BoardTask>;

/** The tasks of a run by column: how many there are, and the first of them. */
export const BoardRun = z.object({
  run: z.string(),
  version: z.number().int(),
  agents: z.array(z.string()).describe('All agents of its tasks.'),
  counts: z.partialRecord(BoardColumn, z.number().int()).describe('Empty columns are omitted.'),
  tasks: z
    .partialRecord(BoardColumn, z.array(BoardTask))
    .describe('Queued ones in the order of their turn, those of other columns with the latest first.'),
});
export type BoardRun = z.infer<typeof BoardRun>;
