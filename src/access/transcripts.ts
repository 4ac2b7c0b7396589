import type { TranscriptsPort } from '../app/view-interfaces.ts';
import type { TranscriptLine } from '../schema/transcript-page.ts';
import type { Store, TranscriptEntry } from '../store/store.ts';

/** What agents said, from the store. */
export function transcriptsPort(store: Store): TranscriptsPort {
  return {
    count: (attempt) => store.rowCount(attempt),
    page: (query) => store.page(query).map(lineOf),
    offsetOf: (attempt, row) => store.offsetOf(attempt, row),
    find: (query) => store.find(query),
    search: (query) => store.search(query),
    mentioning: (words, limit) =>
      store.mentioning(words, limit).flatMap((stream) => (stream.startsWith('run/') ? [stream.slice(4)] : [])),
  };
}

function lineOf({ id, at, kind, text, data }: TranscriptEntry): TranscriptLine {
  return { id, at, kind, text, ...(data === undefined ? {} : { data }) };
}
