import { AppError } from '../../errors.ts';
import type { ProjectEvent } from '../../schema/event.ts';
import { hasCollection, type ProjectState } from './project-state.ts';

/** Creates a collection; the name must be unused. */
export function addCollection(state: ProjectState, name: string): ProjectEvent[] {
  requireFree(state, name);
  return [{ type: 'collection.added', data: { name } }];
}

/** Renames a collection; its runs stay in it. */
export function renameCollection(state: ProjectState, { name, to }: { name: string; to: string }): ProjectEvent[] {
  requireCollection(state, name);
  if (name === to) return [];
  requireFree(state, to);
  return [{ type: 'collection.renamed', data: { name, to } }];
}

/** Removes a collection; its runs are kept. */
export function removeCollection(state: ProjectState, name: string): ProjectEvent[] {
  requireCollection(state, name);
  return [{ type: 'collection.removed', data: { name } }];
}

/** Moves runs into a collection, which is created if necessary. */
export function fileRuns(
  state: ProjectState,
  { runs, collection }: { runs: readonly string[]; collection: string },
): ProjectEvent[] {
  return [...new Set(runs)]
    .filter((run) => state.filed[run] !== collection)
    .map((run) => ({ type: 'collection.filed', data: { run, collection } }));
}

/** Removes runs from a collection; a run that is not in it is an error. */
export function unfileRuns(
  state: ProjectState,
  { runs, collection }: { runs: readonly string[]; collection: string },
): ProjectEvent[] {
  requireCollection(state, collection);
  const notFiled = runs.find((run) => state.filed[run] !== collection);
  if (notFiled !== undefined)
    throw new AppError('REFUSED', `Run ${notFiled} is not in the collection "${collection}"`, { run: notFiled });
  return [...new Set(runs)].map((run) => ({ type: 'collection.filed', data: { run, collection: null } }));
}

/** Requires that the collection exists; the error lists those that do. */
export function requireCollection(state: ProjectState, name: string): void {
  if (hasCollection(state, name)) return;
  const names = state.collections.map((collection) => collection.name);
  const known =
    names.length === 0 ? 'There are no collections yet' : `Existing collections: ${names.slice(0, 20).join(', ')}`;
  throw new AppError('COLLECTION_UNKNOWN', `There is no collection "${name}". ${known}`, { name });
}

function requireFree(state: ProjectState, name: string): void {
  if (hasCollection(state, name))
    throw new AppError('COLLECTION_TAKEN', `A collection "${name}" already exists`, { name });
}

/** The name, with a number appended where a collection has that name. */
export function freeName(state: ProjectState, name: string): string {
  let free = name;
  for (let number = 2; hasCollection(state, free); number += 1) free = `${name} ${number}`;
  return free;
}
