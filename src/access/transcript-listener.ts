import { runStream } from '../schema/ids.ts';
import type { Store, TranscriptEntry } from '../store/store.ts';

/** Receives the rows of a run; events of the run wake it too. */
export interface TranscriptListener extends Disposable {
  /** The rows since the last call, in order; undefined when some were dropped, which can be read from the store. */
  take(): TranscriptEntry[] | undefined;
  /** Resolves when a row or an event was stored since the last `take`, or the signal aborted. */
  changed(): Promise<void>;
}

/** Rows that were received and not taken are kept up to this; a slower reader reads them from the store. */
const MOST_ROWS = 2_000;
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** Listens to the rows and events of a run: rows are passed on as they were stored, without being read again. */
export function listenTo(store: Store, run: string, signal: AbortSignal): TranscriptListener {
  let rows: TranscriptEntry[] = [];
  let characters = 0;
  let hasMissed = false;
  let isNew = false;
  let wake: (() => void) | undefined;

  const notify = () => {
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
    if (events.some(({ stream }) => stream === runStream(run))) notify();
  });
  const beginning = `${run}-`;
  const stopRows = store.onTranscript((added) => {
    let isOurs = false;
    for (const row of added) {
      if (!row.attempt.startsWith(beginning)) continue;
      isOurs = true;
      if (!hasMissed) keep(row);
    }
    if (isOurs) notify();
  });
  signal.addEventListener('abort', notify, { once: true });

  return {
    take: () => {
      const taken = hasMissed ? undefined : rows;
      rows = [];
      characters = 0;
      hasMissed = false;
      isNew = false;
      return taken;
    },
    changed: async () => {
      if (isNew || signal.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      await promise;
    },
    [Symbol.dispose]: () => {
      stopEvents();
      stopRows();
      signal.removeEventListener('abort', notify);
    },
  };
}
