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
import { tidy } from '../attempt/remove-ended-workspace.ts';
import { nextClosingStep } from '../finish/next-closing-step.ts';
import { isWriteBackDue, tell } from '../finish/write-back.ts';
import { landTasksWaiting } from '../land/land-tasks.ts';
import { nameRun } from '../small-calls/name-run.ts';
import { checkBase } from '../start/check-base.ts';
import { ActiveRuns } from './active-runs.ts';
import { AvailabilityTracker } from './agent-availability.ts';
import { unfold } from './ask-recipe.ts';
import { mayTryAgain } from './cancel-retry.ts';
import { beginsBy, endedBy, endedTasks, interruptedBy } from './consequences.ts';
import type { ActiveRun, EngineContext, Parts } from './context.ts';
import { freeSlotsFor } from './free-slots.ts';
import { giveUp } from './give-up.ts';
import { holdOnError } from './hold-on-error.ts';
import { InFlight } from './in-flight.ts';
import { Slots } from './slots.ts';

const TELL = { name: 'tell', forGood: false };

export type EngineOptions = { home: Home; store: Store; world: World; parts: Parts; env: NodeJS.ProcessEnv };

/** The loop: fold, ask, perform, report. After a crash it is the same loop started again. */
export class Engine implements EngineContext {
  readonly home: Home;
  readonly store: Store;
  readonly world: World;
  readonly parts: Parts;
  readonly env: NodeJS.ProcessEnv;
  readonly checkSlots: Slots;
  readonly #runs = new ActiveRuns();
  readonly #board: AvailabilityTracker;
  readonly #works: InFlight;
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
    this.parts = options.parts;
    this.env = options.env;
    this.checkSlots = new Slots(1);
    this.#board = new AvailabilityTracker(options.store, options.world);
    this.#works = new InFlight({
      onError: (run, error) => this.#onError(run, error),
      onEnd: (run) => this.#onEnd(run),
    });
    // Nobody may be listening yet; the failure is told to whoever waits for `failed`, is idle or stops the engine.
    this.#failed.promise.catch((error: unknown) => this.#works.inFlight.fail(error));
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
  carry(run: ActiveRun): void {
    if (this.#stop.signal.aborted || this.#runs.has(run.id) || run.ledger.state.status.kind === 'ended') return;
    this.#runs.set(run.id, run);
    const { state } = run.ledger;
    this.checkSlots.grow(state.start.config.limits.checks);
    for (const key of Object.keys(state.running))
      this.#works.perform(run, key, () => adoptAttempt(this, run, taskOf(state, key)));
    if (state.baseEvidence !== null) unfold(this, run, [undefined, ...endedTasks(state)]);
    if (state.status.kind === 'cancelling') cancel(run, state.status.force);
    this.#works.once(run, { name: 'calls', forGood: true }, () => beginCalls(this, run));
    this.wake();
  }

  submit(run: ActiveRun, decide: (state: RunState) => RunEvent[], options: SubmitOptions = {}): Submission<RunEvent> {
    const submission = run.ledger.submit(decide, options);
    submission.committed.catch((error: unknown) => this.#failed.reject(error));
    this.#board.heard(options.also ?? []);
    const { state } = run.ledger;
    if (state.status.kind === 'cancelling') cancel(run, state.status.force);
    for (const key of interruptedBy(submission.events, state))
      this.#works.track(
        run,
        submission.committed.then(() => interrupt(run, key)),
      );
    const ended = endedBy(submission.events);
    for (const key of ended) this.#works.track(run, tidy(this, run, key, submission.committed));
    unfold(this, run, [...beginsBy(submission.events, state), ...ended]);
    this.wake();
    return submission;
  }

  /** Looks what should be under way, at the next turn of the loop; many calls are one look. */
  wake(): void {
    if (this.#isAwake || this.#stop.signal.aborted) return;
    this.#isAwake = true;
    setImmediate(() => {
      this.#isAwake = false;
      this.#look();
    });
  }

  /** Resolves when nothing is under way and nothing can go on without a person; rejects when the engine cannot go on. */
  async idle(): Promise<void> {
    this.wake();
    while (!this.#stop.signal.aborted && !this.#isDraining) {
      await this.#works.inFlight.looked();
      const isMoving =
        this.#works.inFlight.size > 0 || [...this.#runs.values()].some((run) => !isSettled(run.ledger.state));
      if (!isMoving) return;
    }
  }

  /** Starts nothing new; resolves when what runs has ended. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await Promise.race([this.#works.inFlight.ended(), this.#failed.promise]);
  }

  /** Stops agents and checks, saves what they made; the runs can be resumed. */
  async stop(): Promise<void> {
    this.#isDraining = true;
    this.#stop.abort();
    this.#works.inFlight.look();
    this.#cancelAlarm();
    await this.#works.inFlight.ended();
  }

  /** Ends as if it were killed, but at rest: agents go on and are adopted by the next engine; afterwards nothing of this one acts. */
  async leave(): Promise<void> {
    crashpoint('engine.leaving');
    this.#leave.abort();
    await this.stop();
    crashpoint('engine.left');
  }

  /** Does what was asked for from outside; whoever ends the engine waits for it, and afterwards nothing is begun. */
  attend<T>(work: () => Promise<T>): Promise<T> {
    if (this.#stop.signal.aborted) return Promise.reject(new AppError('ENGINE_GONE', 'The engine is ending'));
    const done = work();
    // Its failure is for the asker.
    this.#works.inFlight.add(
      done
        .then(() => {})
        .catch(() => {})
        .finally(() => this.wake()),
    );
    return done;
  }

  #look(): void {
    this.#works.inFlight.look();
    if (this.#stop.signal.aborted) return;
    const runs = [...this.#runs.values()];
    for (const run of runs) this.#begin(run);
    const { intents, wakeAt } = next(
      runs.map((run) => run.ledger.state),
      this.#schedulingInput(runs),
    );
    for (const intent of intents) this.#act(intent);
    for (const run of runs) this.#close(run);
    this.#cancelAlarm();
    if (wakeAt !== undefined) this.#cancelAlarm = this.world.alarm(wakeAt, () => this.wake());
  }

  #schedulingInput(runs: readonly ActiveRun[]): SchedulingInput {
    const states = runs.map((run) => run.ledger.state);
    return {
      now: this.world.now(),
      slots: this.#isDraining ? 0 : freeSlotsFor(states, this.#works.claimed.size, this.home),
      board: this.#board.view(runs, this.#works.claimed),
      projects: this.#board.projects(states),
      claimed: this.#works.claimed,
      landing: this.#isDraining ? new Set(this.#runs.keys()) : this.#works.landing,
      outside: this.#board.outside(this.#runs, states),
    };
  }

  #begin(run: ActiveRun): void {
    const { state } = run.ledger;
    if (state.baseEvidence !== null || state.status.kind !== 'running' || this.#isDraining) return;
    this.#works.once(run, { name: 'base', forGood: false }, () =>
      holdOnError(this, run, checkBase(this, run, run.checks)),
    );
  }

  #act(intent: Intent): void {
    const run = this.#runs.get(intent.run);
    if (run === undefined) return;
    switch (intent.do) {
      case 'attempt':
        this.#works.perform(run, intent.task, () => beginAttempt(this, run, intent));
        return;
      case 'give-up':
        this.submit(run, (state) => giveUp(state, intent));
        return;
      case 'land':
        this.#works.land(run, holdOnError(this, run, landTasksWaiting(this, run, intent.tasks)));
        return;
    }
  }

  /** Takes what a run is due besides its tasks. */
  #close(run: ActiveRun): void {
    if (isWriteBackDue(run)) this.#works.once(run, TELL, () => tell(this, run));
    if (this.#works.landing.has(run.id)) return;
    const step = nextClosingStep(run.ledger.state);
    if (step !== undefined) this.#works.once(run, step, () => holdOnError(this, run, step.take(this, run)));
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
