import { z } from 'zod';
import { Origin } from './actor.ts';
import { CallKind, CallTry } from './call.ts';
import { HealthSign } from './config/health.ts';
import { LandMode } from './config/land.ts';
import { withPresentNames } from './config/recorded.ts';
import { Config } from './config.ts';
import { CommandNetworkUse, ContainmentRecord, NetworkUse } from './containment.ts';
import { HoldOption } from './coordination/hold-option.ts';
import { Answer, Question, QuestionId } from './coordination/question.ts';
import { ParentTask, RunEnd, SubRunChanged, SubRunEnded, SubRunStarted } from './coordination/sub-run.ts';
import { Failure } from './failure.ts';
import { Evidence } from './gate.ts';
import { ProjectName, RunId, TaskKey } from './ids.ts';
import { TaskMessage } from './message.ts';
import { BenchKind, BenchResult, ModelOutcome } from './model.ts';
import { BatchStart, RunSettingsChange } from './request.ts';
import { RiskFlag } from './risk.ts';
import { Priority, TaskEdit, TaskSpec, Tier, WorkStart } from './task.ts';
import { Spend, Usage } from './usage.ts';

/** Settings as recorded with a run; keys that were renamed since are read under their current name. */
const RecordedConfig = z.preprocess(withPresentNames, Config);

/** A hold's id within its run, such as `h12`. */
export const HoldId = z.string().regex(/^h\d+$/);
export type HoldId = z.infer<typeof HoldId>;

const AttemptRef = { task: TaskKey, attempt: z.number().int().positive() };

/** Who and what a run is; pinned when it starts and never changed. */
export const RunStart = z.object({
  run: RunId,
  title: z.string(),
  /** `folder`: what the user named, where it is no repository and `root` holds a snapshot of it. */
  project: z.object({ id: z.string(), root: z.string(), folder: z.string().optional() }),
  recipe: z.object({ name: z.string(), version: z.number().int() }),
  input: z.unknown(),
  /** `create`: the branch is made when the run first lands on it. */
  base: z.object({ branch: z.string().nullable(), commit: z.string(), create: z.boolean().optional() }),
  land: LandMode,
  config: RecordedConfig,
  roles: z.record(z.string(), z.string()),
  agents: z.record(z.string(), z.string()),
  /** When it stops: nothing starts from then on, and running attempts are ended. In milliseconds since 1970. */
  deadline: z.number().optional(),
  /** The maximum number of rounds, whatever a round of its recipe is. */
  maxIterations: z.number().int().min(1).optional(),
  /** Each landing on the run branch is merged into the base at once. */
  landEach: z.boolean().optional(),
  /** Agents that were unusable when the run started, and why: they are skipped while others are available. */
  unable: z.record(z.string(), z.string()).optional(),
  /** For roles with enough verified results: the agents that the user did not order, the best first. */
  ranking: z.record(z.string(), z.object({ agents: z.array(z.string()), because: z.string() })).optional(),
  /** The benchmark that this run executes, and the folder whose settings apply to it. */
  bench: z.object({ kind: BenchKind, settings: z.string() }).optional(),
  parent: ParentTask.optional(),
});
export type RunStart = z.infer<typeof RunStart>;

/** How a process is found again: its identity, and the secret in the environment of its descendants. */
export const ProcessRecord = z.object({
  identity: z.object({ boot: z.string(), pidNamespace: z.string(), pid: z.number().int(), startTime: z.string() }),
  token: z.string(),
  containment: ContainmentRecord.optional().describe('Absent in records of earlier versions.'),
  terminal: z.enum(['tmux', 'pty']).optional().describe('How its terminal is provided, if it has one.'),
});
export type ProcessRecord = z.infer<typeof ProcessRecord>;

/** The work of an attempt as saved in the mirror; `head` is the agent's own HEAD. */
export const SavedWork = z.object({
  ref: z.string(),
  commit: z.string(),
  tree: z.string(),
  head: z.string(),
  changed: z.boolean(),
  checkedOut: z.string().optional().describe("The content of the workspace's HEAD: a branch, or a commit."),
});
export type SavedWork = z.infer<typeof SavedWork>;

/** What a person decided about changes of another user or process in a kept workspace. */
export const WorkspaceChanges = z.enum(['keep', 'discard']);
export type WorkspaceChanges = z.infer<typeof WorkspaceChanges>;

/** A finished attempt whose work could not be saved or checked; `stopped`: why the engine stopped its agent, if it did. */
const UnsavedAttempt = z.object({ stopped: Failure.optional() });
export type UnsavedAttempt = z.infer<typeof UnsavedAttempt>;

/** Something only a person can decide. */
export const Hold = z.object({
  what: z.enum(['plan', 'guard', 'risk', 'review', 'landing', 'base-red', 'gate', 'policy', 'trouble']),
  reason: z.string(),
  files: z.array(z.string()).default([]),
  /** The one command that resolves it, where answering the hold is not enough. */
  nextStep: z.string().optional(),
  /** What exactly is decided, such as the key of a plan or a commit: an approval covers this subject and no other. */
  subject: z.string().optional(),
  /** The answers to choose from, where approve and reject are not enough. */
  options: z.array(HoldOption).optional(),
});
export type Hold = z.infer<typeof Hold>;

const TaskEnd = z.enum(['done', 'failed', 'skipped', 'cancelled']);
function event<T extends string, S extends z.ZodRawShape>(type: T, shape: S) {
  return z.object({ type: z.literal(type), data: z.object(shape) });
}

/** Everything that can happen to a run. Folded by `evolve`; the output of agents is in transcripts, not in events. */
export const RunEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('run.started'), data: RunStart }),
  /** A check failed on the base for the first time; it is repeated, and `run.base-checked` records the result of all checks. */
  event('run.base-check-failed', { tree: z.string(), evidence: Evidence }),
  event('run.base-checked', { tree: z.string(), evidence: z.array(Evidence) }),
  event('run.held', { hold: Hold }),
  /** `hold` is the id of the hold that it answers; earlier versions recorded none. `option`: the chosen answer. */
  event('run.approved', { hold: HoldId.optional(), option: z.string().optional(), note: z.string().optional() }),
  event('run.rejected', { hold: HoldId, reason: z.string() }),
  event('run.titled', { title: z.string() }),
  /** A program of the run's attempts called an operation that agents must not call; the origin names the attempt. */
  event('run.call-refused', { operation: z.string() }),
  event('run.limited', { agents: z.number().int().min(1).max(150) }),
  /** A person changed recorded settings with a retry: of one task, or of the whole run. */
  event('run.settings-changed', RunSettingsChange.shape),
  /** `force`: agents are killed at once, without a chance to end by themselves. */
  event('run.cancelling', { reason: z.string(), force: z.boolean().optional() }),
  /** A person ends the run with what has landed: nothing new starts, open tasks are withdrawn. */
  event('run.wrapping-up', { reason: z.string() }),
  event('run.landed', {
    branch: z.string(),
    commit: z.string(),
    how: LandMode,
    url: z.string().optional(),
    /** The tip of the run branch that reached the base. */
    tip: z.string().optional(),
    /** The commit of the base before. */
    from: z.string().optional(),
  }),
  event('run.undone', { branch: z.string(), commit: z.string(), from: z.string(), reason: z.string() }),
  event('run.branch-removed', { branch: z.string(), commit: z.string(), ref: z.string() }),
  event('run.paused', { track: z.string().optional(), reason: z.string() }),
  event('run.unpaused', { track: z.string().optional() }),
  event('run.rewound', { commit: z.string(), tree: z.string(), reason: z.string() }),
  event('run.caught-up', { base: z.string(), commit: z.string(), tree: z.string() }),
  event('run.branch-pushed', { branch: z.string(), commit: z.string() }),
  event('run.reopened', { tasks: z.array(TaskKey), reason: z.string(), changes: WorkspaceChanges.optional() }),
  event('run.ended', {
    status: RunEnd,
    reason: z.string(),
    spend: Spend,
    network: z.array(CommandNetworkUse).optional(),
  }),
  event('subrun.started', SubRunStarted.shape),
  event('subrun.changed', SubRunChanged.shape),
  event('subrun.ended', SubRunEnded.shape),
  event('call.started', { call: z.string(), kind: CallKind, about: TaskKey.optional(), reservation: Spend }),
  event('call.ended', {
    call: z.string(),
    tries: z.array(CallTry),
    by: z.string().optional(),
    answer: z.unknown().optional(),
  }),
  event('tasks.added', { specs: z.array(TaskSpec) }),
  event('tasks.invalidated', { tasks: z.array(TaskKey), reason: z.string() }),
  /** Cancelled while the run continues: removed from a plan by a person, or withdrawn by the recipe. */
  event('tasks.cancelled', { tasks: z.array(TaskKey), reason: z.string() }),
  /** A person changed tasks that have not started, such as when they start. */
  event('tasks.edited', { changes: z.array(TaskEdit.extend({ task: TaskKey, notBefore: z.number().optional() })) }),
  /** The order in which tasks of the same priority start, as a person arranged it. */
  event('tasks.reordered', { tasks: z.array(TaskKey) }),
  event('task.prioritized', { task: TaskKey, priority: Priority }),
  event('attempt.started', {
    ...AttemptRef,
    agent: z.string(),
    account: z.string().optional(),
    tier: Tier.optional(),
    because: z.string(),
    base: z.string(),
    reservation: Spend,
    session: z.string().optional(),
    /** The host that performs it; absent where the engine itself does. */
    host: z.string().optional(),
  }),
  event('attempt.spawned', { ...AttemptRef, process: ProcessRecord }),
  event('attempt.warned', { ...AttemptRef, sign: HealthSign, message: z.string() }),
  event('attempt.warning-dismissed', { ...AttemptRef, sign: HealthSign }),
  event('attempt.used', { ...AttemptRef, usage: Usage }),
  event('attempt.ended', {
    ...AttemptRef,
    usage: Usage,
    saved: SavedWork.optional(),
    session: z.string().optional(),
    summary: z.string(),
    output: z.unknown().optional(),
    failure: Failure.optional(),
    flags: z.array(RiskFlag).optional(),
    network: NetworkUse.optional(),
  }),
  event('task.retrying', {
    task: TaskKey,
    at: z.number(),
    counted: z.boolean(),
    resume: z.boolean(),
    evidence: z.string(),
    from: WorkStart.optional(),
    analysis: TaskKey.optional(),
  }),
  event('task.messaged', {
    task: TaskKey,
    ...TaskMessage.shape,
    /** The task had stopped: its last session and workspace continue with the message. */
    goesOn: z.boolean(),
  }),
  event('task.asked', { ...AttemptRef, question: Question, call: z.string() }),
  event('task.answered', { task: TaskKey, ...Answer.shape }),
  event('task.answer-delivered', { task: TaskKey, question: QuestionId }),
  event('task.requeued', { task: TaskKey, reason: z.string() }),
  event('task.landing', { task: TaskKey, commit: z.string(), ref: z.string() }),
  event('task.proposed', {
    task: TaskKey,
    candidate: z.object({ commit: z.string(), base: z.string(), tree: z.string() }),
    verifier: TaskKey,
  }),
  event('task.verified', { task: TaskKey, verifier: TaskKey, passed: z.boolean(), report: z.string() }),
  event('check.started', { tasks: z.array(TaskKey), commit: z.string(), gate: z.string(), host: z.string() }),
  event('gate.ended', { tasks: z.array(TaskKey), commit: z.string(), evidence: Evidence }),
  event('task.conflicted', { task: TaskKey, onto: z.string(), files: z.array(z.string()), resolver: TaskKey }),
  event('task.held', { task: TaskKey, hold: Hold, commit: z.string() }),
  event('task.approved', {
    task: TaskKey,
    hold: HoldId.optional(),
    option: z.string().optional(),
    note: z.string().optional(),
  }),
  event('task.rejected', { task: TaskKey, hold: HoldId, reason: z.string() }),
  event('task.blocked', {
    task: TaskKey,
    reason: z.string(),
    nextStep: z.string(),
    /** The work that waits to land, when it is its landing that is blocked. */
    landing: z.object({ commit: z.string(), ref: z.string() }).optional(),
    /** Its last attempt has finished and is not yet saved: it is concluded from the kept workspace, and not run again. */
    unsaved: UnsavedAttempt.optional(),
  }),
  event('tasks.landed', { tasks: z.array(TaskKey), from: z.string(), commit: z.string(), tree: z.string() }),
  event('task.ended', { task: TaskKey, status: TaskEnd, reason: z.string(), failure: Failure.optional() }),
]);
export type RunEvent = z.infer<typeof RunEvent>;
export type RunEventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

/** What belongs to a project and to no single run. */
export const ProjectEvent = z.discriminatedUnion('type', [
  event('project.opened', { root: z.string() }),
  event('project.added', { name: ProjectName, remote: z.string() }),
  event('project.removed', {}),
  event('project.spent', { run: RunId, spend: Spend }),
  event('project.proved', { evidence: Evidence }),
  event('check.flaked', { run: RunId, gate: z.string(), tests: z.array(z.string()) }),
  event('collection.added', { name: z.string() }),
  event('collection.renamed', { name: z.string(), to: z.string() }),
  event('collection.removed', { name: z.string() }),
  event('collection.filed', { run: RunId, collection: z.string().nullable() }),
  event('run.hidden', { run: RunId }),
  event('run.unhidden', { run: RunId }),
  event('run.flagged', { run: RunId, note: z.string().optional() }),
  event('run.unflagged', { run: RunId }),
  event('run.read', { run: RunId, version: z.number().int().nonnegative() }),
  event('run.archived', { run: RunId }),
  event('run.restored', { run: RunId }),
  event('batch.started', BatchStart.shape),
  event('batch.item-started', { batch: z.string(), item: z.number().int().positive(), run: RunId }),
  event('batch.ended', { batch: z.string(), reason: z.string(), code: z.string().optional() }),
]);
export type ProjectEvent = z.infer<typeof ProjectEvent>;

/** The events of an account of an agent, such as a rate limit of its provider. */
export const AccountEvent = z.discriminatedUnion('type', [
  event('account.rested', { until: z.number(), reason: z.string(), family: z.string().optional() }),
]);
export type AccountEvent = z.infer<typeof AccountEvent>;

/** What is learned about models over all projects: the verified results of a run, recorded when it ends, and benchmarks. */
export const ModelEvent = z.discriminatedUnion('type', [
  event('model.judged', { run: RunId, project: z.string(), outcomes: z.array(ModelOutcome) }),
  event('model.benched', BenchResult.shape),
]);
export type ModelEvent = z.infer<typeof ModelEvent>;

/** An event as it is shown to a client; folded with the same `evolve`. */
export const ShownEvent = z.object({
  version: z.number().int(),
  at: z.number(),
  type: z.string(),
  data: z.unknown(),
  origin: Origin.optional().describe('Who caused it, through which entry point; absent for decisions of the engine.'),
});
export type ShownEvent = z.infer<typeof ShownEvent>;
