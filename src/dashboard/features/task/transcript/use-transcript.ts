import { useCallback, useEffect, useRef, useState } from 'react';
import type { LogLine } from '../../../../schema/document.ts';
import type { TranscriptLine } from '../../../../schema/transcript-page.ts';
import { call } from '../../../api/call.ts';
import type { ConnectionState } from '../../../api/follow-events.ts';
import { useStream } from '../../../api/stream.ts';
import { type LoadedRows, loadedRows, PAGE_ROWS, withNewRows, withPage } from './loaded-rows.ts';

export type AttemptRef = { run: string; task: string; attempt: number };

/** A transcript that is loaded in pages and grows while its attempt is running. */
export type Transcript = {
  window: LoadedRows | undefined;
  error: unknown;
  connectionState: ConnectionState;
  /** Whether the reader follows the end; only then old rows are dropped for new ones. */
  followed: { current: boolean };
  /** Loads the adjacent page. */
  more(side: 'before' | 'after'): void;
  /** Replaces the loaded rows by those around this offset. */
  goTo(offset: number): Promise<void>;
  goToRow(row: number): Promise<void>;
  goToEnd(): Promise<void>;
  reload(): void;
};

/** Loads the transcript of one attempt: the newest page first, then pages on demand. */
export function useTranscript(which: AttemptRef, isLive: boolean): Transcript {
  const { run, task, attempt } = which;
  const key = `${run} ${task} ${attempt}`;
  const [held, setHeld] = useState<{ key: string; window: LoadedRows }>();
  const [error, setError] = useState<unknown>();
  const [requestCount, setRequestCount] = useState(0);
  const followed = useRef(true);
  const controller = useRef(new AbortController());
  const loading = useRef({ before: false, after: false });
  const window = held?.key === key ? held.window : undefined;
  const current = useRef(window);
  current.current = window;

  const read = useCallback(
    (query: { offset?: number; row?: number; limit?: number }) =>
      call('read-transcript', { run, task, attempt, limit: PAGE_ROWS, ...query }, controller.current.signal),
    [run, task, attempt],
  );
  const change = useCallback(
    (how: (window: LoadedRows) => LoadedRows) =>
      setHeld((was) => (was?.key === key ? { key, window: how(was.window) } : was)),
    [key],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: `requestCount` repeats the request
  useEffect(() => {
    controller.current = new AbortController();
    const { signal } = controller.current;
    loading.current = { before: false, after: false };
    setError(undefined);
    read({}).then(
      (page) => setHeld({ key, window: loadedRows(page, 0) }),
      (thrown: unknown) => signal.aborted || setError(thrown),
    );
    return () => controller.current.abort();
  }, [key, read, requestCount]);

  const more = useCallback(
    (side: 'before' | 'after') => {
      const now = current.current;
      if (now === undefined || loading.current[side]) return;
      const end = now.start + now.rows.length;
      if (side === 'before' ? now.start === 0 : end >= now.total) return;
      loading.current[side] = true;
      const query =
        side === 'after'
          ? { offset: end }
          : { offset: Math.max(0, now.start - PAGE_ROWS), limit: Math.min(PAGE_ROWS, now.start) };
      read(query)
        .then((page) => change((was) => withPage(was, page)))
        .catch(() => {
          // A failed page is requested again by the next scroll.
        })
        .finally(() => {
          loading.current[side] = false;
        });
    },
    [read, change],
  );

  const replace = useCallback(
    async (query: { offset?: number; row?: number }) => {
      const page = await read(query);
      change((was) => loadedRows({ ...page, total: Math.max(page.total, was.total) }, was.last));
    },
    [read, change],
  );
  const goTo = useCallback((offset: number) => replace({ offset: Math.max(0, offset - PAGE_ROWS / 2) }), [replace]);
  const goToRow = useCallback((row: number) => replace({ row }), [replace]);
  const goToEnd = useCallback(() => replace({}), [replace]);
  const reload = useCallback(() => setRequestCount((times) => times + 1), []);
  const wasLive = useRef(isLive);
  useEffect(() => {
    const hasEnded = wasLive.current && !isLive;
    wasLive.current = isLive;
    const now = current.current;
    if (hasEnded && now !== undefined)
      read({ offset: now.start + now.rows.length }).then(
        (page) => change((was) => withPage(was, page)),
        () => {
          // The last rows are loaded when the user scrolls to the end.
        },
      );
  }, [isLive, read, change]);

  const connectionState = useLive(
    key,
    { which, isOn: isLive && window !== undefined, last: () => current.current?.last ?? 0 },
    (rows) => change((was) => withNewRows(was, rows, followed.current)),
  );
  return { window, error, connectionState, followed, more, goTo, goToRow, goToEnd, reload };
}

type Live = { which: AttemptRef; isOn: boolean; last(): number };

/** New rows of a live attempt, gathered to one update per frame. */
function useLive(key: string, { which, isOn, last }: Live, onRows: (rows: TranscriptLine[]) => void): ConnectionState {
  const waiting = useRef<{ key: string; rows: TranscriptLine[] }>({ key, rows: [] });
  const latestOnRows = useRef(onRows);
  latestOnRows.current = onRows;
  if (waiting.current.key !== key) waiting.current = { key, rows: [] };
  return useStream('read-logs', {
    key,
    enabled: isOn,
    input: () => ({ ...which, after: last(), follow: true }),
    onItem: (line) => {
      const mine = waiting.current;
      mine.rows.push(asRow(line));
      if (mine.rows.length > 1) return;
      requestAnimationFrame(() => {
        if (waiting.current === mine) latestOnRows.current(mine.rows.splice(0));
      });
    },
  });
}

function asRow({ id, at, kind, text, stderr, data }: LogLine): TranscriptLine {
  const channel = stderr === undefined ? {} : { stderr };
  return { id, at: new Date(at).getTime(), kind, text, ...channel, ...(data === undefined ? {} : { data }) };
}
