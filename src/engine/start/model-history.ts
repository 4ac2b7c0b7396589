import { emptyHistory, foldHistory, type History } from '../../core/models/history.ts';
import { ModelEvent } from '../../schema/event.ts';
import { MODELS_STREAM } from '../../schema/ids.ts';
import type { Store } from '../../store/store.ts';

const known = new WeakMap<Store, { version: number; history: History }>();

/** The results of models: one small event for each ended run, of which only the new ones are read. */
export function readHistory(store: Store): History {
  const read = known.get(store) ?? { version: 0, history: emptyHistory() };
  known.set(store, read);
  for (const { version, type, data, at } of store.read(MODELS_STREAM, read.version)) {
    const event = ModelEvent.safeParse({ type, data });
    // Events of a newer version are ignored: they are advice, not facts about a run.
    if (event.success) foldHistory(read.history, event.data, at);
    read.version = version;
  }
  return read.history;
}
