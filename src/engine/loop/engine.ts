import { endOpenCalls } from '../../core/models/decide-call.ts';
import { taskOf } from '../../core/run/phase.ts';
import type { RunState } from '../../core/run/state.ts';
import { type Intent, next, type SchedulingInput } from '../../core/schedule/next.ts';
import { isSettled } from '../../core/view/document.ts';
import { AppError } from '../../errors.ts';
import type { Home } from '../../home.ts';
import type { RunEvent } from '../../schema/event.ts';
import type { Submission, SubmitOptions } from '../../store/ledger.ts';
import type { Store } from '../../store/store.ts';
import { crashpoint, type World } from '../../world.ts';
import { beginAttempt } from '../attempt/begin-attempt.ts';
import { cancel, interrupt } from '../attempt/interrupt-attempt.ts';
import { adoptAttempt } from '../attempt/perform-attempt.ts';
import { removeEndedWorkspace } from '../attempt/remove-ended-workspace.ts';
import { nextClosingStep } from '../finish/next-closing-step.ts';
import { isWriteBackDue, writeBackDuringRun } from '../finish/write-back.ts';
import { landTasks } from '../land/land-tasks.ts';
import { nameRun } from '../small-calls/name-run.ts';
import { checkBase } from '../start/check-base.ts';
import { ActiveRuns } from './active-runs.ts';
import { askRecipe } from './ask-recipe.ts';
import { mayTryAgain } from './cancel-retry.ts';
import { endedBy, endedTasks, interruptedBy, restartedBy } from './consequences.ts';
import type { ActiveRun, EngineContext, Implementations } from './context.ts';
import { freeSlotsFor } from './free-slots.ts';
import { giveUp } from './give-up.ts';
import { holdOnError } from './hold-on-error.ts';
import { InFlight } from './in-flight.ts';
import { AvailabilityTracker } from './scheduling-input.ts';
import { Slots } from './slots.ts';

const WRITE_BACK = { name: 'tell', onlyOnce: false };

export type EngineOptions = {
  home: Home;
  store: Store;
  world: World;
  implementations: Implementations;
  env: NodeJS.ProcessEnv;
};

/** The loop: fold, ask, perform, report. After a crash it is the same loop started again. */
export class Engine implements EngineContext {
  readonly home: Home;
  readonly store: Store;
  readonly world: World;
  readonly implementations: Implementations;
  readonly env: NodeJS.ProcessEnv;
  readonly checkSlots: Slots;
  readonly #runs = new ActiveRuns();
  readonly #availability: AvailabilityTracker;
  readonly #inFlight: InFlight;
  readonly #stop = new AbortController();
  readonly #leave = new AbortController();
  readonly #failed = Promise.withResolvers<never>();
  #isDraining = false;
  #isAwake = false;
  #cancelAlarm: () => void = () => {};

  constructor(options: EngineOptions) {
    this.home = options.home;
    this.store = options.store;
    this.world = options.world;
    this.implementations = options.implementations;
    this.env = options.env;
    this.checkSlots = new Slots(1);
    this.#availability = new AvailabilityTracker(options.store, options.world);
    this.#inFlight = new InFlight({
      onError: (run, error) => this.#onError(run, error),
      onEnd: (run) => this.#onEnd(run),
    });
    // Nobody may be listening yet; the failure is told to whoever waits for `failed`, is idle or stops the engine.
    this.#failed.promise.catch((error: unknown) => this.#inFlight.work.fail(error));
  }

  get stopping(): AbortSignal {
    return this.#stop.signal;
  }

  get leaving(): AbortSignal {
    return this.#leave.signal;
  }

  /** Rejects when the engine itself cannot go on, for example because its disk is full. */
  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  get runs(): ReadonlyMap<string, ActiveRun> & Pick<ActiveRuns, 'onChange'> {
    return this.#runs;
  }

  /** Takes a run up: adopts what an earlier engine left running, asks the recipe what is still wanted, goes on. */
  run(run: ActiveRun): void {
    if (this.#stop.signal.aborted || this.#runs.has(run.id) || run.ledger.state.status.kind === 'ended') return;
    this.#runs.set(run.id, run);
    const { state } = run.ledger;
    this.checkSlots.grow(state.start.config.limits.checks);
    for (const key of Object.keys(state.running))
      this.#inFlight.perform(run, key, () => adoptAttempt(this, run, taskOf(state, key)));
    if (state.baseEvidence !== null) askRecipe(this, run, [undefined, ...endedTasks(state)]);
    if (state.status.kind === 'cancelling') cancel(run, state.status.force);
    this.#inFlight.once(run, { name: 'calls', onlyOnce: true }, () => beginCalls(this, run));
    this.wake();
  }

  submit(run: ActiveRun, decide: (state: RunState) => RunEvent[], options: SubmitOptions = {}): Submission<RunEvent> {
    const submission = run.ledger.submit(decide, options);
    submission.committed.catch((error: unknown) => this.#failed.reject(error));
    this.#availability.record(options.also ?? []);
    const { state } = run.ledger;
    if (state.status.kind === 'cancelling') cancel(run, state.status.force);
    for (const key of interruptedBy(submission.events, state))
      this.#inFlight.track(
        run,
        submission.committed.then(() => interrupt(run, key)),
      );
    const ended = endedBy(submission.events);
    for (const key of ended) this.#inFlight.track(run, removeEndedWorkspace(this, run, key, submission.committed));
    askRecipe(this, run, [...restartedBy(submission.events, state), ...ended]);
    this.wake();
    return submission;
  }

  /** Looks what should be under way, at the next turn of the loop; many calls are one look. */
  wake(): void {
    if (this.#isAwake || this.#stop.signal.aborted) return;
    this.#isAwake = true;
    setImmediate(() => {
      this.#isAwake = false;
      this.#schedule();
    });
  }

  /** Resolves when nothing is under way and nothing can go on without a person; rejects when the engine cannot go on. */
  async idle(): Promise<void> {
    this.wake();
    while (!this.#stop.signal.aborted && !this.#isDraining) {
      await this.#inFlight.work.nextPass();
      const isMoving =
        this.#inFlight.work.size > 0 || [...this.#runs.values()].some((run) => !isSettled(run.ledger.state));
      if (!isMoving) return;
    }
  }

  /** Starts nothing new; resolves when what runs has ended. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await Promise.race([this.#inFlight.work.ended(), this.#failed.promise]);
  }

  /** Stops agents and checks, saves what they made; the runs can be resumed. */
  async stop(): Promise<void> {
    this.#isDraining = true;
    this.#stop.abort();
    this.#inFlight.work.completePass();
    this.#cancelAlarm();
    await this.#inFlight.work.ended();
  }

  /** Ends as if it were killed, but at rest: agents go on and are adopted by the next engine; afterwards nothing of this one acts. */
  async leave(): Promise<void> {
    crashpoint('engine.leaving');
    this.#leave.abort();
    await this.stop();
    crashpoint('engine.left');
  }

  /** Does what was asked for from outside; whoever ends the engine waits for it, and afterwards nothing is begun. */
  handle<T>(work: () => Promise<T>): Promise<T> {
    if (this.#stop.signal.aborted) return Promise.reject(new AppError('ENGINE_GONE', 'The engine is ending'));
    const done = work();
    // Its failure is for the asker.
    this.#inFlight.work.add(
      done
        .then(() => {})
        .catch(() => {})
        .finally(() => this.wake()),
    );
    return done;
  }

  #schedule(): void {
    this.#inFlight.work.completePass();
    if (this.#stop.signal.aborted) return;
    const runs = [...this.#runs.values()];
    for (const run of runs) this.#checkBase(run);
    const { intents, wakeAt } = next(
      runs.map((run) => run.ledger.state),
      this.#schedulingInput(runs),
    );
    for (const intent of intents) this.#perform(intent);
    for (const run of runs) this.#close(run);
    this.#cancelAlarm();
    if (wakeAt !== undefined) this.#cancelAlarm = this.world.alarm(wakeAt, () => this.wake());
  }

  #schedulingInput(runs: readonly ActiveRun[]): SchedulingInput {
    const states = runs.map((run) => run.ledger.state);
    return {
      now: this.world.now(),
      slots: this.#isDraining ? 0 : freeSlotsFor(states, this.#inFlight.claimed.size, this.home),
      availability: this.#availability.view(runs, this.#inFlight.claimed),
      projects: this.#availability.projects(states),
      claimed: this.#inFlight.claimed,
      landing: this.#isDraining ? new Set(this.#runs.keys()) : this.#inFlight.landing,
      outside: this.#availability.outside(this.#runs, states),
    };
  }

  #checkBase(run: ActiveRun): void {
    const { state } = run.ledger;
    if (state.baseEvidence !== null || state.status.kind !== 'running' || this.#isDraining) return;
    this.#inFlight.once(run, { name: 'base', onlyOnce: false }, () =>
      holdOnError(this, run, checkBase(this, run, run.checks)),
    );
  }

  #perform(intent: Intent): void {
    const run = this.#runs.get(intent.run);
    if (run === undefined) return;
    switch (intent.do) {
      case 'attempt':
        this.#inFlight.perform(run, intent.task, () => beginAttempt(this, run, intent));
        return;
      case 'give-up':
        this.submit(run, (state) => giveUp(state, intent));
        return;
      case 'land':
        this.#inFlight.land(run, holdOnError(this, run, landTasks(this, run, intent.tasks)));
        return;
    }
  }

  /** Takes what a run is due besides its tasks. */
  #close(run: ActiveRun): void {
    if (isWriteBackDue(run)) this.#inFlight.once(run, WRITE_BACK, () => writeBackDuringRun(this, run));
    if (this.#inFlight.landing.has(run.id)) return;
    const step = nextClosingStep(run.ledger.state);
    if (step !== undefined) this.#inFlight.once(run, step, () => holdOnError(this, run, step.perform(this, run)));
  }

  #onError(run: ActiveRun, error: unknown): void {
    if (this.#stop.signal.aborted) return;
    if (!run.cancel.signal.aborted) this.#failed.reject(error);
    else if (!mayTryAgain(run, error)) this.#runs.delete(run.id);
  }

  #onEnd(run: ActiveRun): void {
    if (run.ledger.state.status.kind === 'ended') this.#runs.delete(run.id);
    this.wake();
  }
}

/** Settles the small questions that an earlier engine left open, then asks for what the run itself wants: a title. */
async function beginCalls(ctx: EngineContext, run: ActiveRun): Promise<void> {
  if (run.ledger.state.openCalls > 0) await ctx.submit(run, endOpenCalls).committed;
  await nameRun(ctx, run);
}
