import type { TaskKey } from '../../schema/ids.ts';
import type { ActiveRun } from './context.ts';
import { InFlightWork } from './in-flight-work.ts';

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
