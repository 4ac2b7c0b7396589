import type { RunsPort } from '../app/port-interfaces.ts';
import type { RunState } from '../core/run/state.ts';
import type { Engine } from '../engine/loop/engine.ts';
import { loadRun } from '../engine/loop/ledger.ts';
import type { ShownEvent } from '../schema/event.ts';
import { runStream } from '../schema/ids.ts';
import type { Store, StoredEvent } from '../store/store.ts';
import { listenTo } from './transcript-listener.ts';

/** States of runs that nobody carries may be big. */
const MOST_KEPT = 4;
/** A long history is read in pieces: nobody else waits long meanwhile, and no reader holds all of it. */
const READ_AT_ONCE = 500;

/** Reads runs from the store; with an engine in this process their live states, and news as it comes. */
export function runsPort(store: Store, engine: Engine | undefined): RunsPort {
  const kept = new Map<string, RunState>();

  /** The runs that were looked at last need not be folded again while nothing happens to them. */
  function folded(run: string): RunState {
    const stream = runStream(run);
    const known = kept.get(run);
    const isCurrent = known !== undefined && store.streams(stream)[0]?.version === known.version;
    const state = isCurrent ? known : loadRun(store, stream);
    kept.delete(run);
    kept.set(run, state);
    for (const oldest of kept.keys()) if (kept.size > MOST_KEPT) kept.delete(oldest);
    return state;
  }

  return {
    isLive: engine !== undefined,
    ids: () =>
      store
        .streams('run/')
        .sort((a, b) => b.firstAt - a.firstAt)
        .map(({ stream }) => stream.slice('run/'.length)),
    state: (run) => engine?.runs.get(run)?.ledger.state ?? folded(run),
    isActive: (run) => engine?.runs.has(run) ?? false,
    events: (run, after, signal) => follow({ store, engine, stream: runStream(run), after, signal }),
    history: (run) => store.read(runStream(run)).map(shown),
    said: ({ run, attempts, after, limit }) =>
      attempts === undefined
        ? store.runTranscript({ run, after, limit })
        : attempts
            .flatMap((attempt) => store.transcript({ attempt, after, limit }))
            .sort((a, b) => a.id - b.id)
            .slice(0, limit),
    listen: (run, signal) => listenTo(store, run, signal),
    news: (run, signal) => news(store, run, signal),
  };
}

type Following = { store: Store; engine: Engine | undefined; stream: string; after: number; signal: AbortSignal };

/** Everything after a version, once and in order: what is stored, then (with an engine) what gets committed. */
async function* follow({ store, engine, stream, after, signal }: Following): AsyncGenerator<ShownEvent[]> {
  let version = after;
  let more = Promise.withResolvers<void>();
  let broken: { error: unknown } | undefined;
  const wake = () => more.resolve();
  const stop = store.onAppend((events: StoredEvent[]) => {
    if (events.some((event) => event.stream === stream)) wake();
  });
  engine?.failed.catch((error: unknown) => {
    broken = { error };
    wake();
  });
  signal.addEventListener('abort', wake, { once: true });
  try {
    while (!signal.aborted) {
      more = Promise.withResolvers<void>();
      const events = store.read(stream, version, READ_AT_ONCE);
      version = events.at(-1)?.version ?? version;
      if (events.length > 0) yield events.map(shown);
      if (events.length === READ_AT_ONCE) continue;
      if (engine === undefined) return;
      if (broken !== undefined) throw broken.error;
      await more.promise;
    }
  } finally {
    stop();
    signal.removeEventListener('abort', wake);
  }
}

/** An event as it is shown: without the secret by which the processes of an attempt are found. */
function shown({ version, at, type, data, origin }: StoredEvent): ShownEvent {
  const by = origin === undefined ? {} : { origin };
  if (type !== 'attempt.spawned' || typeof data !== 'object' || data === null || !('process' in data))
    return { version, at, type, data, ...by };
  return { version, at, type, ...by, data: { ...data, process: Object.assign({}, data.process, { token: '' }) } };
}

function news(store: Store, run: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stopEvents();
      stopRows();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const stopEvents = store.onAppend((events) => {
      if (events.some((event) => event.stream === runStream(run))) done();
    });
    const stopRows = store.onTranscript((rows) => {
      if (rows.some((row) => row.attempt.startsWith(`${run}-`))) done();
    });
    signal.addEventListener('abort', done, { once: true });
  });
}
