import { type Charge, chargesOf } from '../core/view/usage.ts';
import type { RunReader } from './run-reader.ts';

/** The charges of runs; each version of a run is folded once. */
export class RunCharges {
  readonly #runs: RunReader;
  readonly #known = new Map<string, { version: number; charges: Charge[] }>();

  constructor(runs: RunReader) {
    this.#runs = runs;
  }

  /** The charges of a run that is at this version. */
  of(run: string, version: number): Charge[] {
    const known = this.#known.get(run);
    if (known?.version === version) return known.charges;
    const charges = chargesOf(this.#runs.state(run));
    this.#known.set(run, { version, charges });
    return charges;
  }
}
