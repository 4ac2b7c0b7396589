import { z } from 'zod';

/** The kinds of benchmark. */
export const BenchKind = z.enum(['code', 'review', 'security', 'long-context', 'multimodal']);
export type BenchKind = z.infer<typeof BenchKind>;

/** `error`: the benchmark failed for a reason other than the model, so it gives no result. */
export const BenchVerdict = z.enum(['pass', 'fail', 'error']);
export type BenchVerdict = z.infer<typeof BenchVerdict>;

/** The outcome of one agent's work in one role of a run; `good` and `bad` count only what checks have decided. */
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

/** The result of one benchmark. */
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
  ok: z.boolean().describe('Whether the agent is usable in this environment now.'),
  score: z
    .number()
    .describe('From 0 to 1: the estimated probability that its work is good; 0.5 means nothing is known.'),
  results: z.number().int().describe('The number of verified results behind it.'),
  counts: z.boolean().describe('Whether they are enough for routing (routing.learnAfter).'),
  here: Tally.describe('Verified results in this project.'),
  elsewhere: Tally.describe('Verified results in other projects.'),
  bench: Tally.extend({ kind: BenchKind }).describe('Benchmarks of the kind closest to the role.'),
  cost: z.number().describe('The cost of its attempts in this role, in US dollars.'),
  because: z.string(),
});
export type ModelScore = z.infer<typeof ModelScore>;

/** One planned benchmark of an agent. */
export const BenchItem = z.object({
  agent: z.string(),
  model: z.string().nullable(),
  kind: BenchKind,
  task: z.string(),
  runs: z.boolean().describe('Whether it runs.'),
  reason: z.string().nullable().describe('Why it does not run, for example: not supported.'),
  estimate: z.number().nullable().describe('The estimated cost in US dollars, if known.'),
  most: z.number().describe('The maximum cost in US dollars.'),
  run: z.string().nullable().describe('The run that executes it, once started.'),
});
export type BenchItem = z.infer<typeof BenchItem>;

/** The agent that a role would get, and the order of the others. */
export const RoutePlan = z.object({
  role: z.string(),
  agent: z.string().nullable(),
  account: z.string().nullable(),
  model: z.string().nullable(),
  because: z.string(),
  order: z.array(z.string()),
});
export type RoutePlan = z.infer<typeof RoutePlan>;
