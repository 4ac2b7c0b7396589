import { type SendMessage, sendMessage } from '../../core/attempt/decide-message.ts';
import { approve } from '../../core/run/answer-hold.ts';
import { type RetryRequest, retryWith } from '../../core/run/changed-settings.ts';
import { recordStart } from '../../core/run/decide-start.ts';
import type { RunState, TaskState } from '../../core/run/state.ts';
import { findRequestedRun, type RequestRun, requestRun, subRunStart } from '../../core/run/sub-run.ts';
import { AppError } from '../../errors.ts';
import { withMutex } from '../../git/mutex.ts';
import type { Origin } from '../../schema/actor.ts';
import type { UndoResult } from '../../schema/change.ts';
import type { BranchLandMode } from '../../schema/config/land.ts';
import type { RunEvent } from '../../schema/event.ts';
import type { Evidence } from '../../schema/gate.ts';
import { runStream, type TaskKey } from '../../schema/ids.ts';
import type { StartRequest } from '../../schema/request.ts';
import { crashpoint } from '../../world.ts';
import { type Preview, startPreview } from '../attempt/application.ts';
import type { AttemptWaits } from '../attempt/attempt-tools.ts';
import { attemptWorkspaceOf } from '../attempt/attempt-workspace.ts';
import { type UndoRequest, undoRun } from '../finish/undo-run.ts';
import { landOnBase } from '../land/land-on-base.ts';
import { recheckRun } from '../land/recheck-run.ts';
import { type CleanUpRequest, cleanUp } from '../maintenance/clean-up.ts';
import { landAsPullRequest } from '../pull-requests/land-as-pull-request.ts';
import { smallCallNotes } from '../small-calls/call-providers.ts';
import { openLostProject, openRun, prepareSettings } from '../start/open-run.ts';
import { type AgentRequest, chooseAgents } from '../start/pin-agents.ts';
import { type StartOverrides, startRun } from '../start/start-run.ts';
import { type ActiveRun, removePrepared } from './context.ts';
import type { Engine } from './engine.ts';
import { loadRun } from './ledger.ts';
import { SubRuns } from './sub-runs.ts';

type Decide = (state: RunState) => RunEvent[];

/** An opened run and how many calls use it. */
type SharedRun = { active: Promise<ActiveRun>; users: number };

/** Changes runs on request. A run is opened once and shared by all callers: two states of one run would overwrite each other. */
export class RunControl {
  /** The batches that this engine runs. */
  readonly batches = new Set<string>();
  /** The projects that this engine watches. */
  readonly watches = new Set<string>();
  /** Begins to stop the engine once this call has returned. */
  readonly end: (agents: 'leave' | 'stop') => void;
  readonly #engine: Engine;
  readonly #shared = new Map<string, SharedRun>();

  constructor(engine: Engine, end: (agents: 'leave' | 'stop') => void) {
    this.#engine = engine;
    this.end = end;
    const subRuns = new SubRuns(engine, this);
    engine.onPass = () => subRuns.follow();
  }

  /** A run that this engine is running. */
  activeRun(run: string): ActiveRun | undefined {
    return this.#engine.runs.get(run);
  }

  /** The runs that this engine is running. */
  activeRuns(): Iterable<ActiveRun> {
    return this.#engine.runs.values();
  }

  /** The path of the workspace of a task. */
  async workspaceOf(run: ActiveRun, task: TaskState): Promise<string> {
    return (await attemptWorkspaceOf(this.#engine, run, task)).path;
  }

  /** Which attempts wait inside a tool call. */
  get waits(): AttemptWaits {
    return this.#engine.coordination.waits;
  }

  /** Rejects when the engine itself cannot continue. */
  get failed(): Promise<never> {
    return this.#engine.failed;
  }

  /** Aborted when the engine starts nothing new any more. */
  get draining(): AbortSignal {
    return this.#engine.draining;
  }

  /** Keeps the engine from being idle until the work has ended; its failure is reported by the work itself. */
  track(work: Promise<void>): void {
    this.#engine.handle(() => work).catch(() => {});
  }

  /** Starts a run; an item of a batch, or a benchmark, is recorded as such from its first event on. */
  start(
    request: StartRequest,
    origin: Origin,
    overrides: Omit<StartOverrides, 'origin'> = {},
  ): Promise<{ run: string; notes: string[] }> {
    return this.#engine.handle(async () => {
      const { state, project, notes } = await startRun(this.#engine, request, { ...overrides, origin });
      const active = await openRun(this.#engine, state.start.run, { state, project });
      this.#engine.run(active);
      return { run: state.start.run, notes: [...notes, ...smallCallNotes(this.#engine, active)] };
    });
  }

  /** Starts a run for the agent of a task, once for each request: both runs record it in one transaction. */
  startSubRun(
    run: string,
    request: RequestRun,
    { recipe: name, input, origin }: { recipe: string; input: unknown; origin: Origin },
  ): Promise<string> {
    return this.#withRun(run, async (active) => {
      const { state } = active.ledger;
      const known = findRequestedRun(state, request);
      if (known !== undefined) return known.run;
      const { version } = this.#engine.implementations.recipe(name);
      const id = this.#engine.world.runId();
      const start = subRunStart(state, request, { run: id, recipe: { name, version }, input });
      const also = [{ stream: runStream(id), expected: 0, events: [recordStart(start)], origin }];
      crashpoint('subrun.starting');
      await this.#engine.submit(active, (before) => requestRun(before, request, id), { also, origin }).committed;
      crashpoint('subrun.started');
      return id;
    });
  }

  /** Continues a recorded run, if it is not active. */
  resume(run: string): Promise<void> {
    return this.#withRun(run, async (active) => this.#engine.run(active));
  }

  /** Records a decision about a run and continues it. */
  submit(run: string, decide: Decide, origin: Origin): Promise<RunState> {
    return this.#withRun(run, async (active) => {
      await this.#engine.submit(active, decide, { origin }).committed;
      this.#engine.run(active);
      return active.ledger.state;
    });
  }

  /** Retries tasks of a run; changed settings and agents apply as soon as they are recorded. */
  retry(run: string, { request, agents }: { request: RetryRequest; agents?: AgentRequest }, origin: Origin) {
    return this.#withRun(run, async (active) => {
      const { start } = active.ledger.state;
      const chosen = agents === undefined ? undefined : await chooseAgents(this.#engine, start, agents);
      const change = { ...request.change, ...(chosen === undefined ? {} : { agents: chosen }) };
      const apply = await prepareSettings(this.#engine, active, chosen?.settings);
      this.#engine.run(active);
      const { committed } = this.#engine.submit(active, (state) => retryWith(state, { ...request, change }), {
        origin,
      });
      apply();
      await committed;
      this.#engine.run(active);
      return active.ledger.state;
    });
  }

  /** Ends a run, even if its repository was deleted. */
  cancel(run: string, decide: Decide, origin: Origin): Promise<RunState> {
    const end = async (active: ActiveRun) => {
      this.#engine.run(active);
      await this.#engine.submit(active, decide, { origin }).committed;
      return active.ledger.state;
    };
    return this.#withRun(run, end, () => this.#openToEnd(run));
  }

  /** Records a decision about a run without continuing it. */
  record(run: string, decide: Decide, origin: Origin): Promise<RunState> {
    return this.#withRun(run, async (active) => {
      await this.#engine.submit(active, decide, { origin }).committed;
      return active.ledger.state;
    });
  }

  /** Records a message to the agent of a task; what it interrupts or begins follows from the record, also after a crash. */
  send(run: string, message: Omit<SendMessage, 'now'>, origin: Origin): Promise<RunState> {
    return this.#withRun(run, async (active) => {
      this.#engine.run(active);
      const decide: Decide = (state) => sendMessage(state, { ...message, now: this.#engine.world.now() });
      crashpoint('message.sending');
      await this.#engine.submit(active, decide, { origin }).committed;
      crashpoint('message.sent');
      this.#engine.run(active);
      return active.ledger.state;
    });
  }

  land(
    run: string,
    { how, accept, ...options }: { how: BranchLandMode; draft?: boolean; accept?: string },
    origin: Origin,
  ): Promise<RunState> {
    return this.#withRun(run, (active) =>
      withMutex(`land ${run}`, async () => {
        const { landed } = active.ledger.state;
        if (landed !== null && landed.how !== 'pr')
          throw new AppError('REFUSED', `Run ${run} has already landed on ${landed.branch}`, { run });
        const outcome =
          how === 'pr'
            ? await landAsPullRequest(this.#engine, active, { ...options, origin })
            : await landOnBase(this.#engine, active, { origin, ...(accept === undefined ? {} : { accept }) });
        if (outcome.kind === 'held') {
          const { reason, files, nextStep, subject: tree } = outcome.hold;
          const what = nextStep === undefined ? reason : `${reason}. Run: ${nextStep}`;
          throw new AppError('NEEDS_PERSON', what, { run, files, reason, ...(tree === undefined ? {} : { tree }) });
        }
        const { status } = active.ledger.state;
        if (status.kind === 'held' && status.hold.what === 'landing') {
          const decide: Decide = (state) => approve(state, { note: 'landed by a person' });
          await this.#engine.submit(active, decide, { origin }).committed;
        }
        this.#engine.run(active);
        return active.ledger.state;
      }),
    );
  }

  /** Runs the checks of an ended run again on its result. */
  recheck(run: string, origin: Origin): Promise<Evidence[]> {
    return this.#withRun(run, (active) => recheckRun(this.#engine, active, origin));
  }

  /** Runs the application on the saved work of a task, or on the result of the run, until the call is aborted. */
  preview(
    run: string,
    { task, onReady }: { task: TaskKey | undefined; onReady: (preview: Pick<Preview, 'url' | 'commit'>) => void },
    signal: AbortSignal,
  ): Promise<void> {
    return this.#withRun(run, async (active) => {
      await using preview = await startPreview(this.#engine, active, { task, signal });
      onReady(preview);
      await preview.ended;
    });
  }

  /** Reverts a landed run, only where that is safe. */
  undo(run: string, request: UndoRequest): Promise<UndoResult> {
    return this.#withRun(run, (active) => undoRun(this.#engine, active, request));
  }

  clean(request: CleanUpRequest): ReturnType<typeof cleanUp> {
    return this.#engine.handle(() => cleanUp(this.#engine, request));
  }

  #withRun<T>(
    run: string,
    work: (active: ActiveRun) => Promise<T>,
    open: () => Promise<ActiveRun> = () => this.#open(run),
  ): Promise<T> {
    return this.#engine.handle(async () => {
      const shared = this.#shared.get(run) ?? { active: open(), users: 0 };
      this.#shared.set(run, shared);
      shared.users += 1;
      try {
        const active = await shared.active;
        await this.#engine.leaveEnded(active);
        return await work(active);
      } catch (error) {
        // So that every hint names the run.
        if (error instanceof AppError) error.details.run ??= run;
        throw error;
      } finally {
        shared.users -= 1;
        if (shared.users === 0) {
          this.#shared.delete(run);
          if (!this.#engine.runs.has(run)) await removePrepared(await shared.active);
        }
      }
    });
  }

  async #open(run: string): Promise<ActiveRun> {
    return this.#engine.runs.get(run) ?? (await openRun(this.#engine, run));
  }

  /** A run can be ended even if its repository was deleted. */
  async #openToEnd(run: string): Promise<ActiveRun> {
    try {
      return await this.#open(run);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'REPOSITORY_GONE') throw error;
      const state = loadRun(this.#engine.store, runStream(run));
      return openRun(this.#engine, run, { state, project: await openLostProject(this.#engine, state.start.project) });
    }
  }
}
