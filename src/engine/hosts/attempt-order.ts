import { z } from 'zod';
import type { RunState } from '../../core/run/state.ts';
import type { Digest } from '../../risks/risk.ts';
import { NetworkUse } from '../../schema/containment.ts';
import { RunEvent, SavedWork } from '../../schema/event.ts';
import { Failure } from '../../schema/failure.ts';
import { TaskKey } from '../../schema/ids.ts';
import { Usage } from '../../schema/usage.ts';

/** Where the commits of an order are, and which it needs. */
export const GitSource = z.object({
  url: z.string(),
  objectFormat: z.enum(['sha1', 'sha256']),
  commits: z.array(z.string()),
  /** For the repository of the server: it fetches these, and adds the work of an attempt, nothing else. */
  token: z.string().optional(),
});

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
  /** What the agent had spent on the day of the order, which ends at `until`: its daily cap holds while the leader is away. */
  spentToday: z.object({ usd: z.number(), until: z.number() }).optional(),
  /** The package registries and the forge of the project, which its attempts may reach; a host has no remote of it. */
  projectHosts: z.array(z.string()).optional(),
  git: GitSource,
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
  at: z.number().int(),
  kind: z.string(),
  text: z.string(),
  data: z.unknown().optional(),
});

const Cursor = z.object({
  file: z.enum(['stdout', 'stderr']),
  offset: z.number().int().nonnegative(),
  generation: z.number().int().nonnegative().default(0),
});

/** Rows of a transcript, with how far its files are read and what was used until then. */
export const TranscriptReport = z.object({
  kind: z.literal('transcript'),
  rows: z.array(Row),
  cursors: z.array(Cursor),
  usage: z.unknown().optional(),
});

/** The result of the agent of an attempt, as its host saw it. */
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

/** A call of a tool, with its id, by which a repeated call has the same effect once; without arguments that are too long. */
export const ToolCall = z.object({
  tool: z.string().max(200),
  call: z.string().min(1).max(100),
  arguments: z.record(z.string(), z.unknown()).optional(),
});
export type ToolCall = z.infer<typeof ToolCall>;

/** The answer of a call: its value, or the error of the tool. */
export const ToolAnswer = z.object({
  kind: z.literal('answer'),
  number: z.number().int(),
  value: z.unknown().optional(),
  error: z.object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()) }).optional(),
});
export type ToolAnswer = z.infer<typeof ToolAnswer>;

/** A host of a newer release may record events that this one does not know. */
const KnownEvents = z
  .array(z.looseObject({ type: z.string() }))
  .transform((events) => events.filter(({ type }) => isEventType(type)))
  .pipe(z.array(RunEvent));

/** What a host reports about an attempt. */
export const AttemptReport = z.discriminatedUnion('kind', [
  TranscriptReport,
  /** Asks for the values of variables, once for each order. */
  z.object({ kind: z.literal('secrets') }),
  z.object({ kind: z.literal('events'), events: KnownEvents }),
  /** Calls a tool; `number` counts the calls of the attempt, `request` is what the agent sent without its token. */
  z.object({ kind: z.literal('call'), number: z.number().int(), request: ToolCall }),
  /** Nobody waits for the answer of a call any more. */
  z.object({ kind: z.literal('call-ended'), number: z.number().int() }),
  z.object({
    kind: z.literal('ended'),
    outcome: ReportedOutcome,
    saved: SavedWork.optional(),
    network: NetworkUse.optional(),
    isUnread: z.boolean().optional(),
  }),
]);
export type AttemptReport = z.infer<typeof AttemptReport>;

/** A report that was read; `unknown`: only a newer release knows its kind; `unreadable`: its kind is known, its content is not what this release expects. */
type ReadReport = AttemptReport | { kind: 'unknown' } | { kind: 'unreadable'; isEnd: boolean };

/** Reads what a host sent as a report. */
export function readReport(body: unknown): ReadReport {
  const report = AttemptReport.safeParse(body);
  if (report.success) return report.data;
  if (isOfUnknownKind(body, AttemptReport)) return { kind: 'unknown' };
  return { kind: 'unreadable', isEnd: kindOf(body) === 'ended' };
}

/** Whether only another release knows the kind of a report. */
export function isOfUnknownKind(
  body: unknown,
  { options }: { options: readonly { shape: { kind: { value: string } } }[] },
): boolean {
  const kind = kindOf(body);
  return kind !== undefined && !options.some(({ shape }) => shape.kind.value === kind);
}

function kindOf(body: unknown): string | undefined {
  return z.object({ kind: z.string() }).safeParse(body).data?.kind;
}

function isEventType(type: string): boolean {
  return RunEvent.options.some(({ shape }) => shape.type.value === type);
}

/** What the leader tells a host about an attempt that it performs. */
export const AttemptCommand = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('stop'), force: z.boolean(), reason: z.string() }),
  /** Values of variables, encrypted for the process that asked. */
  z.object({ kind: z.literal('secrets'), sealed: z.string() }),
  ToolAnswer,
  /** Another leader continues with the attempt: calls that are not answered are sent again. */
  z.object({ kind: z.literal('repeat-calls') }),
]);
export type AttemptCommand = z.infer<typeof AttemptCommand>;
