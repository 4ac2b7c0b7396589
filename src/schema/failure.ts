import { z } from 'zod';

/** Every way an attempt can go wrong; `failures/` has one file for each: how it is recognised and what follows. */
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
export const FailureLimit = z.enum(['turns', 'cost', 'output', 'run-attempts', 'run-budget', 'project-budget']);
export type FailureLimit = z.infer<typeof FailureLimit>;

/** A failure as recorded: what kind, in one sentence for a person, and the evidence a next attempt is shown. */
export const Failure = z.object({
  kind: FailureKind,
  message: z.string(),
  evidence: z.string().optional(),
  resetAt: z.number().optional(),
  /** A part of the names of the models that the provider closed; absent, the whole account is closed. */
  family: z.string().optional(),
  /** The limit that ended it, so that the next step can raise exactly this one. */
  limit: FailureLimit.optional(),
  /** Changed files outside of the task's scope, where a wider scope is all that is missing. */
  outside: z.array(z.string()).optional(),
});
export type Failure = z.infer<typeof Failure>;

/** What follows a failure. `free` retries do not count against the task's cap (an interruption is not its fault). */
export const FollowUp = z.discriminatedUnion('action', [
  z.object({ action: z.literal('retry'), delayMs: z.number().nonnegative(), resume: z.boolean(), free: z.boolean() }),
  z.object({ action: z.literal('switch'), restUntil: z.number(), reason: z.string() }),
  z.object({ action: z.literal('block'), reason: z.string() }),
  z.object({ action: z.literal('fail') }),
]);
export type FollowUp = z.infer<typeof FollowUp>;
