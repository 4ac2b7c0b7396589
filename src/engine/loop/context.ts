import type { Agent, NativeFile } from '../../agents/agent.ts';
import type { StartAttempt } from '../../core/attempt/decide-attempt.ts';
import type { Redact } from '../../core/redact.ts';
import type { RunState, TaskState } from '../../core/run/state.ts';
import type { ReachedForge } from '../../forges/forge.ts';
import type { GateInput, GateResult } from '../../gates/gate.ts';
import type { CommandGateSpec } from '../../gates/gate-kinds.ts';
import type { Mirror } from '../../git/mirror/mirror.ts';
import type { Transferred } from '../../git/push/transfer.ts';
import type { Repository } from '../../git/read/repository.ts';
import type { Slots } from '../../git/slots.ts';
import type { Home } from '../../home.ts';
import type { ModelApi } from '../../model-apis/model-api.ts';
import type { NetworkProxy } from '../../process/network/proxy-client.ts';
import type { Recipe, Unfolding } from '../../recipes/recipe.ts';
import type { RiskContext } from '../../risks/risk.ts';
import type { Role } from '../../roles/role.ts';
import type { AgentConfig } from '../../schema/config/agent.ts';
import type { GitConfig } from '../../schema/config/git.ts';
import type { Config } from '../../schema/config.ts';
import type { RunEvent, RunStart } from '../../schema/event.ts';
import type { Failure, FollowUp } from '../../schema/failure.ts';
import type { Evidence, GateSpec } from '../../schema/gate.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { RiskFlag } from '../../schema/risk.ts';
import type { HostOrder } from '../../store/fleet.ts';
import type { Submission, SubmitOptions } from '../../store/ledger.ts';
import type { Store } from '../../store/store.ts';
import { KeptDependencies } from '../../workspaces/kept-dependencies.ts';
import { WorkspacePool } from '../../workspaces/workspace-pool.ts';
import type { World } from '../../world.ts';
import type { Coordination } from '../attempt/coordination.ts';
import type { CheckRequest } from '../land/check-request.ts';
import type { Activities } from './activities.ts';
import type { RunLedger } from './ledger.ts';

/** What a guard finds in a candidate: files whose base version is used for a second check, files that a person must review, and its new and changed test programs. */
type GuardVerdict = {
  overlay: string[];
  held: { path: string; reason: string }[];
  tests: { added: string[]; modified: string[] };
};

/** Agents as recorded: their settings, and the agents that each choice of the user names. */
export type PinnedChoice = { agents: Record<string, AgentConfig>; choices: { role?: string; agents: string[] }[] };

/** The implementations that the engine uses, chosen by app.ts: the engine itself knows only interfaces. */
export interface Implementations {
  /** The effective settings of a repository. */
  config(root: string): Promise<Config>;
  /** The settings of the project's file that have no effect, because only the person's own may say so. */
  ignoredSettings(root: string): Promise<{ key: string; reason: string }[]>;
  /** Determines the agents of a run, as plain settings that can be recorded. */
  pin(options: {
    config: Config;
    dir: string;
    root: string;
    choices: string[];
    /** Agents follow a scripted scenario, except programs that the choices name. */
    rehearse: boolean;
    scenario: string | undefined;
  }): PinnedChoice;
  /** The settings with the logins that other programs store, where the settings refer to them. */
  withLogins(config: Config): Promise<Config>;
  /** The agents of a recorded run. */
  agents(start: Pick<RunStart, 'config' | 'project'>): Map<string, Agent>;
  /** The checks that the settings configure. */
  checks(config: Config): CommandGateSpec[];
  recipe(name: string, version?: number): Recipe;
  followUp(failure: Failure, context: { attempt: number; now: number }): FollowUp;
  checkGate(spec: GateSpec, input: GateInput): Promise<GateResult>;
  guard(options: {
    mirror: Mirror;
    from: string;
    to: string;
    config: Config;
    gates: readonly GateSpec[];
    /** Files that the task was given to change. */
    targets: readonly string[];
    /** The files of the base that a check opens or executes. */
    trace(gate: CommandGateSpec): Promise<readonly string[]>;
  }): Promise<GuardVerdict>;
  /** The risks of an attempt, by the run's settings. */
  findRisks(context: RiskContext, policies: Config['risks']): RiskFlag[];
  /** The vendors whose models can be called directly. */
  modelApis: readonly ModelApi[];
  /** The forge of a repository, by its settings and its remote. */
  forge(repository: Pick<Repository, 'root'>, config: GitConfig, signal: AbortSignal): Promise<ReachedForge>;
  /** The definition that evidence of this gate is bound to besides the tree. */
  definition(spec: GateSpec, config: Config): string;
}

/** A project as the engine works on it: the user's repository and its private mirror. */
export type Project = { id: string; repository: Repository; mirror: Mirror };

/** Where a project that uses LFS keeps its large files. */
export function lfsOf({ repository }: Project): { lfsStorage?: string } {
  return repository.lfs ? { lfsStorage: `${repository.commonDir}/lfs` } : {};
}

/** Where a run keeps what is prepared for its next tasks and checks. */
export function emptyPools(
  removing: string,
  { workspace }: Pick<Config, 'workspace'>,
): Pick<ActiveRun, 'pool' | 'keptDependencies'> {
  return { pool: new WorkspacePool(removing), keptDependencies: new KeptDependencies(removing, workspace.pool) };
}

/** Removes what was prepared for the next tasks and checks of a run. */
export async function removePrepared({ pool, keptDependencies }: ActiveRun): Promise<void> {
  for (const prepared of [pool, keptDependencies]) await prepared[Symbol.asyncDispose]();
}

/** A run that is open in this engine. */
export interface ActiveRun {
  readonly id: string;
  readonly ledger: RunLedger;
  readonly project: Project;
  readonly recipe: Recipe;
  /** Replaced when a person retries with other agents; so are `config` and `redact`. */
  agents: ReadonlyMap<string, Agent>;
  readonly roles: { get(name: string): Role | undefined };
  /** The texts of its roles, by name. */
  readonly roleTexts: Record<string, string>;
  /** Aborts everything in flight for this run when it is cancelled. */
  cancel: AbortController;
  /** Kills everything in flight for this run at once. */
  force: AbortController;
  /** Interrupt one running attempt each, by task. */
  readonly interrupts: Map<string, AbortController>;
  /** The checks of its configuration, run on the base before any work; none for a run that only reads. */
  readonly checks: readonly CommandGateSpec[];
  /** Its recorded settings with the values of variables, which are never recorded. */
  config: Config;
  /** Removes secrets from everything that is stored or shown; prompts are never altered. */
  redact: Redact;
  /** The commit on which the recipe ends the run, if it is not the branch's tip. */
  endCommit: { commit: string; reason: string } | undefined;
  /** What the recipe wants to know about the branch's tip before anything else follows. */
  toMeasure: Unfolding['measure'];
  /** Instruction files of the last base that an attempt started from: tasks that start together share it. */
  nativeFiles: { base: string; files: Promise<Partial<Record<NativeFile, string>>> } | undefined;
  /** The hosts of the package registries and the forge of its project, read once. */
  projectHosts: Promise<string[]> | undefined;
  /** Workspaces that are written before its tasks need them; removed with the run. */
  readonly pool: WorkspacePool;
  /** Copied dependencies that its attempts and checks pass on to each other; removed with the run. */
  readonly keptDependencies: KeptDependencies;
  /** The results of checks of affected packages or files on the commit that candidates are merged onto, by tree and definition. */
  readonly baselines: Map<string, Evidence>;
  /** The files of which a running attempt was warned that it edits them without a lock, by attempt. */
  readonly warnedEdits: Map<string, Set<string>>;
  /** What was last written to the project's files, and the version of the run at that time. */
  readonly writtenBack: { version: number; content: string | undefined };
  /** Errors of steps since the run is being cancelled, other than aborts. */
  cancelErrors: number;
}

/** Performs attempts, from their claim to their recorded end, and checks: on this machine, or on another one. */
export interface Executor {
  perform(ctx: EngineContext, run: ActiveRun, task: TaskState): Promise<void>;
  /** Continues an attempt that an earlier engine began. */
  adopt(ctx: EngineContext, run: ActiveRun, task: TaskState): Promise<void>;
  /** Runs a check; its result is judged by the caller, and a check that an earlier engine began is never adopted. */
  check(ctx: EngineContext, run: ActiveRun, request: CheckRequest): Promise<GateResult>;
}

/** Makes the order of a claim; undefined if its host was lost, or it needs a commit that is not pushed. */
export type OrderOf = (claim: StartAttempt) => HostOrder | undefined;

/** What a run is to start from. */
export type RunBase = { config: Config; mirror: Mirror; commit: string };

/** The repository of the hosts, which has everything that an event names before the event is written. */
export interface CommitExchange {
  /** Commits that were fetched from the repository need not be pushed before an event names them. */
  note(url: string, commits: readonly string[]): void;
  /** Fetches every ref below a prefix of ours, together with what else is requested meanwhile. */
  fetch(ctx: EngineContext, what: { mirror: Mirror; url: string; prefix: string }): Promise<Transferred>;
  /** Pushes commits until they are there; rejects when the run is cancelled or the engine stops. */
  share(
    ctx: EngineContext,
    run: ActiveRun,
    what: { tasks: readonly TaskKey[]; commits: readonly string[] },
  ): Promise<void>;
  /** Pushes the commit that a run is to start from; a run whose base cannot be shared does not start. */
  shareBase(ctx: EngineContext, base: RunBase): Promise<void>;
  /** What must be done before these events are written; undefined if nothing. */
  beforeEvents(ctx: EngineContext, run: ActiveRun, events: readonly RunEvent[]): Promise<void> | undefined;
}

/** Other machines that perform attempts and checks. */
export interface AttemptHosts {
  readonly executor: Executor;
  readonly exchange: CommitExchange;
  /** Whether a host that is up has this agent, by its name or its kind. */
  offers(agent: { name: string; kind: string }): boolean;
  /** Whether another host can perform a task whose last attempt could not begin. */
  isPossibleElsewhere(run: ActiveRun, task: TaskState): boolean;
  /** Counts an end on a host; true if the host is to rest, because attempts could not begin there again and again. */
  noteEnd(host: string, couldBegin: boolean): boolean;
  /** Whether the attempts and checks of a run are performed by hosts. */
  isUsedBy(run: ActiveRun): boolean;
  /**
   * Brings everything that an attempt on a host needs to where the host finds it, before the attempt is recorded. The
   * function that it returns makes the order without waiting, so that it fits the state in which the task is claimed.
   */
  prepareOrder(ctx: EngineContext, run: ActiveRun, what: { task: TaskKey; host: string }): Promise<OrderOf | undefined>;
}

/** What all stages of the engine share. */
export interface EngineContext {
  readonly home: Home;
  readonly store: Store;
  readonly world: World;
  readonly implementations: Implementations;
  readonly env: NodeJS.ProcessEnv;
  /** What the engine does now, for everybody who watches. */
  readonly activities: Activities;
  /** The proxy through which contained programs reach other machines. */
  readonly network: NetworkProxy;
  readonly coordination: Coordination;
  /** The hosts of the installation that this engine leads; undefined where there can be none. */
  readonly hosts: AttemptHosts | undefined;
  /** How many checks may run at once. */
  readonly checkSlots: Slots;
  /** US dollars that an agent has spent today over all runs, with what running attempts reported so far. */
  spentToday(agent: string): number;
  /** Aborts everything when the engine stops at once. */
  readonly stopping: AbortSignal;
  /** Aborted, before `stopping`, when agents continue without this engine. */
  readonly leaving: AbortSignal;
  submit(run: ActiveRun, decide: (state: RunState) => RunEvent[], options?: SubmitOptions): Submission<RunEvent>;
}
