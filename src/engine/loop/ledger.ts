import { EVOLVE_CODEC, evolve } from '../../core/run/evolve.ts';
import type { RunState } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import { RunEvent } from '../../schema/event.ts';
import { runStream } from '../../schema/ids.ts';
import type { Store, StoredEvent, Write } from '../../store/store.ts';
import type { World } from '../../world.ts';

/** What was decided now and is being made durable; effects wait for `committed`. */
export type Submission = { events: RunEvent[]; committed: Promise<void> };

/** Snapshots are made when this many events came since the last one, and half as many again as it held. */
const SNAPSHOT_EVERY = 1_000;

/**
 * One run's state and the only door to its stream. A decision is folded at once, so that the next one sees it, and
 * is acknowledged after the commit; if the commit fails, the state is read anew from what is stored.
 */
export class RunLedger {
  readonly stream: string;
  #state: RunState;
  #snapshotAt: number;
  readonly #store: Store;
  readonly #world: World;

  constructor(store: Store, world: World, state: RunState) {
    this.#store = store;
    this.#world = world;
    this.#state = state;
    this.#snapshotAt = state.version;
    this.stream = runStream(state.start.run);
  }

  get state(): RunState {
    return this.#state;
  }

  /** Decides, folds, and appends, together with writes to other streams; nothing happens when there is nothing to say. */
  submit(decide: (state: RunState) => RunEvent[], also: readonly Write[] = []): Submission {
    const expected = this.#state.version;
    const events = decide(this.#state);
    if (events.length === 0 && also.length === 0) return { events, committed: Promise.resolve() };
    const at = this.#world.now();
    for (const event of events) evolve(this.#state, { event, at });
    const own = events.length === 0 ? [] : [{ stream: this.stream, expected, events }];
    return { events, committed: this.#append([...own, ...also], at) };
  }

  async #append(writes: Write[], at: number): Promise<void> {
    try {
      await this.#store.append(writes, at);
    } catch (error) {
      this.#state = loadRun(this.#store, this.stream);
      if (typeof error === 'object' && error !== null) storeFailures.add(error);
      throw error;
    }
    if (this.#state.version - this.#snapshotAt > SNAPSHOT_EVERY + this.#snapshotAt / 2) await this.snapshot();
  }

  /** Stores the state, so that a restart need not fold the history. */
  async snapshot(): Promise<void> {
    const { version } = this.#state;
    this.#snapshotAt = version;
    await this.#store.saveSnapshot({ stream: this.stream, version, codec: EVOLVE_CODEC, state: this.#state });
  }
}

const storeFailures = new WeakSet<object>();

/** Whether an error came from appending: without its store the engine cannot go on, whatever it was doing. */
export function isStoreFailure(error: unknown): boolean {
  return typeof error === 'object' && error !== null && storeFailures.has(error);
}

/** Folds a run from its newest snapshot and what came after it. */
export function loadRun(store: Store, stream: string): RunState {
  const snapshot = store.loadSnapshot(stream, EVOLVE_CODEC);
  let state = snapshot === undefined ? undefined : asState(snapshot.state);
  for (const stored of store.read(stream, snapshot?.version ?? 0))
    state = evolve(state, { event: parseEvent(stored), at: stored.at });
  if (state === undefined) throw new AppError('RUN_UNKNOWN', `There is no run ${stream.replace('run/', '')}`);
  return state;
}

/** The event of a stored row; what is stored is what we wrote, so a mismatch means damage. */
export function parseEvent(stored: Pick<StoredEvent, 'type' | 'data'>): RunEvent {
  const event = RunEvent.safeParse({ type: stored.type, data: stored.data });
  if (event.success) return event.data;
  throw new AppError('DATA_DAMAGED', `A stored event of type ${stored.type} cannot be read: ${event.error.message}`);
}

/** A snapshot carries the fold's name, so its shape is the fold's own. */
function asState(state: unknown): RunState {
  if (isState(state)) return state;
  throw new AppError('DATA_DAMAGED', 'A snapshot cannot be read');
}

function isState(state: unknown): state is RunState {
  return typeof state === 'object' && state !== null && 'tasks' in state && 'version' in state;
}
