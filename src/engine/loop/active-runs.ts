import type { ActiveRun } from './context.ts';

/** The runs that an engine carries, by id; one listener hears of each that is taken up or given up. */
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
    const isGone = super.delete(run);
    if (isGone) this.#listener(run);
    return isGone;
  }
}
