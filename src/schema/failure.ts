import { z } from 'zod';

/** Every kind of failure of an attempt; `failures/` has one file for each: how it is recognised and handled. */
export const FailureKind = z.enum([
  'rate-limit',
  'usage-limit',
  'overloaded',
  'auth',
  'billing',
  'model-not-found',
  'context-full',
  'network',
  'environment',
  'tests',
  'verification',
  'stalled',
  'timeout',
  'crashed',
  'killed',
  'out-of-memory',
  'too-many-processes',
  'disk-full',
  'conflict',
  'budget',
  'refused',
  'no-change',
  'bad-output',
  'implementation',
  'interrupted',
  'session-lost',
  'unknown',
]);
export type FailureKind = z.infer<typeof FailureKind>;

/** The limits that end an attempt or keep a task from starting. */
export const FailureLimit = z.enum([
  'turns',
  'cost',
  'output',
  'run-attempts',
  'run-budget',
  'project-budget',
  'recovery-budget',
  'deadline',
]);
export type FailureLimit = z.infer<typeof FailureLimit>;

/** A failure as recorded: what kind, in one sentence for a person, and the evidence a next attempt is shown. */
export const Failure = z.object({
  kind: FailureKind,
  message: z.string(),
  evidence: z.string().optional(),
  resetAt: z.number().optional(),
  /** A part of the names of the rate-limited models; absent if the limit is on the whole account. */
  family: z.string().optional(),
  /** The limit that ended it, so that the next step can raise exactly this one. */
  limit: FailureLimit.optional(),
  /** Changed files outside the task's scope, if that is the only reason for the failure. */
  outside: z.array(z.string()).optional(),
  /** The tool that the agent was not allowed to use, if that is why nothing changed. */
  denied: z.string().optional(),
  /** The workspace that another user or process changed, if that is why the attempt did not start. */
  workspace: z.string().optional(),
});
export type Failure = z.infer<typeof Failure>;

/** What follows a failure. `free` retries do not count against the task's cap (the task did not cause an interruption). */
export const FollowUp = z.discriminatedUnion('action', [
  z.object({ action: z.literal('retry'), delayMs: z.number().nonnegative(), resume: z.boolean(), free: z.boolean() }),
  z.object({ action: z.literal('switch'), limitedUntil: z.number(), reason: z.string() }),
  z.object({ action: z.literal('block'), reason: z.string() }),
  z.object({ action: z.literal('fail') }),
]);
export type FollowUp = z.infer<typeof FollowUp>;
