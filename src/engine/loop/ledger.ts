import { emptyKnowledge, evolveKnowledge, type KnowledgeState } from '../../core/project/knowledge.ts';
import { emptyLocks, evolveLocks, type LocksState } from '../../core/project/locks.ts';
import { emptyNotes, evolveNotes, type NotesState } from '../../core/project/notes.ts';
import type { OutputReader } from '../../core/run/evidence-output.ts';
import { evolve } from '../../core/run/evolve.ts';
import { EVOLVE_CODEC, type RunState } from '../../core/run/state.ts';
import { evolveRateLimits } from '../../core/schedule/account.ts';
import { emptySeries, evolveSeries, type WatchState } from '../../core/watch/watch-series.ts';
import { AppError } from '../../errors.ts';
import { KnowledgeEvent } from '../../schema/coordination/knowledge.ts';
import { LockEvent } from '../../schema/coordination/lock.ts';
import { NoteEvent } from '../../schema/coordination/note.ts';
import { AccountEvent, RunEvent } from '../../schema/event.ts';
import { accountStream, runStream } from '../../schema/ids.ts';
import { WatchEvent } from '../../schema/watch/watch-event.ts';
import { type Fold, Ledger, load } from '../../store/ledger.ts';
import type { Store, StoredEvent } from '../../store/store.ts';
import type { World } from '../../world.ts';

const ACCOUNTS = accountStream('');

// What reads a state from its snapshot folds nothing: a fold names its parts in functions, and the build defers them.

/** How the events of a run become its state. */
const RUN_FOLD: Fold<RunState, RunEvent> = {
  parse: parseEvent,
  evolve: (state, recorded) => evolve(state, recorded),
  codec: EVOLVE_CODEC,
  restore: asState,
};

/** How the events of a scope become its notes. */
export const NOTES_FOLD: Fold<NotesState, NoteEvent> = {
  parse: ({ type, data }) => NoteEvent.safeParse({ type, data }).data,
  evolve: (state, recorded) => evolveNotes(state, recorded),
  empty: () => emptyNotes(),
};

/** How the events of a scope become its knowledge. */
export const KNOWLEDGE_FOLD: Fold<KnowledgeState, KnowledgeEvent> = {
  parse: ({ type, data }) => KnowledgeEvent.safeParse({ type, data }).data,
  evolve: (state, recorded) => evolveKnowledge(state, recorded),
  empty: () => emptyKnowledge(),
};

/** How the events of a project become its locks. */
export const LOCKS_FOLD: Fold<LocksState, LockEvent> = {
  parse: ({ type, data }) => LockEvent.safeParse({ type, data }).data,
  evolve: (state, recorded) => evolveLocks(state, recorded),
  empty: () => emptyLocks(),
};

/** How the events of a project's series of rounds become its state. */
export const WATCH_FOLD: Fold<WatchState, WatchEvent> = {
  parse: ({ type, data }) => WatchEvent.safeParse({ type, data }).data,
  evolve: (state, { event, at }) => evolveSeries(state ?? emptySeries(), event, at),
  empty: () => emptySeries(),
  codec: 'watch-1',
  // Only this fold makes snapshots of this name.
  restore: (state) => state as WatchState,
};

export type RunLedger = Ledger<RunState, RunEvent>;

/** The ledger of a run whose state is already folded; `before`: what must be done before events are appended. */
export function runLedger(
  store: Store,
  world: World,
  state: RunState,
  before?: (events: readonly RunEvent[]) => Promise<void> | undefined,
): RunLedger {
  const stream = runStream(state.start.run);
  return new Ledger({ store, world, stream, fold: RUN_FOLD, before }, { state, version: state.version });
}

/** Folds a run from its newest snapshot and what came after it. */
export function loadRun(store: Store, stream: string): RunState {
  return load(store, stream, RUN_FOLD).state;
}

/** Reads the outputs of checks that the state of a run does not keep. */
export function outputReader(store: Pick<Store, 'read'>, run: string): OutputReader {
  const known = new Map<number, string | undefined>();
  return (version) => {
    // Several tasks can have the evidence of one event.
    if (!known.has(version)) known.set(version, outputIn(store.read(runStream(run), version - 1, 1)[0]?.data));
    return known.get(version);
  };
}

/** Without the schema of all events: commands that only show a run should not need it. */
function outputIn(data: unknown): string | undefined {
  const evidence = typeof data === 'object' && data !== null && 'evidence' in data ? data.evidence : undefined;
  const hasOutput = typeof evidence === 'object' && evidence !== null && 'output' in evidence;
  return hasOutput && typeof evidence.output === 'string' ? evidence.output : undefined;
}

/** Until when accounts, and families of their models, are rate-limited. */
export function loadRateLimits(store: Store): Record<string, number> {
  const accounts = store.streams(ACCOUNTS).map(({ stream }) => load(store, stream, accountFold(stream)).state);
  return Object.assign({}, ...accounts);
}

/** The account whose stream this is; undefined for another stream. */
export function accountOf(stream: string): string | undefined {
  return stream.startsWith(ACCOUNTS) ? stream.slice(ACCOUNTS.length) : undefined;
}

function accountFold(stream: string): Fold<Record<string, number>, AccountEvent> {
  const account = accountOf(stream) ?? stream;
  return {
    parse: ({ type, data }) => AccountEvent.safeParse({ type, data }).data,
    evolve: (limits, { event }) => evolveRateLimits(limits ?? {}, account, event),
    empty: () => ({}),
  };
}

/** The event of a stored row; what is stored is what we wrote, so a mismatch means damage. */
export function parseEvent(stored: Pick<StoredEvent, 'type' | 'data'>): RunEvent {
  const event = RunEvent.safeParse({ type: stored.type, data: stored.data });
  if (event.success) return event.data;
  throw new AppError('DATA_DAMAGED', `A stored event of type ${stored.type} cannot be read: ${event.error.message}`);
}

/** A snapshot is stored under the fold's name, so its type is the fold's state. */
function asState(state: unknown): RunState {
  if (isState(state)) return state;
  throw new AppError('DATA_DAMAGED', 'A snapshot cannot be read');
}

function isState(state: unknown): state is RunState {
  return typeof state === 'object' && state !== null && 'tasks' in state && 'version' in state;
}
