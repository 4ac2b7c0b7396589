import { z } from 'zod';

/** What a benchmark asks of a model. */
export const BenchKind = z.enum(['code', 'review', 'security', 'long-context', 'multimodal']);
export type BenchKind = z.infer<typeof BenchKind>;

/** `error`: something else than the model went wrong, and nothing was learned about it. */
export const BenchVerdict = z.enum(['pass', 'fail', 'error']);
export type BenchVerdict = z.infer<typeof BenchVerdict>;

/** What became of one agent's work in one role of a run; `good` and `bad` count only what checks have decided. */
export const ModelOutcome = z.object({
  role: z.string(),
  agent: z.string(),
  model: z.string().nullable(),
  attempts: z.number().int().nonnegative(),
  good: z.number().int().nonnegative(),
  bad: z.number().int().nonnegative(),
  costUsd: z.number().nonnegative(),
});
export type ModelOutcome = z.infer<typeof ModelOutcome>;

/** One benchmark that was carried out. */
export const BenchResult = z.object({
  run: z.string(),
  kind: BenchKind,
  agent: z.string(),
  model: z.string().nullable(),
  verdict: BenchVerdict,
  reason: z.string(),
  costUsd: z.number().nonnegative(),
  durationMs: z.number().nonnegative(),
});
export type BenchResult = z.infer<typeof BenchResult>;

const Tally = z.object({ good: z.number().int(), bad: z.number().int() });

/** A line of `models scores`. */
export const ModelScore = z.object({
  role: z.string(),
  agent: z.string(),
  model: z.string().nullable(),
  ok: z.boolean().describe('Whether the agent could work here and now.'),
  score: z
    .number()
    .describe('From 0 to 1: how likely its work is good, as far as results tell; 0.5 means nothing is known.'),
  results: z.number().int().describe('How many verified results it rests on.'),
  counts: z.boolean().describe('Whether they are enough for routing to look at (routing.learnAfter).'),
  here: Tally.describe('Verified results in this project.'),
  elsewhere: Tally.describe('Verified results in other projects.'),
  bench: Tally.extend({ kind: BenchKind }).describe('Benchmarks of the kind that is nearest to the role.'),
  cost: z.number().describe('What its attempts in this role have cost.'),
  because: z.string(),
});
export type ModelScore = z.infer<typeof ModelScore>;

/** What a benchmark would ask, or asks, of an agent. */
export const BenchItem = z.object({
  agent: z.string(),
  model: z.string().nullable(),
  kind: BenchKind,
  task: z.string(),
  runs: z.boolean().describe('Whether it is carried out.'),
  reason: z.string().nullable().describe('Why it is not, for example: not supported.'),
  estimate: z.number().nullable().describe('What it will probably cost, where that can be told.'),
  most: z.number().describe('What it may cost at most.'),
  run: z.string().nullable().describe('The run that carries it out, once it is started.'),
});
export type BenchItem = z.infer<typeof BenchItem>;

/** Who a role would get, and in which order the others follow. */
export const RoutePlan = z.object({
  role: z.string(),
  agent: z.string().nullable(),
  account: z.string().nullable(),
  model: z.string().nullable(),
  because: z.string(),
  order: z.array(z.string()),
});
export type RoutePlan = z.infer<typeof RoutePlan>;
