import type { Origin } from '../../schema/actor.ts';
import type { CallKind, CallTry } from '../../schema/call.ts';
import type { HealthSign } from '../../schema/config/health.ts';
import type { CommandNetworkUse, NetworkUse } from '../../schema/containment.ts';
import type { Question } from '../../schema/coordination/question.ts';
import type { RunEnd } from '../../schema/coordination/sub-run.ts';
import type {
  Hold,
  HoldId,
  ProcessRecord,
  RunStart,
  SavedWork,
  UnsavedAttempt,
  WorkspaceChanges,
} from '../../schema/event.ts';
import type { Failure } from '../../schema/failure.ts';
import type { Evidence } from '../../schema/gate.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { TaskMessage } from '../../schema/message.ts';
import type { RiskFlag } from '../../schema/risk.ts';
import type { TaskSpec, Tier, WorkStart } from '../../schema/task.ts';
import type { Spend, UnknownUsage, Usage } from '../../schema/usage.ts';
import type { ReadyQueue } from '../schedule/queue.ts';
import type { KeptEvidence } from './evidence-output.ts';
import type { SubRunState } from './sub-run-state.ts';

/** Names the fold that makes this state: a snapshot made by another one is not used. Change it with any change of meaning. */
export const EVOLVE_CODEC = 'run-11';

/** A merge of a task's work with the branch, as it would land. */
export type Candidate = { commit: string; base: string; tree: string };

/** A hold that waits for its answer. */
export type OpenHold = Hold & { id: HoldId };

/** The answer to a hold: approved (with an option, if it has several) or rejected, with its origin and note. */
export type HoldAnswer = {
  hold: HoldId;
  task: TaskKey | null;
  what: Hold['what'];
  subject: string | null;
  choice: 'approve' | 'reject';
  option: string | null;
  note: string | null;
  at: number;
  origin: Origin | null;
};

/** The phase of a task. Each variant has only the fields that are valid in it. */
export type TaskPhase =
  | { status: 'waiting' }
  | { status: 'ready'; notBefore: number }
  /** With `unsaved` its attempt has finished, and only its conclusion is missing. */
  | { status: 'running'; attempt: number; unsaved?: UnsavedAttempt }
  | { status: 'analyzing'; analysis: TaskKey }
  | { status: 'landing'; commit: string; ref: string; approved: boolean; verified: boolean }
  | { status: 'verifying'; verifier: TaskKey; candidate: Candidate; commit: string; ref: string; approved: boolean }
  | { status: 'conflicted'; resolver: TaskKey; commit: string; onto: string; files: string[] }
  | { status: 'held'; hold: OpenHold; commit: string; ref: string }
  | {
      status: 'blocked';
      reason: string;
      nextStep: string;
      landing: { commit: string; ref: string } | null;
      unsaved?: UnsavedAttempt;
    }
  | { status: 'done'; at: number; commit: string | null; reason: string }
  | { status: 'failed'; at: number; reason: string; failure: Failure | null }
  | { status: 'skipped'; at: number; reason: string }
  | { status: 'cancelled'; at: number; reason: string; withdrawn?: true };
export type TaskStatus = TaskPhase['status'];

/** One attempt at a task. */
export type AttemptState = {
  number: number;
  agent: string;
  /** The login it uses, where the agent has several. */
  account: string | null;
  tier: Tier | null;
  because: string;
  base: string;
  reservation: Spend;
  startedAt: number;
  process: ProcessRecord | null;
  usage: Usage;
  session: string | null;
  /** The host that performs it; absent where the engine itself does. */
  host?: string;
  warnings: { sign: HealthSign; message: string; at: number; dismissed: boolean }[];
  ended: {
    at: number;
    summary: string;
    output: unknown;
    failure: Failure | null;
    saved: SavedWork | null;
    flags: RiskFlag[];
    /** What it requested of the network, where that was its own. */
    network?: NetworkUse;
    /** The evidence of the gates for its work, once another attempt has started; passed gates without their output. */
    evidence?: Evidence[];
    /** Why its work was not accepted, where the agent itself did not fail: a check, a verification or a person. */
    rejected?: string;
  } | null;
};

/** A message of a person to the agent of a task. */
export type SentMessage = TaskMessage & {
  at: number;
  /** How many attempts there were when it was sent: later ones receive it. */
  after: number;
  /** The session that has received it, if any. */
  session: string | null;
};

/** A question of an agent to a person. */
export type QuestionState = Question & {
  attempt: number;
  call: string;
  at: number;
  answer: { text: string; byDefault: boolean; at: number; origin: Origin | null } | null;
  /** It is answered, and its agent has not received the answer yet. */
  isUndelivered?: boolean;
};

export type TaskState = {
  /** Position in the run, from 1: a name that git and file systems accept. */
  ordinal: number;
  spec: TaskSpec;
  /** The task that had ended last when this one was added, which is why the recipe added it. */
  follows: TaskKey | null;
  /** How many of its needs are not done yet. */
  missing: number;
  attempts: AttemptState[];
  /** Failures that count against its cap, and those that do not. */
  counted: number;
  free: number;
  /** The evidence of the last attempt's failure for the next prompt. */
  lesson: string | null;
  /** Whether the next attempt continues the session of the last one. */
  resume: boolean;
  /** Where the next attempt begins, if not at the branch's tip. */
  from: WorkStart | null;
  /** What a person decided about changes of another user or process in its workspace; valid for the next attempt. */
  changes?: WorkspaceChanges;
  /** The messages to its agents, the oldest first. */
  messages: SentMessage[];
  /** The questions of its agents, the oldest first; absent before the first. */
  questions?: QuestionState[];
  /** Why a person interrupted the running attempt: another one follows, whatever its result. */
  interrupt: 'message' | 'requeue' | 'cancel' | null;
  /** Why it is being cancelled, until its attempt has ended. */
  cancelReason?: string;
  /** The number of verifications of its work, and the report of the last failed one. */
  verifications: number;
  /** The number of verifications since a person retried it, which is capped. */
  rounds: number;
  report: string | null;
  /** The latest evidence of each gate for this task's work. */
  evidence: KeptEvidence[];
  /** The evidence of the previous attempt's work that was not a pass or has findings, until a gate of the current attempt has ended. */
  earlierEvidence?: KeptEvidence[];
  phase: TaskPhase;
};

/** A small call of a run: its cost is reserved when it starts and charged when it ends. */
type CallState = {
  kind: CallKind;
  about: TaskKey | null;
  reservation: Spend;
  startedAt: number;
  ended: { at: number; by: string | null; answer: unknown; tries: CallTry[] } | null;
};

type RunLifecycle =
  | { kind: 'running' }
  | { kind: 'held'; hold: OpenHold }
  | { kind: 'cancelling'; reason: string; force: boolean }
  | { kind: 'ended'; status: RunEnd; reason: string; at: number };

/** The state of a run: a fold of its events, plain JSON. */
export type RunState = {
  version: number;
  startedAt: number;
  updatedAt: number;
  start: RunStart;
  status: RunLifecycle;
  /** How holds of the run and of its tasks were answered, the oldest first. */
  answers: HoldAnswer[];
  tasks: Record<TaskKey, TaskState>;
  lastEnded: TaskKey | null;
  order: TaskKey[];
  /** The order of tasks that a person set; other tasks follow in the order in which they were added. */
  sequence: TaskKey[];
  dependents: Record<TaskKey, TaskKey[]>;
  ready: ReadyQueue;
  /** Ready tasks that must wait for a time. */
  delayed: Record<TaskKey, number>;
  running: Record<TaskKey, number>;
  /** Tasks whose work waits to land, in the order of their completion. */
  landing: Record<TaskKey, true>;
  counts: Record<TaskStatus, number>;
  spent: Spend;
  unknownUsage?: UnknownUsage;
  spentBy: Record<string, number>; // US dollars by agent, as its spending caps count them
  /** Consecutive crashes or stalls of each agent. */
  crashes: Record<string, number>;
  reserved: Spend;
  /** Small calls by name, and how many of them are open. */
  calls: Record<string, CallState>;
  openCalls: number;
  /** The runs that its agents started, the oldest first; absent before the first. */
  subRuns?: SubRunState[];
  /** The most parallel attempts; may be changed during the run. */
  maxParallel: number;
  /** How many calls of its agents were refused; absent before the first. */
  refusedCalls?: number;
  /** The tasks of open questions, by the ids of these; absent before the first. */
  openQuestions?: Record<string, TaskKey>;
  /** Attempts so far, over all tasks. */
  attempts: number;
  /** The run branch: its tip, the tree there, whether every task's gates passed on it. */
  tip: { commit: string; tree: string | null };
  /** What its set-up commands and checks requested of the network; absent before its end, and where they had that of the machine. */
  network?: CommandNetworkUse[];
  baseEvidence: Evidence[] | null;
  /** Checks that failed on the base so far, while its checks run; absent before the first failure. */
  baseFailures?: Evidence[];
  /** The latest evidence of each gate for the merge of the run's branch with the base. */
  landingEvidence: KeptEvidence[];
  /** Passed evidence by tree and gate definition: a check that passed is not repeated. */
  proven: Record<string, KeptEvidence>;
  pushed: string | null;
  landed: {
    branch: string;
    commit: string;
    how: string;
    url: string | null;
    tip: string | null;
    /** The pull requests of this tip, each with the commit that it proposes. */
    pullRequests?: { url: string; commit: string }[];
  } | null;
  /** The commit that reverts the landing. */
  undone: { branch: string; commit: string; at: number } | null;
  /** Tracks that start nothing, with the reason; the empty name is the whole run. */
  paused: Record<string, string>;
  /** Environment failures in a row, by track. */
  environmentFailures: Record<string, number>;
  /** Tasks that were done and must be done again. */
  invalidated: TaskKey[];
  /** Why a person ended it with what has landed; absent unless one did. */
  wrapUp?: string;
};

export const OPEN_STATUSES = [
  'waiting',
  'ready',
  'running',
  'analyzing',
  'landing',
  'verifying',
  'conflicted',
  'held',
  'blocked',
] as const satisfies readonly TaskStatus[];

/** How many tasks have not ended. */
export function openTasks(state: RunState): number {
  return OPEN_STATUSES.reduce((sum, status) => sum + state.counts[status], 0);
}

export function isOpen(task: TaskState): boolean {
  return OPEN_STATUSES.some((status) => status === task.phase.status);
}

/** The current attempt of a task, or its last one. */
export function lastAttempt(task: TaskState): AttemptState | undefined {
  return task.attempts.at(-1);
}

/** The risks of a task's work, from its last attempt and the checks of its candidate; every view lists these. */
export function flagsOf(task: TaskState): RiskFlag[] {
  const found = task.evidence.flatMap(({ flags = [], stale }) => (stale === true ? [] : flags));
  const all = [...(lastAttempt(task)?.ended?.flags ?? []), ...found];
  return [...new Map(all.map((flag) => [`${flag.risk} ${flag.detail}`, flag])).values()];
}

/** The key of passed evidence: the tree and the definition of the gate, which covers the set-up's commands and the tools. */
export function proofKey(evidence: Pick<Evidence, 'tree' | 'definition'>): string {
  return `${evidence.tree} ${evidence.definition}`;
}

/** Whether the current tip of the run branch has landed on the base. */
export function hasLanded({ landed, tip }: RunState): boolean {
  return landed !== null && (landed.tip === null || landed.tip === tip.commit);
}

/** Whether the current result has landed and that was not undone. */
export function isLanded(state: RunState): boolean {
  return hasLanded(state) && state.undone === null;
}
