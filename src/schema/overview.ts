import { z } from 'zod';
import { AttentionDocument, RunDocument, RunSummary } from './document.ts';
import { HealthSign } from './health.ts';
import { Tier } from './task.ts';

/** How a task stands, in one word. */
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

/** An attempt that is under way, and the last that was heard of it. */
export const LiveAttempt = z.object({
  task: z.string(),
  title: z.string(),
  role: z.string(),
  attempt: z.number().int(),
  agent: z.string(),
  account: z.string().nullable(),
  tier: Tier.nullable(),
  startedAt: z.number().describe('Milliseconds since 1970, as all times of this object.'),
  lastSignAt: z.number().describe('When it was last heard.'),
  activity: z.string().nullable().describe('The last meaningful thing it did, one line of at most 200 characters.'),
  costUsd: z.number().nullable().describe('What it has cost so far, where its agent tells.'),
  turns: z.number().int(),
  warnings: z.array(z.object({ sign: HealthSign, message: z.string(), at: z.number() })),
  terminal: z.boolean().describe('Whether it has a terminal that can be watched and typed into.'),
});
export type LiveAttempt = z.infer<typeof LiveAttempt>;

/** Something that waits for a person, with since when. */
export const WaitingItem = AttentionDocument.extend({
  taskTitle: z.string().nullable(),
  since: z.string().describe('Since when it waits.'),
});
export type WaitingItem = z.infer<typeof WaitingItem>;

/** So many live attempts of a run are told one by one. */
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
  budget: z.number().nullable().describe('Most US dollars that it may spend.'),
  counts: z
    .partialRecord(TaskOverviewStatus, z.number().int())
    .describe('Tasks by how they stand; only those above 0.'),
  attention: z.array(WaitingItem),
  live: z.array(LiveAttempt).describe(`Attempts under way, at most ${MOST_LIVE} of them.`),
  liveCount: z.number().int().describe('All attempts under way.'),
  unread: z.boolean().describe('It settled, or began to wait for a person, after it was last read.'),
});
export type RunOverview = z.infer<typeof RunOverview>;

/** An item of `watch-runs`: a run as it stands now, one that is gone, or that the first list is complete. */
export const RunsItem = z.union([
  z.object({ position: z.number().int(), run: RunOverview }),
  z.object({ position: z.number().int(), removed: z.string() }),
  z.object({ position: z.number().int(), ready: z.literal(true) }),
]);
export type RunsItem = z.infer<typeof RunsItem>;
