import { z } from 'zod';
import { GateSpec } from './gate.ts';
import { TaskKey } from './ids.ts';

export const Access = z.enum(['read', 'write']);
export type Access = z.infer<typeof Access>;

export const Tier = z.enum(['light', 'standard', 'heavy']);
export type Tier = z.infer<typeof Tier>;

/** `analyze` lets the `analyze` role study the failure before the next attempt; `same` simply tries again with the evidence. */
export const RetryPolicy = z.enum(['none', 'same', 'analyze']);
export type RetryPolicy = z.infer<typeof RetryPolicy>;

export const Retry = z.object({
  policy: RetryPolicy.default('same'),
  attempts: z.number().int().min(1).max(20).default(3),
  delayMs: z.number().int().nonnegative().default(5_000),
});
export type Retry = z.infer<typeof Retry>;

/** Limits of one attempt. */
export const TaskLimits = z.object({
  inactivityMs: z.number().int().positive().default(300_000),
  runtimeMs: z.number().int().positive().default(3_600_000),
  turns: z.number().int().positive().optional(),
  costUsd: z.number().positive().optional(),
  outputBytes: z
    .number()
    .int()
    .positive()
    .default(256 * 1024 * 1024),
});
export type TaskLimits = z.infer<typeof TaskLimits>;

/** A task as a recipe asks for it. Recorded specs are final: a known key with another spec is an error. */
export const TaskSpec = z.object({
  key: TaskKey,
  title: z.string().min(1).max(200),
  role: z.string().regex(/^[a-z][a-z0-9-]*$/),
  needs: z.array(TaskKey).default([]),
  prompt: z.string(),
  agent: z.string().optional(),
  tier: Tier.optional(),
  access: Access,
  workspace: TaskKey.optional(),
  /** The task whose merge conflict this one settles: landing it lands both. */
  resolves: TaskKey.optional(),
  /** The task whose failure this one studies before the next attempt. */
  analyzes: TaskKey.optional(),
  gates: z.array(GateSpec).default([]),
  retry: Retry,
  limits: TaskLimits,
  priority: z.number().int().min(-10).max(10).default(0),
  notBefore: z.number().optional(),
  /** Its failure does not fail the run. */
  optional: z.boolean().optional(),
  /** Other runs (`run`) or their tasks (`run/task`) that must be done first. */
  after: z.array(z.string()).optional(),
});
export type TaskSpec = z.infer<typeof TaskSpec>;
