import type { AgentCapabilities } from '../agents/agent.ts';
import type { SendMessage } from '../core/attempt/decide-message.ts';
import type { ResultSnapshot } from '../core/finish/result-snapshot.ts';
import type { History } from '../core/models/history.ts';
import type { Ranking } from '../core/models/ranking.ts';
import type { ProjectState } from '../core/project/project-state.ts';
import type { RunState } from '../core/run/state.ts';
import type { SalvageItem } from '../operations/contracts/salvage-contracts.ts';
import type { OperationOutput } from '../operations/contracts.ts';
import type { Origin } from '../schema/actor.ts';
import type { FileChange } from '../schema/change.ts';
import type { AgentKind } from '../schema/config/agent.ts';
import type { LandMode } from '../schema/config/land.ts';
import type { Config } from '../schema/config.ts';
import type { ProcessRecord, ProjectEvent, RunEvent, ShownEvent } from '../schema/event.ts';
import type { Evidence } from '../schema/gate.ts';
import type { BenchKind } from '../schema/model.ts';
import type { PullRequest } from '../schema/pull-request.ts';
import type { StartRequest } from '../schema/request.ts';
import type { ReviewInput } from '../schema/review-input.ts';
import type { Template } from '../schema/template.ts';
import type { UndoResult } from '../schema/undo.ts';
import type { KeepPort } from './keep-interface.ts';
import type { FilesPort, OverviewPort, TranscriptsPort } from './view-interfaces.ts';

/** A row of what an agent said. */
export type TranscriptItem = { id: number; attempt: string; at: number; kind: string; text: string; data?: unknown };

/** `after` is the id of the last row seen; without names, of all attempts of the run. */
type TranscriptItemQuery = { run: string; attempts?: readonly string[]; after: number; limit: number };

/** Hears what is said in a run; events of the run rouse it too. */
export interface TranscriptListener extends Disposable {
  /** The rows since they were last taken, in order; undefined when some were missed, which can be read. */
  take(): TranscriptItem[] | undefined;
  /** Resolves when something was said or happened since rows were last taken, or the signal aborted. */
  news(): Promise<void>;
}

/** Reading runs: live from the engine of this process, else folded from the store. */
export interface RunsPort {
  /** Whether news comes: only the engine's process hears it. */
  readonly isLive: boolean;
  /** Ids, newest first. */
  ids(): string[];
  state(run: string): RunState;
  /** Whether an engine works on it: one of another process was asked instead of this one, so that here it is this one or none. */
  isActive(run: string): boolean;
  /** Events after a version; when `follow`, new ones as they are committed, until the signal aborts. */
  events(run: string, after: number, signal: AbortSignal): AsyncIterable<ShownEvent[]>;
  /** Everything that happened so far. */
  history(run: string): ShownEvent[];
  /** What was said, in order; possibly fewer rows than asked for, but none only where none is left. */
  said(query: TranscriptItemQuery): TranscriptItem[];
  /** Hears all that is said from now on, where news comes. */
  listen(run: string, signal: AbortSignal): TranscriptListener;
  /** Resolves when something new was said or happened in the run. */
  news(run: string, signal: AbortSignal): Promise<void>;
}

/** Where a run's result should be: between these commits, and on this branch if it landed. */
export type ResultLocation = {
  run: string;
  from: string;
  to: string;
  landed: { branch: string; commit: string } | null;
};

/** What git can tell about a project's work, read from its mirror. */
export interface WorkPort {
  /** The project of a folder. */
  project(dir: string): Promise<{ id: string; root: string }>;
  diff(
    project: { id: string; root: string },
    range: { from: string; to: string },
  ): Promise<{ stat: string; diff: string }>;
  /** The files in which two commits differ. */
  changes(project: { id: string; root: string }, range: { from: string; to: string }): Promise<FileChange[]>;
  /** What stands now in the user's repository of a run's result. */
  sight(project: { id: string; root: string }, place: ResultLocation): Promise<ResultSnapshot>;
  /** The files of the commit at HEAD. */
  files(dir: string): Promise<{ commit: string; files: string[] }>;
  saved(project: { id: string; root: string }): Promise<Pick<SalvageItem, 'ref' | 'commit' | 'at' | 'files'>[]>;
  /** Puts saved work on a branch of the project's repository, or of the one around the folder `to`. */
  restore(
    project: { id: string; root: string },
    ref: string,
    as: { branch: string; to?: string | undefined },
  ): Promise<{ branch: string; commit: string }>;
}

/** The engine of this process. */
export interface EnginePort {
  /** Rejects when the engine itself cannot go on. */
  readonly failed: Promise<never>;
  /** Aborted when it ends. */
  readonly stopping: AbortSignal;
  /** The starts of batches that it carries. */
  readonly batches: Set<string>;
  /** Starts a run; one that is an item of a batch is on record as that from its first moment. */
  start(request: StartRequest, item?: { batch: string; item: number }): Promise<{ run: string; notes: string[] }>;
  /** Starts a benchmark in its own repository, with the agents of the settings in `settings`. */
  bench(request: { kind: BenchKind; agent: string; dir: string; settings: string; most: number }): Promise<string>;
  /** Takes up a recorded run, if it is not being carried yet. */
  resume(run: string): Promise<void>;
  submit(run: string, decide: (state: RunState) => RunEvent[]): Promise<RunState>;
  /** Ends a run that was begun, also one whose repository is gone. */
  cancel(run: string, decide: (state: RunState) => RunEvent[]): Promise<RunState>;
  /** Puts something on record without taking the run up. */
  record(run: string, decide: (state: RunState) => RunEvent[]): Promise<RunState>;
  /** Tells the agent of a task something. */
  send(run: string, message: Omit<SendMessage, 'now'>): Promise<RunState>;
  land(run: string, asked: { how: LandMode; draft?: boolean }): Promise<RunState>;
  /** Runs the checks of an ended run again on its result as it stands. */
  recheck(run: string): Promise<Evidence[]>;
  /** Takes a landed run back, only where that is safe. */
  undo(run: string, asked: { dryRun: boolean; branch: boolean; reason: string }): Promise<UndoResult>;
  clean(options: {
    project: string | undefined;
    olderThanDays: number;
    apply: boolean;
  }): Promise<OperationOutput<'clean'>>;
  /** Begins to end the engine once this call was answered. */
  end(agents: 'leave' | 'stop'): void;
}

/** What is known about the tasks of a benchmark. */
export interface BenchPort {
  title(kind: BenchKind): string;
  /** Why an agent does not support it, if it does not. */
  unsupported(kind: BenchKind, agent: AgentCapabilities): string | undefined;
  /** What it costs with a model by list prices, if the model is on the list. */
  estimate(kind: BenchKind, model: string | null): number | undefined;
  /** US dollars that one may cost at most. */
  most(kind: BenchKind): number;
}

/** An agent and whether it could work here and now. */
export type AgentView = {
  name: string;
  kind: AgentKind;
  capabilities: AgentCapabilities;
  ok: boolean;
  detail: string;
  nextStep: string | null;
};

/** Whether agents would be played, and by which scenario. */
export type RehearsalChoice = { rehearse: boolean; scenario?: string | undefined };

/** What is known about the agents of a project. */
export type AgentsView = {
  /** The settings with the agents pinned, as a run would record them. */
  config: Config;
  /** The folder that the settings belong to, and the project if it is one. */
  root: string;
  project: string | undefined;
  byRole: Record<string, string>;
  /** The order of the agents that the user left open, by role. */
  ranking: Ranking;
  /** Verified results and benchmarks. */
  history: History;
  /** The profiles of CC Switch by agent, whether they are used, and what is amiss with its file. */
  ccswitch: {
    on: boolean;
    file: string;
    note: string | null;
    byAgent: Record<string, { name: string; account: string | null; detail: string | null }[]>;
  };
  agents: AgentView[];
  /** Accounts that rest, and until when. */
  resting: Record<string, number>;
  now: number;
};

/** What is known at the host of a project's remote. */
export interface ForgesPort {
  /** The open pull requests of the folder's repository. */
  list(dir: string, signal: AbortSignal): Promise<PullRequest[]>;
  /** Those of a run, by its branches. */
  ofRun(state: RunState, signal: AbortSignal): Promise<PullRequest[]>;
  /** Brings a pull request and its base here, merged, and gives what a review of it starts from. */
  prepareReview(dir: string, number: number, signal: AbortSignal): Promise<PreparedReview>;
}

/** A pull request that can be reviewed: `base` is the commit at which the review begins. */
export type PreparedReview = {
  input: Pick<ReviewInput, 'pull' | 'forge' | 'body' | 'onto' | 'conflicts'>;
  base: string;
  settings: Config['review'];
};

/** What belongs to a project and to no single run: how its runs are filed. */
export interface ProjectsPort {
  /** All projects in which anything was ever filed or spent. */
  ids(): string[];
  state(project: string): ProjectState;
  /** Decides on the state as it stands and puts that on record; asked again when somebody was quicker. */
  submit(
    project: string,
    decide: (state: ProjectState) => ProjectEvent[],
    origin?: Origin | undefined,
  ): Promise<ProjectState>;
}

/** The templates that hold for a folder: those of its project, the person's own, the built-in ones. */
export interface TemplatesPort {
  list(dir: string): Promise<{ templates: Template[]; mistakes: string[] }>;
  load(dir: string, name: string): Promise<Template>;
}

/** The terminal of an attempt: how it is held, and the process by whose end it ends. */
export type HeldTerminal = {
  attempt: string;
  kind: 'tmux' | 'pty';
  process: ProcessRecord['identity'];
};

/** What a terminal shows; with `reset` it stands for everything before it. */
export type ShownTerminal = {
  offset: number;
  data: Buffer;
  reset?: true;
  size?: { columns: number; rows: number };
};

/** The terminals of interactive agents. */
export interface TerminalsPort {
  /** The screen as it stands, or what came after an offset, and then what comes until it ends. */
  watch(held: HeldTerminal, after: number | undefined, signal: AbortSignal): AsyncIterable<ShownTerminal>;
  type(held: HeldTerminal, bytes: Buffer): Promise<void>;
  resize(held: HeldTerminal, size: { columns: number; rows: number }): Promise<void>;
}

/** All that operations may use; app.ts fills it. */
export interface Ports {
  readonly runs: RunsPort;
  readonly overviews: OverviewPort;
  readonly transcripts: TranscriptsPort;
  readonly files: FilesPort;
  readonly projects: ProjectsPort;
  readonly templates: TemplatesPort;
  readonly work: WorkPort;
  /** The engine, where this process is it. */
  readonly engine: EnginePort | undefined;
  readonly bench: BenchPort;
  readonly forges: ForgesPort;
  readonly terminals: TerminalsPort;
  /** Verified results and benchmarks, over all projects. */
  history(): History;
  /** Milliseconds since 1970. */
  now(): number;
  /** The agents of a folder's settings as they stand now, or as a rehearsal would have them. */
  agents(dir: string, choices: readonly string[], rehearsal?: RehearsalChoice): Promise<AgentsView>;
  readonly keep: KeepPort;
  where(dir: string): Promise<OperationOutput<'where'>>;
  doctor(dir: string, online: boolean): Promise<OperationOutput<'doctor'>>;
}
