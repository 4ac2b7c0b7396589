import { AppError } from '../errors.ts';
import type { Origin } from '../schema/actor.ts';
import type { World } from '../world.ts';
import { headText } from './chain.ts';
import type { HostOrder } from './fleet.ts';
import type { Store, StoredEvent, Write } from './store.ts';

/** An event as a fold sees it: what happened, when, and who caused it. */
type Recorded<Event> = { event: Event; at: number; origin?: Origin | undefined };

/** How the events of one kind of stream become a state. */
export interface Fold<State, Event> {
  /** The event of a stored row; undefined for one that this fold ignores. Throws DATA_DAMAGED for one that cannot be read. */
  parse(stored: StoredEvent): Event | undefined;
  /** The state after the event; may change the given state in place. */
  evolve(state: State | undefined, recorded: Recorded<Event>): State;
  /** The state of a stream without events; without it such a stream does not exist. */
  empty?(): State;
  /** Snapshots are kept under this name; a fold of another meaning has another name. */
  readonly codec?: string;
  /** The state of a snapshot that this fold made. */
  restore?(state: unknown): State;
}

/** What was decided and is being made durable; effects wait for `committed`. */
export type Submission<Event> = { events: Event[]; committed: Promise<void> };

/** What is written in the same transaction, the order to a host that the events cause or finish, and who causes them. */
export type SubmitOptions = {
  also?: readonly Write[];
  origin?: Origin | undefined;
  order?: HostOrder | undefined;
  finished?: string | undefined;
};

/** How often a decision is made again because another writer of the stream was faster. */
const TRIES = 20;
/** Snapshots are made when this many events came since the last one, and a quarter as many again as it held. */
const SNAPSHOT_EVERY = 1_000;
/** A long history is never in memory as a whole. */
const READ_AT_ONCE = 500;

type StoredShape = { type: string; data: unknown };
type Loaded<State> = { state: State; version: number };

type Source<State, Event> = {
  store: Store;
  world: World;
  stream: string;
  fold: Fold<State, Event>;
  /** What must be done before events are appended; undefined if nothing. Later events wait too. */
  before?: ((events: readonly Event[]) => Promise<void> | undefined) | undefined;
};

/**
 * The state of one stream (a run, a project, an account) and the way to change it. A decision is folded at once, so
 * that the next one sees it, and acknowledged after the commit; if the commit fails, the state is loaded again. Only
 * what is new is ever read: a submit never reads the whole stream.
 */
export class Ledger<State, Event extends StoredShape> {
  readonly stream: string;
  readonly #store: Store;
  readonly #world: World;
  readonly #fold: Fold<State, Event>;
  readonly #before: Source<State, Event>['before'];
  #loaded: Loaded<State>;
  #snapshotAt: number;
  /** The last append that waits, or waits for one that does. */
  #waiting: Promise<unknown> | undefined;

  constructor(source: Source<State, Event>, loaded: Loaded<State> = load(source.store, source.stream, source.fold)) {
    this.stream = source.stream;
    this.#store = source.store;
    this.#world = source.world;
    this.#fold = source.fold;
    this.#before = source.before;
    this.#loaded = loaded;
    this.#snapshotAt = loaded.version;
  }

  get state(): State {
    return this.#loaded.state;
  }

  get version(): number {
    return this.#loaded.version;
  }

  /** The written form of the stream's chain head, as far as it is durable. */
  get chainHead(): string {
    const head = this.#store.head(this.stream);
    return head === undefined ? '' : headText(head);
  }

  /** Folds what other writers have appended since. */
  refresh(): State {
    this.#loaded = foldMore(this.#store, this.stream, this.#fold, this.#loaded);
    return this.state;
  }

  /** Decides, folds and appends, together with writes to other streams; without events and writes nothing happens. */
  submit(
    decide: (state: State) => Event[],
    { also = [], origin, order, finished }: SubmitOptions = {},
  ): Submission<Event> {
    const expected = this.version;
    const events = decide(this.state);
    if (events.length === 0 && also.length === 0) return { events, committed: Promise.resolve() };
    const at = this.#world.now();
    const by = origin === undefined ? {} : { origin };
    let { state } = this.#loaded;
    for (const event of events) state = this.#fold.evolve(state, { event, at, origin });
    this.#loaded = { state, version: expected + events.length };
    const own = events.length === 0 ? [] : [{ stream: this.stream, expected, events, order, finished, ...by }];
    return { events, committed: this.#append([...own, ...also], at, this.#before?.(events)) };
  }

  /** As `submit`, for a stream that has other writers: decides again when one of them was faster. */
  async update(decide: (state: State) => Event[], origin?: Origin | undefined): Promise<State> {
    for (let left = TRIES; ; left -= 1) {
      this.refresh();
      try {
        await this.submit(decide, { origin }).committed;
        return this.state;
      } catch (error) {
        if (left <= 1 || !(error instanceof AppError) || error.code !== 'CONFLICT') throw error;
      }
    }
  }

  /** Stores the state, so that a restart need not fold the history. */
  async snapshot(): Promise<void> {
    const { codec } = this.#fold;
    if (codec === undefined) return;
    const { state, version } = this.#loaded;
    this.#snapshotAt = version;
    await this.#store.saveSnapshot({ stream: this.stream, version, codec, state });
  }

  async #append(writes: Write[], at: number, ready: Promise<void> | undefined): Promise<void> {
    try {
      if (ready !== undefined || this.#waiting !== undefined) await this.#appendInTurn(writes, at, ready);
      else await this.#store.append(writes, at);
    } catch (error) {
      this.#loaded = load(this.#store, this.stream, this.#fold);
      if (typeof error === 'object' && error !== null) storeFailures.add(error);
      throw error;
    }
    // A snapshot must not be ahead of the events that are stored.
    if (this.#waiting !== undefined) return;
    if (this.version - this.#snapshotAt > SNAPSHOT_EVERY + this.#snapshotAt / 4) await this.snapshot();
  }

  /** Appends when everything that was decided before has been handed to the store, and the writes are ready. */
  async #appendInTurn(writes: Write[], at: number, ready: Promise<void> | undefined): Promise<void> {
    const earlier = this.#waiting;
    let appended: Promise<unknown> | undefined;
    const handedOver = Promise.allSettled([earlier, ready]).then(async ([, own]) => {
      if (own.status === 'rejected') throw own.reason;
      appended = this.#store.append(writes, at);
      // Its error is for who awaits it below; the next one only waits for its turn.
      appended.catch(() => {});
    });
    this.#waiting = handedOver;
    try {
      await handedOver;
    } finally {
      if (this.#waiting === handedOver) this.#waiting = undefined;
    }
    await appended;
  }
}

const storeFailures = new WeakSet<object>();

/** Whether an error came from appending: without its store the engine cannot continue, whatever it was doing. */
export function isStoreFailure(error: unknown): boolean {
  return typeof error === 'object' && error !== null && storeFailures.has(error);
}

/** Folds a stream from its newest snapshot and what came after it. */
export function load<State, Event>(store: Store, stream: string, fold: Fold<State, Event>): Loaded<State> {
  const snapshot = fold.codec === undefined ? undefined : store.loadSnapshot(stream, fold.codec);
  const restored = snapshot === undefined ? fold.empty?.() : fold.restore?.(snapshot.state);
  const { state, version } = foldMore(store, stream, fold, { state: restored, version: snapshot?.version ?? 0 });
  if (state === undefined) throw new AppError('RUN_UNKNOWN', `There is no ${stream.replace('/', ' ')}`);
  return { state, version };
}

function foldMore<State, Event, From extends State | undefined>(
  store: Pick<Store, 'read'>,
  stream: string,
  fold: Fold<State, Event>,
  from: Loaded<From>,
): Loaded<State | From> {
  let state: State | From = from.state;
  let { version } = from;
  for (let rows = READ_AT_ONCE; rows === READ_AT_ONCE; ) {
    const stored = store.read(stream, version, READ_AT_ONCE);
    for (const row of stored) {
      const event = fold.parse(row);
      if (event === undefined) continue;
      state = fold.evolve(state, { event, at: row.at, origin: row.origin });
    }
    version = stored.at(-1)?.version ?? version;
    rows = stored.length;
  }
  return { state, version };
}
