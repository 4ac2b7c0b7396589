import type { TaskKey } from '../../schema/ids.ts';
import type { ActiveRun } from './context.ts';

export type InFlightOptions = {
  /** Something beyond an attempt's own failure went wrong. */
  onError: (run: ActiveRun, error: unknown) => void;
  /** Some work ended. */
  onEnd: (run: ActiveRun) => void;
};

/** What the engine has under way: tasks that are claimed, landings, and steps that a run takes one at a time. */
export class InFlight {
  readonly claimed = new Set<string>();
  readonly landing = new Set<string>();
  readonly work = new InFlightWork();
  readonly #steps = new Set<string>();
  readonly #options: InFlightOptions;

  constructor(options: InFlightOptions) {
    this.#options = options;
  }

  /** Works on a task, which nobody else does meanwhile. */
  perform(run: ActiveRun, key: TaskKey, work: () => Promise<void>): void {
    const claim = `${run.id} ${key}`;
    if (this.claimed.has(claim)) return;
    this.claimed.add(claim);
    this.track(
      run,
      work().finally(() => this.claimed.delete(claim)),
    );
  }

  /** Lands work of a run; one landing at a time. */
  land(run: ActiveRun, work: Promise<void>): void {
    this.landing.add(run.id);
    this.track(
      run,
      work.finally(() => this.landing.delete(run.id)),
    );
  }

  /** Takes a step of a run unless it is being taken; a step `forGood` is never taken again. */
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
    this.work.add(
      work.catch((error: unknown) => this.#options.onError(run, error)).finally(() => this.#options.onEnd(run)),
    );
  }
}

/** What an engine has under way, and the turns of its loop. */
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

  /** The loop has looked once more. */
  completePass(): void {
    this.#pass.resolve();
    this.#pass = Promise.withResolvers<void>();
  }

  /** The loop cannot go on: whoever waits for a look, now or later, is told so. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    // Nobody may be waiting.
    this.#pass.promise.catch(() => {});
    this.#pass.reject(error);
  }

  /** Resolves at the loop's next look; rejects if there will be none. */
  nextPass(): Promise<void> {
    return this.#failure === undefined ? this.#pass.promise : Promise.reject(this.#failure.error);
  }

  /** Resolves when nothing is under way, also nothing that began meanwhile. */
  async ended(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled([...this.#work]);
  }
}
