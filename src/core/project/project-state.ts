import type { Filing } from '../../schema/collection.ts';
import type { ProjectEvent } from '../../schema/event.ts';
import type { BatchStart } from '../../schema/request.ts';

type Flag = { note: string | null; at: number };

/** How the runs of a project are organized: a fold of the project's own events, independent of the runs' events. */
export type ProjectState = {
  collections: { name: string; at: number }[];
  filed: Record<string, string>;
  hidden: Record<string, true>;
  flagged: Record<string, Flag>;
  /** The version at which a person last read a run; 0 where it was marked as unread. */
  read: Record<string, number>;
  /** Batches by id, while they have items that were not started. */
  batches: Record<string, BatchState>;
  /** The remote of a project that was added by its URL, and the name that it has on every machine. */
  remote?: { name: string; url: string };
};

/** A batch in progress: its start, and the run of each started item. */
export type BatchState = BatchStart & { runs: Record<number, string> };

const FOLDED: ReadonlySet<string> = new Set<ProjectEvent['type']>([
  'collection.added',
  'collection.renamed',
  'collection.removed',
  'collection.filed',
  'run.hidden',
  'run.unhidden',
  'run.flagged',
  'run.unflagged',
  'run.read',
  'batch.started',
  'batch.item-started',
  'batch.ended',
  'project.added',
  'project.removed',
]);

/** Whether this fold uses events of the type; others need not be read. */
export function isAboutFiling(type: string): boolean {
  return FOLDED.has(type);
}

/** The state of a project without events. */
export function emptyProject(): ProjectState {
  return { collections: [], filed: {}, hidden: {}, flagged: {}, read: {}, batches: {} };
}

/** The state after the event; changes the given state in place. */
export function evolveProject(state: ProjectState, event: ProjectEvent, at: number): ProjectState {
  switch (event.type) {
    case 'collection.added':
      add(state, event.data.name, at);
      return state;
    case 'collection.renamed':
      rename(state, event.data.name, event.data.to);
      return state;
    case 'collection.removed':
      remove(state, event.data.name);
      return state;
    case 'collection.filed':
      file(state, event.data, at);
      return state;
    case 'run.hidden':
      state.hidden[event.data.run] = true;
      return state;
    case 'run.unhidden':
      delete state.hidden[event.data.run];
      return state;
    case 'run.flagged':
      state.flagged[event.data.run] = { note: event.data.note ?? null, at };
      return state;
    case 'run.unflagged':
      delete state.flagged[event.data.run];
      return state;
    case 'run.read':
      state.read[event.data.run] = event.data.version;
      return state;
    case 'batch.started':
      state.batches[event.data.batch] = { ...event.data, runs: {} };
      return state;
    case 'batch.item-started': {
      const batch = state.batches[event.data.batch];
      if (batch !== undefined) batch.runs[event.data.item] = event.data.run;
      return state;
    }
    case 'batch.ended':
      delete state.batches[event.data.batch];
      return state;
    case 'project.added':
      state.remote = { name: event.data.name, url: event.data.remote };
      return state;
    case 'project.removed':
      delete state.remote;
      return state;
    case 'project.opened':
    case 'project.spent':
    case 'project.proved':
    case 'check.flaked':
    case 'run.archived':
    case 'run.restored':
      return state;
  }
}

/** How one run is filed. */
export function filingOf({ filed, hidden, flagged }: ProjectState, run: string): Filing {
  const flag = flagged[run];
  return {
    collection: filed[run] ?? null,
    hidden: hidden[run] === true,
    flag: flag === undefined ? null : { note: flag.note, at: new Date(flag.at).toISOString() },
  };
}

export function hasCollection({ collections }: ProjectState, name: string): boolean {
  return collections.some((collection) => collection.name === name);
}

function add(state: ProjectState, name: string, at: number): void {
  if (!hasCollection(state, name)) state.collections.push({ name, at });
}

function rename(state: ProjectState, name: string, to: string): void {
  state.collections = state.collections.map((collection) =>
    collection.name === name ? { ...collection, name: to } : collection,
  );
  for (const [run, collection] of Object.entries(state.filed)) if (collection === name) state.filed[run] = to;
}

function remove(state: ProjectState, name: string): void {
  state.collections = state.collections.filter((collection) => collection.name !== name);
  for (const [run, collection] of Object.entries(state.filed)) if (collection === name) delete state.filed[run];
}

/** A run is in one collection at most; filing a run creates a missing collection. */
function file(state: ProjectState, { run, collection }: { run: string; collection: string | null }, at: number): void {
  if (collection === null) {
    delete state.filed[run];
    return;
  }
  add(state, collection, at);
  state.filed[run] = collection;
}
