import type { Origin } from '../schema/actor.ts';
import type { World } from '../world.ts';
import { type Fold, Ledger } from './ledger.ts';
import type { Store } from './store.ts';

/** The ledgers of all streams of one kind, each loaded when it is first used. */
export class Ledgers<State, Event extends { type: string; data: unknown }> {
  readonly #source: { store: Store; world: World; fold: Fold<State, Event> };
  readonly #ledgers = new Map<string, Ledger<State, Event>>();

  constructor(source: { store: Store; world: World; fold: Fold<State, Event> }) {
    this.#source = source;
  }

  /** The current state of a stream, with what other writers appended. */
  state(stream: string): State {
    return this.#ledgerOf(stream).refresh();
  }

  /** Decides on the current state and records the events; decides again where the stream was changed concurrently. */
  update(stream: string, decide: (state: State) => Event[], origin: Origin): Promise<State> {
    return this.#ledgerOf(stream).update(decide, origin);
  }

  #ledgerOf(stream: string): Ledger<State, Event> {
    const known = this.#ledgers.get(stream);
    if (known !== undefined) return known;
    const ledger = new Ledger({ ...this.#source, stream });
    this.#ledgers.set(stream, ledger);
    return ledger;
  }
}
