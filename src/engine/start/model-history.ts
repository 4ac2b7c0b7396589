import { emptyHistory, foldHistory, type History } from '../../core/models/history.ts';
import { ModelEvent } from '../../schema/event.ts';
import { MODELS_STREAM } from '../../schema/ids.ts';
import { type Fold, Ledger } from '../../store/ledger.ts';
import type { Store } from '../../store/store.ts';
import type { World } from '../../world.ts';

/** The results of models. Events of a newer version are ignored: they are advice, not facts about a run. */
const MODEL_FOLD: Fold<History, ModelEvent> = {
  parse: ({ type, data }) => ModelEvent.safeParse({ type, data }).data,
  evolve: (history = emptyHistory(), { event, at }) => foldHistory(history, event, at),
  empty: emptyHistory,
};

const ledgers = new WeakMap<Store, Ledger<History, ModelEvent>>();

/** The results of models so far: one small event for each ended run, of which only the new ones are read. */
export function readHistory({ store, world }: { store: Store; world: World }): History {
  const ledger = ledgers.get(store) ?? new Ledger({ store, world, stream: MODELS_STREAM, fold: MODEL_FOLD });
  ledgers.set(store, ledger);
  return ledger.refresh();
}
