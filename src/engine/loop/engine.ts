import { defaultAnswer } from '../../core/attempt/decide-question.ts';
import { isBaseChecked } from '../../core/run/check-start.ts';
import { blockTask, giveUpTask } from '../../core/run/end-tasks.ts';
import type { RunState } from '../../core/run/state.ts';
import { type Intent, next } from '../../core/schedule/schedule-next.ts';
import { isSettled } from '../../core/view/document.ts';
import { AppError } from '../../errors.ts';
import { Slots } from '../../git/slots.ts';
import type { Home } from '../../home.ts';
import { NetworkProxy } from '../../process/network/proxy-client.ts';
import { processSpawner } from '../../process/spawner/spawner.ts';
import type { RunEvent } from '../../schema/event.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { Fleet } from '../../store/fleet.ts';
import type { Submission, SubmitOptions } from '../../store/ledger.ts';
import type { Store } from '../../store/store.ts';
import { crashpoint, type World } from '../../world.ts';
import type { AttemptTools } from '../attempt/attempt-tools.ts';
import { removeEndedWorkspace } from '../attempt/attempt-workspace.ts';
import { beginAttempt } from '../attempt/begin-attempt.ts';
import { Coordination } from '../attempt/coordination.ts';
import { cancel, interrupt, interruptedBy, uncancel } from '../attempt/interrupt-attempt.ts';
import { rewindWhileHeld } from '../finish/finish-run.ts';
import { type ClosingStep, nextClosingStep } from '../finish/next-closing-step.ts';
import { isWriteBackDue, writeBackDuringRun } from '../finish/write-back.ts';
import { adoptTask } from '../hosts/executor.ts';
import { RemoteHosts } from '../hosts/remote-hosts.ts';
import { landTasks } from '../land/land-tasks.ts';
import { beginCalls } from '../small-calls/small-call.ts';
import { checkBase } from '../start/check-base.ts';
import { Activities } from './activities.ts';
import { askRecipe, endedBy, endedTasks, questionsAfter } from './ask-recipe.ts';
import { type ActiveRun, type EngineContext, type Implementations, removePrepared } from './context.ts';
import { holdOnError } from './hold-on-error.ts';
import { ActiveRuns, InFlight, ONCE } from './in-flight.ts';
import { SchedulingInputTracker } from './scheduling-input.ts';

type EngineOptions = Pick<EngineContext, 'home' | 'store' | 'world' | 'implementations' | 'env'> & {
  tools?: AttemptTools;
  fleet?: Fleet | undefined;
};

/** Errors after which a run that is being cancelled is dropped: a disk or repository that recovers does so within the first tries. */
const MAX_CANCEL_ERRORS = 3;
/** Each start needs several programs: for so many at once the spawner is worth its own start. */
const MANY_STARTS = 8;

/** The loop: fold, query, perform, report. After a crash the same loop starts again. */
export class Engine implements EngineContext {
  readonly home: Home;
  readonly store: Store;
  readonly world: World;
  readonly implementations: Implementations;
  readonly env: NodeJS.ProcessEnv;
  readonly activities: Activities;
  readonly network: NetworkProxy;
  readonly checkSlots = new Slots(1);
  readonly coordination: Coordination;
  readonly hosts: RemoteHosts | undefined;
  onPass: () => void = () => {};
  readonly #runs = new ActiveRuns();
  readonly #tracker: SchedulingInputTracker;
  readonly #inFlight: InFlight;
  readonly #stop = new AbortController();
  readonly #leave = new AbortController();
  readonly #failed = Promise.withResolvers<never>();
  readonly #drain = new AbortController();
  #isAwake = false;
  #cancelAlarm: () => void = () => {};

  constructor(options: EngineOptions) {
    this.home = options.home;
    this.store = options.store;
    this.world = options.world;
    this.implementations = options.implementations;
    this.env = options.env;
    this.activities = new Activities(options.world);
    this.network = new NetworkProxy(options.home.root, options.env);
    this.coordination = new Coordination(options, () => this.wake());
    this.hosts = options.fleet && new RemoteHosts(options.fleet, () => this.wake());
    this.#tracker = new SchedulingInputTracker(options);
    this.#inFlight = new InFlight({
      onError: (run, error) => this.#onError(run, error),
      onEnd: (run) => this.#onEnd(run),
      sleep: (ms) => this.world.sleep(ms, this.#stop.signal),
    });
    // There may be no listener yet; later ones get the error. Agents continue, and the next engine adopts them.
    this.#failed.promise.catch((error: unknown) => {
      this.#inFlight.work.fail(error);
      this.#leave.abort();
    });
  }

  get stopping(): AbortSignal {
    return this.#stop.signal;
  }

  /** Aborted when it starts nothing new any more; before `stopping`. */
  get draining(): AbortSignal {
    return this.#drain.signal;
  }

  /** What an agent has spent today over all runs. */
  spentToday(agent: string): number {
    return this.#tracker.spentToday(this.#runs)[agent] ?? 0;
  }

  get leaving(): AbortSignal {
    return this.#leave.signal;
  }

  /** Rejects when the engine itself cannot continue, for example because its disk is full. */
  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  get runs(): ReadonlyMap<string, ActiveRun> & Pick<ActiveRuns, 'onChange'> {
    return this.#runs;
  }

  /** Runs an opened run until it ends: adopts attempts of an earlier engine, asks the recipe for missing tasks, schedules. */
  run(run: ActiveRun): void {
    if (this.#stop.signal.aborted || this.#runs.has(run.id) || run.ledger.state.status.kind === 'ended') return;
    this.#runs.set(run.id, run);
    const { state } = run.ledger;
    this.checkSlots.grow(state.start.config.limits.checks);
    for (const key of Object.keys(state.running))
      this.#inFlight.perform(run, { task: key }, () => adoptTask(this, run, key));
    if (isBaseChecked(state)) askRecipe(this, run, [undefined, ...endedTasks(state)]);
    if (state.status.kind === 'cancelling') cancel(run, state.status.force);
    this.#inFlight.once(run, ONCE.smallCalls, () => beginCalls(this, run));
    this.wake();
  }

  /** Decides, records, and performs what follows from the new events; effects wait for the commit. */
  submit(run: ActiveRun, decide: (state: RunState) => RunEvent[], options: SubmitOptions = {}): Submission<RunEvent> {
    const submission = run.ledger.submit(decide, options);
    const { events, committed } = submission;
    committed.catch((error: unknown) => this.#failed.reject(error));
    this.#tracker.record(options.also ?? []);
    const { state } = run.ledger;
    if (state.status.kind === 'cancelling') cancel(run, state.status.force);
    const interruptSoon = (key: TaskKey) => committed.then(() => interrupt(run, key));
    for (const key of interruptedBy(events, state)) this.#inFlight.track(run, interruptSoon(key));
    for (const key of endedBy(events, state))
      this.#inFlight.track(run, removeEndedWorkspace(this, run, key, committed));
    askRecipe(this, run, questionsAfter(events, state));
    this.wake();
    return submission;
  }

  /** Schedules in a turn of the event loop after the one that commits what was just decided; several calls cause one pass. */
  wake(): void {
    if (this.#isAwake || this.#stop.signal.aborted) return;
    this.#isAwake = true;
    setImmediate(() => setImmediate(() => this.#schedule()));
  }

  /** Resolves when nothing is in flight and every run has ended or waits for a person; rejects when the engine cannot continue. */
  async idle(): Promise<void> {
    this.wake();
    while (!this.#stop.signal.aborted && !this.#drain.signal.aborted) {
      await this.#inFlight.work.nextPass();
      const hasMoving = [...this.#runs.values()].some((run) => !isSettled(run.ledger.state));
      if (this.#inFlight.work.size === 0 && !hasMoving) return;
    }
  }

  /** Waits for what an ended run still removes and writes, and makes it ready to begin again, also if it was cancelled. */
  async leaveEnded(run: ActiveRun): Promise<void> {
    const isEnded = () => run.ledger.state.status.kind === 'ended';
    while (isEnded() && this.#inFlight.has(run) && !this.#stop.signal.aborted) await this.#inFlight.work.nextPass();
    if (isEnded()) uncancel(run);
  }

  /** Starts nothing new; resolves when everything in flight has ended. */
  async drain(): Promise<void> {
    this.#drain.abort();
    await Promise.race([this.#inFlight.work.ended(), this.#failed.promise]);
  }

  /** Stops agents and checks and saves their work; the runs can be resumed. */
  async stop(): Promise<void> {
    this.#drain.abort();
    this.#stop.abort();
    this.#inFlight.work.completePass();
    this.#cancelAlarm();
    await this.#inFlight.work.ended();
    for (const run of this.#runs.values()) await removePrepared(run);
    await this.network.leave();
  }

  /** Ends without stopping agents: they continue, and the next engine adopts them; afterwards this engine does nothing more. */
  async leave(): Promise<void> {
    crashpoint('engine.leaving');
    this.#leave.abort();
    await this.stop();
    crashpoint('engine.left');
  }

  /** Performs a request from outside; stopping the engine waits for it, and afterwards requests are refused. */
  handle<T>(work: () => Promise<T>): Promise<T> {
    if (this.#stop.signal.aborted) return Promise.reject(new AppError('ENGINE_GONE', 'The engine is ending'));
    const done = work();
    // The caller gets its error.
    const settled = done.then(() => {}).catch(() => {});
    this.#inFlight.work.add(settled.finally(() => this.wake()));
    return done;
  }

  #schedule(): void {
    this.#isAwake = false;
    this.#inFlight.work.completePass();
    if (this.#stop.signal.aborted) return;
    const runs = [...this.#runs.values()];
    for (const run of runs) this.#checkBase(run);
    const { claimed, claimedHosts, landing } = this.#inFlight;
    const waiting = this.coordination.waits.tasks;
    const isDraining = this.#drain.signal.aborted;
    const { rateLimited } = this.#tracker;
    const fleet = this.hosts?.schedulingInput(runs, { claimed, claimedHosts, waiting, rateLimited });
    const input = this.#tracker.input(this.#runs, { claimed, landing, waiting, isDraining, fleet });
    const states = runs.map((run) => run.ledger.state);
    const { intents, wakeAt, waits } = next(states, input);
    this.activities.setWaits(waits);
    if (intents.length >= MANY_STARTS) processSpawner.expectMany();
    for (const intent of intents) this.#perform(intent);
    for (const run of runs) this.#performClosingStep(run);
    this.onPass();
    this.#cancelAlarm();
    if (wakeAt !== undefined) this.#cancelAlarm = this.world.alarm(wakeAt, () => this.wake());
  }

  #checkBase(run: ActiveRun): void {
    const { state } = run.ledger;
    if (isBaseChecked(state) || state.status.kind !== 'running' || this.#drain.signal.aborted) return;
    this.#inFlight.once(run, ONCE.checkBase, () => holdOnError(this, run, checkBase(this, run, run.checks)));
  }

  #perform(intent: Intent): void {
    const run = this.#runs.get(intent.run);
    if (run === undefined) return;
    switch (intent.do) {
      case 'attempt':
        this.#inFlight.perform(run, intent, () => beginAttempt(this, run, intent));
        return;
      case 'conclude':
        this.#inFlight.perform(run, intent, () => adoptTask(this, run, intent.task));
        return;
      case 'block':
        this.#inFlight.track(run, this.submit(run, (state) => blockTask(state, intent)).committed);
        return;
      case 'answer':
        this.submit(run, (state) => defaultAnswer(state, { question: intent.question, now: this.world.now() }));
        return;
      case 'give-up':
        this.submit(run, (state) => giveUpTask(state, intent));
        return;
      case 'land':
        this.#inFlight.land(run, holdOnError(this, run, this.#land(run, intent.tasks)));
        return;
    }
  }

  async #land(run: ActiveRun, tasks: readonly TaskKey[]): Promise<void> {
    using _step = this.activities.begin({ run, tasks }, { kind: 'landing', what: 'merges the work into its branch' });
    await landTasks(this, run, tasks);
  }

  async #close(run: ActiveRun, { what, perform }: ClosingStep): Promise<void> {
    using _step = this.activities.begin({ run }, { kind: 'landing', what });
    await perform(this, run);
  }

  #performClosingStep(run: ActiveRun): void {
    if (isWriteBackDue(run)) this.#inFlight.once(run, ONCE.writeBack, () => writeBackDuringRun(this, run));
    if (this.#inFlight.landing.has(run.id)) return;
    const { endCommit } = run;
    const { state } = run.ledger;
    if (state.status.kind === 'held' && endCommit !== undefined && endCommit.commit !== state.tip.commit) {
      return void this.#inFlight.once(run, ONCE.rewind, () => rewindWhileHeld(this, run, endCommit));
    }
    const step = nextClosingStep(state, run.toMeasure);
    if (step !== undefined) this.#inFlight.once(run, step, () => holdOnError(this, run, this.#close(run, step)));
  }

  #onError(run: ActiveRun, error: unknown): void {
    if (this.#stop.signal.aborted) return;
    if (!run.cancel.signal.aborted) return void this.#failed.reject(error);
    if (run.cancel.signal.reason === error || (error instanceof Error && error.name === 'AbortError')) return;
    run.cancelErrors += 1;
    if (run.cancelErrors >= MAX_CANCEL_ERRORS) this.#runs.delete(run.id);
  }

  #onEnd(run: ActiveRun): void {
    if (run.ledger.state.status.kind === 'ended') this.#runs.delete(run.id);
    this.wake();
  }
}
