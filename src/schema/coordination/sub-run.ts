import { z } from 'zod';
import { RunId, TaskKey } from '../ids.ts';

/** How a run ended. */
export const RunEnd = z.enum(['done', 'unverified', 'partial', 'failed', 'cancelled']);
export type RunEnd = z.infer<typeof RunEnd>;

/** The task whose agent started a run, and how many levels that is below the run of a person. */
export const ParentTask = z.object({ run: RunId, task: TaskKey, depth: z.number().int().positive() });

/** An agent started another run, whose `run.started` is written in the same transaction. */
export const SubRunStarted = z.object({
  task: TaskKey,
  attempt: z.number().int().positive(),
  call: z.string(),
  run: RunId,
  title: z.string(),
  prompt: z.string(),
  /** What it may cost; absent where the run has no budget. */
  budgetUsd: z.number().optional(),
});

/** A sub-run began to wait for a person, or continues (null). */
export const SubRunChanged = z.object({ run: RunId, waitsFor: z.string().nullable() });

/** A sub-run ended; `commit` is its result, which is on its branch. */
export const SubRunEnded = z.object({
  run: RunId,
  status: RunEnd,
  reason: z.string(),
  costUsd: z.number(),
  commit: z.string().optional(),
});

/** Who started a sub-run, in its own document. */
export const SubRunParent = z
  .object({ run: z.string(), task: z.string() })
  .describe('For a sub-run: the run and the task whose agent started it.');

/** A sub-run in the document of its parent. */
export const SubRunDocument = z.object({
  run: z.string(),
  task: z.string().describe('The task whose agent started it.'),
  title: z.string(),
  status: z.string().describe('running, waiting (for a person), or how it ended.'),
  reason: z.string().nullable(),
  cost: z.number().nullable().describe('What it cost, once it has ended; not part of the cost of this run.'),
  budget: z.number().nullable().describe('What it may cost in US dollars; null without a budget.'),
  branch: z.string().nullable().describe('The branch with its result.'),
});
export type SubRunDocument = z.infer<typeof SubRunDocument>;
