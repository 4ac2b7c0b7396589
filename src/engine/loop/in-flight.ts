import type { TaskKey } from '../../schema/ids.ts';
import type { ActiveRun } from './context.ts';

export type InFlightOptions = {
  /** An error other than the failure of an attempt. */
  onError: (run: ActiveRun, error: unknown) => void;
  /** Some work ended. */
  onEnd: (run: ActiveRun) => void;
  /** Ends early, or rejects, when the engine stops. */
  sleep: (ms: number) => Promise<void>;
};

/** A landing costs more than several merges: what ends shortly after one lands together. */
const LANDING_PAUSE_MS = 150;

/** Steps of a run of which at most one is in flight; with `onlyOnce` it is never repeated. */
export const ONCE = {
  checkBase: { name: 'base', onlyOnce: false },
  rewind: { name: 'rewind', onlyOnce: true },
  writeBack: { name: 'write-back', onlyOnce: false },
  smallCalls: { name: 'calls', onlyOnce: true },
};

/** What the engine has in flight: claimed tasks, landings, and steps of a run that happen one at a time. */
export class InFlight {
  readonly claimed = new Set<string>();
  /** The hosts that claimed tasks are to start on. */
  readonly claimedHosts = new Map<string, string>();
  readonly landing = new Set<string>();
  readonly work = new InFlightWork();
  readonly #steps = new Set<string>();
  readonly #counts = new Map<string, number>();
  readonly #options: InFlightOptions;

  constructor(options: InFlightOptions) {
    this.#options = options;
  }

  /** Works on a task unless it is already claimed. */
  perform(run: ActiveRun, { task, host }: { task: TaskKey; host?: string }, work: () => Promise<void>): void {
    const claim = `${run.id} ${task}`;
    if (this.claimed.has(claim)) return;
    this.claimed.add(claim);
    if (host !== undefined) this.claimedHosts.set(claim, host);
    const release = () => {
      this.claimed.delete(claim);
      this.claimedHosts.delete(claim);
    };
    this.track(run, work().finally(release));
  }

  /** Lands work of a run; one landing at a time, with a pause after it while tasks are worked on. */
  land(run: ActiveRun, work: Promise<void>): void {
    this.landing.add(run.id);
    const isLast = () => this.claimed.size === 0;
    const paused = work.then(() =>
      isLast() ? undefined : this.#options.sleep(LANDING_PAUSE_MS).catch(() => undefined),
    );
    this.track(
      run,
      paused.finally(() => this.landing.delete(run.id)),
    );
  }

  /** Performs a step of a run unless it is in flight; a step with `onlyOnce` is never repeated. */
  once(run: ActiveRun, step: { name: string; onlyOnce: boolean }, work: () => Promise<void>): void {
    const name = `${run.id} ${step.name}`;
    if (this.#steps.has(name)) return;
    this.#steps.add(name);
    this.track(
      run,
      work().finally(() => {
        if (!step.onlyOnce) this.#steps.delete(name);
      }),
    );
  }

  /** Counts work that belongs to a run until it ends. */
  track(run: ActiveRun, work: Promise<void>): void {
    this.#count(run, 1);
    const ended = () => {
      this.#count(run, -1);
      this.#options.onEnd(run);
    };
    this.work.add(work.catch((error: unknown) => this.#options.onError(run, error)).finally(ended));
  }

  /** Whether something of a run is in flight. */
  has(run: ActiveRun): boolean {
    return this.#counts.has(run.id);
  }

  #count({ id }: ActiveRun, by: 1 | -1): void {
    const count = (this.#counts.get(id) ?? 0) + by;
    if (count === 0) this.#counts.delete(id);
    else this.#counts.set(id, count);
  }
}

/** The work in flight, and the scheduling passes of the loop. */
export class InFlightWork {
  readonly #work = new Set<Promise<void>>();
  #pass = Promise.withResolvers<void>();
  #failure: { error: unknown } | undefined;

  get size(): number {
    return this.#work.size;
  }

  /** Counts work until it ends; it must not reject. */
  add(work: Promise<void>): void {
    const counted = work.finally(() => this.#work.delete(counted));
    this.#work.add(counted);
  }

  /** The loop has made another scheduling pass. */
  completePass(): void {
    this.#pass.resolve();
    this.#pass = Promise.withResolvers<void>();
  }

  /** The loop cannot continue: waiting for a pass rejects, now and later. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    // There may be no listener.
    this.#pass.promise.catch(() => {});
    this.#pass.reject(error);
  }

  /** Resolves at the next scheduling pass; rejects if there will be none. */
  nextPass(): Promise<void> {
    return this.#failure === undefined ? this.#pass.promise : Promise.reject(this.#failure.error);
  }

  /** Resolves when nothing is in flight, including work that started in the meantime. */
  async ended(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled([...this.#work]);
  }
}

/** The runs of an engine by id; one listener is called for each that is added or removed. */
export class ActiveRuns extends Map<string, ActiveRun> {
  #listener: (run: string) => void = () => {};

  onChange(listener: (run: string) => void): void {
    this.#listener = listener;
  }

  override set(run: string, active: ActiveRun): this {
    super.set(run, active);
    this.#listener(run);
    return this;
  }

  override delete(run: string): boolean {
    const wasActive = super.delete(run);
    if (wasActive) this.#listener(run);
    return wasActive;
  }
}
