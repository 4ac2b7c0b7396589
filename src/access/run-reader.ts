import { setImmediate as nextTurn } from 'node:timers/promises';
import { redactForms, redactValue } from '../core/redact.ts';
import type { RunState } from '../core/run/state.ts';
import { NO_ACTIVITY, type RunActivity } from '../core/view/overview.ts';
import type { Engine } from '../engine/loop/engine.ts';
import { loadRun } from '../engine/loop/ledger.ts';
import type { Activity } from '../schema/document.ts';
import type { ShownEvent } from '../schema/event.ts';
import { runStream } from '../schema/ids.ts';
import type { Store, StoredEvent, TranscriptEntry } from '../store/store.ts';

/** Receives the rows of a run; events of the run also wake it. */
interface TranscriptListener extends Disposable {
  /** The rows since the last call, in order; undefined when some were dropped, which can be read from the store. */
  take(): TranscriptEntry[] | undefined;
  /** Resolves when a row or an event was stored since the last `take`, or the signal aborted. */
  changed(): Promise<void>;
}

/** Rows that were received and not taken are kept up to this; a slower reader reads them from the store. */
const MOST_ROWS = 2_000;

const MOST_CHARACTERS = 4 * 1024 * 1024;

/** `after` is the id of the last row received; without names, rows of all attempts of the run are read. */
type TranscriptQuery = { run: string; attempts?: readonly string[]; after: number; limit: number };

/** States of inactive runs may be large, so only a few are cached. */
const MOST_KEPT = 4;
/** A long history is read in pages, so that other readers do not wait long and it is never in memory as a whole. */
const READ_AT_ONCE = 500;

/** Reads runs: live from the engine of this process, otherwise folded from the store. */
export class RunReader {
  readonly #store: Store;
  readonly #engine: Engine | undefined;
  readonly #kept = new Map<string, RunState>();

  constructor(store: Store, engine: Engine | undefined) {
    this.#store = store;
    this.#engine = engine;
  }

  /** Whether changes are noticed as they happen: only in the engine's process. */
  get isLive(): boolean {
    return this.#engine !== undefined;
  }

  /** Ids, newest first. */
  ids(): string[] {
    return this.#store
      .streams('run/')
      .sort((a, b) => b.firstAt - a.firstAt)
      .map(({ stream }) => stream.slice('run/'.length));
  }

  state(run: string): RunState {
    return this.#engine?.runs.get(run)?.ledger.state ?? this.#folded(run);
  }

  /** Whether an engine is running it; only this process is checked, because another engine would have received the call. */
  isActive(run: string): boolean {
    return this.#engine?.runs.has(run) ?? false;
  }

  /** What the engine does for a run, and what the run waits for; nothing in a process without the engine. */
  activity(run: string): RunActivity {
    return this.#engine?.activities.of(run) ?? NO_ACTIVITY;
  }

  /** What is done to start a run in a folder, now and after each change, until the signal aborts; nothing in a process without the engine. */
  async *starting(folder: string, signal: AbortSignal): AsyncGenerator<Activity[]> {
    const activities = this.#engine?.activities;
    if (activities === undefined) return;
    let more = Promise.withResolvers<void>();
    const wake = () => more.resolve();
    const stop = activities.onChange((of) => {
      if (of === folder) wake();
    });
    signal.addEventListener('abort', wake, { once: true });
    try {
      while (!signal.aborted) {
        more = Promise.withResolvers<void>();
        yield activities.of(folder).activity;
        await more.promise;
      }
    } finally {
      stop();
      signal.removeEventListener('abort', wake);
    }
  }

  /** Every event after a version, once and in order; in the engine's process also new ones until the signal aborts. */
  events(run: string, after: number, signal: AbortSignal): AsyncIterable<ShownEvent[]> {
    return follow({ store: this.#store, engine: this.#engine, stream: runStream(run), after, signal });
  }

  /** All events so far. */
  history(run: string): ShownEvent[] {
    return this.#store.read(runStream(run)).map(shown);
  }

  /** Rows of transcripts in order; possibly fewer than the limit, but empty only at the end. */
  transcript({ run, attempts, after, limit }: TranscriptQuery): TranscriptEntry[] {
    if (attempts === undefined) return this.#store.runTranscript({ run, after, limit });
    return attempts
      .flatMap((attempt) => this.#store.transcript({ attempt, after, limit }))
      .sort((a, b) => a.id - b.id)
      .slice(0, limit);
  }

  /** Receives all rows from now on; only in the engine's process. */
  listen(run: string, signal: AbortSignal): TranscriptListener {
    return listenTo(this.#store, run, signal);
  }

  /** Resolves when an event or a row of the run was stored, or the signal aborted. */
  changed(run: string, signal: AbortSignal): Promise<void> {
    const store = this.#store;
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

  /** The runs that were read last are not folded again while they are unchanged. */
  #folded(run: string): RunState {
    const stream = runStream(run);
    const known = this.#kept.get(run);
    const isCurrent = known !== undefined && this.#store.streams(stream)[0]?.version === known.version;
    const state = isCurrent ? known : loadRun(this.#store, stream);
    this.#kept.delete(run);
    this.#kept.set(run, state);
    for (const oldest of this.#kept.keys()) if (this.#kept.size > MOST_KEPT) this.#kept.delete(oldest);
    return state;
  }
}

type Following = { store: Store; engine: Engine | undefined; stream: string; after: number; signal: AbortSignal };

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
      // Who reads them gets a turn of its own, and all events of the turns until then together.
      await nextTurn();
    }
  } finally {
    stop();
    signal.removeEventListener('abort', wake);
  }
}

/** Events with texts as a person wrote them, for the agents. */
const WITH_REQUESTS: ReadonlySet<string> = new Set([
  'run.started',
  'tasks.added',
  'task.messaged',
  'tasks.edited',
  'subrun.started',
]);

/** An event for clients: without the secret that identifies the processes of an attempt, and secrets in requests. */
function shown({ version, at, type, data, origin }: StoredEvent): ShownEvent {
  const by = origin === undefined ? {} : { origin };
  if (WITH_REQUESTS.has(type)) return { version, at, type, data: redactValue(data, redactForms), ...by };
  if (type !== 'attempt.spawned' || typeof data !== 'object' || data === null || !('process' in data))
    return { version, at, type, data, ...by };
  return { version, at, type, ...by, data: { ...data, process: Object.assign({}, data.process, { token: '' }) } };
}

/** Subscribes to the rows and events of a run: rows are passed on as they are stored, without reading them from the store. */
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
