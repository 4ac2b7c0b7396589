import type { TranscriptItem, TranscriptListener } from '../app/port-interfaces.ts';
import { runStream } from '../schema/ids.ts';
import type { Store, TranscriptEntry } from '../store/store.ts';

/** What was heard and not taken yet is kept up to this; whoever is slower reads it from the store. */
const MOST_ROWS = 2_000;
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** Listens to what is said and what happens in a run: rows are handed on as they were stored, without being read again. */
export function listenTo(store: Store, run: string, signal: AbortSignal): TranscriptListener {
  let rows: TranscriptItem[] = [];
  let characters = 0;
  let hasMissed = false;
  let isNew = false;
  let wake: (() => void) | undefined;

  const rouse = () => {
    isNew = true;
    wake?.();
    wake = undefined;
  };
  const keep = (row: TranscriptEntry) => {
    characters += row.text.length + (row.data === undefined ? 0 : (JSON.stringify(row.data)?.length ?? 0));
    hasMissed ||= rows.length >= MOST_ROWS || characters > MOST_CHARACTERS;
    if (hasMissed) rows = [];
    else rows.push(row);
  };
  const stopEvents = store.onAppend((events) => {
    if (events.some(({ stream }) => stream === runStream(run))) rouse();
  });
  const beginning = `${run}-`;
  const stopRows = store.onTranscript((told) => {
    let isOurs = false;
    for (const row of told) {
      if (!row.attempt.startsWith(beginning)) continue;
      isOurs = true;
      if (!hasMissed) keep(row);
    }
    if (isOurs) rouse();
  });
  signal.addEventListener('abort', rouse, { once: true });

  return {
    take: () => {
      const taken = hasMissed ? undefined : rows;
      rows = [];
      characters = 0;
      hasMissed = false;
      isNew = false;
      return taken;
    },
    news: async () => {
      if (isNew || signal.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      await promise;
    },
    [Symbol.dispose]: () => {
      stopEvents();
      stopRows();
      signal.removeEventListener('abort', rouse);
    },
  };
}
