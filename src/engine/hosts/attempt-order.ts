import { z } from 'zod';
import type { RunState } from '../../core/run/state.ts';
import type { Digest } from '../../risks/risk.ts';
import { NetworkUse } from '../../schema/containment.ts';
import { RunEvent, SavedWork } from '../../schema/event.ts';
import { Failure } from '../../schema/failure.ts';
import { TaskKey } from '../../schema/ids.ts';
import { Usage } from '../../schema/usage.ts';

/** An order to perform an attempt, as the leader sends it: everything but secrets and commits. */
export const AttemptOrder = z.object({
  kind: z.literal('attempt'),
  /** The run as far as the attempt needs it; the event that started the attempt is folded in. */
  state: z.record(z.string(), z.unknown()).transform((state) => state as unknown as RunState),
  task: TaskKey,
  roles: z.record(z.string(), z.string()),
  /** What the prompt says besides the role and the task. */
  memory: z.string(),
  progress: z.string(),
  /** The last event of the run, which the message of its commit names. */
  head: z.object({ stream: z.string(), version: z.number(), hash: z.string() }).optional(),
  /** Whether the leader has values for its variables: the host asks for them when it starts, and keeps them in memory. */
  hasSecrets: z.boolean().default(false),
  /** Where its commits are, and which it needs. */
  git: z.object({ url: z.string(), objectFormat: z.enum(['sha1', 'sha256']), commits: z.array(z.string()) }),
});
export type AttemptOrder = z.infer<typeof AttemptOrder>;

/** Values of variables, by the setting that names them. */
export const Secrets = z.record(z.string(), z.record(z.string(), z.string()));

/** A row of a transcript as it crosses the network. */
const Row = z.object({
  attempt: z.string(),
  file: z.enum(['stdout', 'stderr', 'engine']),
  offset: z.number().int().nonnegative(),
  generation: z.number().int().nonnegative().default(0),
  at: z.number(),
  kind: z.string(),
  text: z.string(),
  data: z.unknown().optional(),
});

const Cursor = z.object({
  file: z.enum(['stdout', 'stderr']),
  offset: z.number().int().nonnegative(),
  generation: z.number().int().nonnegative().default(0),
});

/** What the agent of an attempt came to, as its host saw it. */
const ReportedOutcome = z.object({
  result: z.object({
    usage: Usage,
    session: z.string().optional(),
    text: z.string(),
    output: z.unknown().optional(),
    failure: Failure.optional(),
    answeredBy: z.array(z.string()).optional(),
  }),
  digest: z
    .record(z.string(), z.unknown())
    .transform((digest) => digest as unknown as Digest)
    .optional(),
  model: z.string().optional(),
  stopped: Failure.optional(),
  isOverCap: z.boolean().optional(),
  isEndUnknown: z.boolean().optional(),
});

/** What a host reports about an attempt. */
export const AttemptReport = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('transcript'),
    rows: z.array(Row),
    cursors: z.array(Cursor),
    usage: z.unknown().optional(),
  }),
  /** Asks for the values of variables, once for each order. */
  z.object({ kind: z.literal('secrets') }),
  z.object({ kind: z.literal('events'), events: z.array(RunEvent) }),
  z.object({
    kind: z.literal('ended'),
    outcome: ReportedOutcome,
    saved: SavedWork.optional(),
    network: NetworkUse.optional(),
    isUnread: z.boolean().optional(),
  }),
]);
export type AttemptReport = z.infer<typeof AttemptReport>;

/** What the leader tells a host about an attempt that it performs. */
export const AttemptCommand = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('stop'), force: z.boolean(), reason: z.string() }),
  /** Values of variables, encrypted for the process that asked. */
  z.object({ kind: z.literal('secrets'), sealed: z.string() }),
]);
export type AttemptCommand = z.infer<typeof AttemptCommand>;
