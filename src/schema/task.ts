import { z } from 'zod';
import { Labels } from './config/hosts.ts';
import { GateSpec } from './gate.ts';
import { TaskKey } from './ids.ts';

export const Access = z.enum(['read', 'write']);
export type Access = z.infer<typeof Access>;

export const Tier = z.enum(['light', 'standard', 'heavy']);
export type Tier = z.infer<typeof Tier>;

/** `analyze` lets the `analyze` role examine the failure before the next attempt; `same` retries with the evidence. */
export const RetryPolicy = z.enum(['none', 'same', 'analyze']);
export type RetryPolicy = z.infer<typeof RetryPolicy>;

export const Retry = z.object({
  policy: RetryPolicy.default('same'),
  attempts: z.number().int().min(1).max(20).default(3),
  delayMs: z.number().int().nonnegative().default(5_000),
});
export type Retry = z.infer<typeof Retry>;

/** How excessive output is handled; by default the attempt is stopped at the limit and all output until then is kept. */
export const OutputRules = z.object({
  softBytes: z.number().int().positive().optional(),
  onMax: z.enum(['stop', 'truncate']).optional(),
  finalOnly: z.boolean().optional(),
});
export type OutputRules = z.infer<typeof OutputRules>;

/** Output above this size causes a warning about the attempt. */
export const SOFT_OUTPUT_BYTES = 16 * 1024 * 1024;

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
  output: OutputRules.optional(),
});
export type TaskLimits = z.infer<typeof TaskLimits>;

/** Where an attempt begins: the commit it starts from, and the one its changes are compared with. */
export const WorkStart = z.object({ commit: z.string(), base: z.string() });
export type WorkStart = z.infer<typeof WorkStart>;

/** The application under verification: it runs during an attempt, on a port leased for it. */
export const Serve = z.object({
  run: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
  readyMs: z.number().int().positive().default(60_000),
  /** The URL to open; `{port}` is replaced by the leased port. */
  url: z.string().default('http://127.0.0.1:{port}'),
});
export type Serve = z.infer<typeof Serve>;

/** How another agent, which may not edit, verifies a task's work on the merged candidate before it may land. */
export const Verification = z.object({
  role: z.string(),
  prompt: z.string(),
  /** The statements to verify; each must pass. */
  steps: z.array(z.string()).default([]),
  agent: z.string().optional(),
  /** The maximum number of verifications; when the last one fails, the task fails. */
  rounds: z.number().int().min(1).max(20),
  /** The role of the attempts that follow a failed verification. */
  fixRole: z.string(),
  limits: TaskLimits,
  serve: Serve.optional(),
});
export type Verification = z.infer<typeof Verification>;

/** Which of two ready tasks starts first: the higher one. */
export const Priority = z.number().int().min(-10).max(10);

/** Who requested a task: a person, the recipe (the default), or the agent of another task. */
const TaskRequester = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('person') }),
  z.object({ kind: z.literal('recipe') }),
  z.object({ kind: z.literal('task'), task: TaskKey, call: z.string().optional() }),
]);

/** A session with the agent and the login that it belongs to. */
export const SessionOf = z.object({ agent: z.string(), account: z.string().nullable(), id: z.string() });

/** A task as a recipe requests it. Recorded specs are final: a known key with another spec is an error. */
export const TaskSpec = z.object({
  key: TaskKey,
  title: z.string().min(1).max(200),
  /** Its name in the user's work file; commands accept it instead of the key. */
  name: z.string().max(100).optional(),
  role: z.string().regex(/^[a-z][a-z0-9-]*$/),
  needs: z.array(TaskKey).default([]),
  prompt: z.string(),
  agent: z.string().optional(),
  tier: Tier.optional(),
  /** Labels that its host must have, besides those of its run and its role. */
  labels: Labels.optional(),
  access: Access,
  workspace: TaskKey.optional(),
  /** The task whose merge conflict this one resolves: landing it lands both. */
  resolves: TaskKey.optional(),
  /** The task whose failure this one examines before the next attempt. */
  analyzes: TaskKey.optional(),
  /** The schema of its structured output, instead of that of its role. */
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  /** Who verifies its work before it may land. */
  verify: Verification.optional(),
  /** The task whose work this one verifies: its verdict lands that work or sends it back. */
  verifies: TaskKey.optional(),
  /** The task whose agent gets this one only if no other is available. */
  avoidsAgentOf: TaskKey.optional(),
  /** The first attempts of all tasks of this name start at once, or none of them does. */
  together: z.string().max(100).optional(),
  /** Each attempt after a failure that counts gets a heavier tier. */
  escalates: z.boolean().optional(),
  /** Where its first attempt begins, if not at the branch's tip. */
  from: WorkStart.optional(),
  serve: Serve.optional(),
  /** Its recipe requests it again, as another task of the same name, when a task that it depends on is done again. */
  renewed: z.boolean().optional(),
  /** The track it belongs to: tracks are paused and started one by one. */
  track: z.string().optional(),
  /** Its agent works in a terminal, in which a person can type. */
  interactive: z.boolean().optional(),
  /** It starts only when the current tip of the run's branch has landed on the base. */
  afterLanding: z.boolean().optional(),
  /** The branch of the user's repository that shows its work when it did not land. */
  branch: z.string().optional(),
  gates: z.array(GateSpec).default([]),
  retry: Retry,
  limits: TaskLimits,
  priority: Priority.default(0),
  notBefore: z.number().optional(),
  /** It starts from the base at its own start, not at the start of the run. */
  fresh: z.boolean().optional(),
  /** Its work is saved and never landed when this is false. */
  lands: z.boolean().optional(),
  /** The task whose last session its first attempt continues, if the same agent runs it. */
  continues: TaskKey.optional(),
  /** The session of an attempt of another run that its first attempt continues, if it has the same agent and login. */
  session: SessionOf.optional(),
  requestedBy: TaskRequester.optional(),
  /** Its failure does not fail the run. */
  optional: z.boolean().optional(),
  /** It reviews the result of the run: without budget or time for it the run is done and not reviewed. */
  reviewsResult: z.boolean().optional(),
  /** Why its recipe requested it, where that is a decision. */
  because: z.string().max(2_000).optional(),
  /** Other runs (`run`) or their tasks (`run/task`) that must be done first. */
  after: z.array(z.string()).optional(),
});
export type TaskSpec = z.infer<typeof TaskSpec>;

/** What a person may change about a task that has not started. */
export const TaskEdit = z.object({
  title: z.string().min(1).max(200).optional(),
  prompt: z.string().min(1).optional(),
  needs: z.array(TaskKey).optional(),
  priority: Priority.optional(),
  agent: z.string().optional(),
});
export type TaskEdit = z.infer<typeof TaskEdit>;
