import type { Ports } from '../../app/port-interfaces.ts';
import {
  addCollection,
  fileRuns,
  removeCollection,
  renameCollection,
  unfileRuns,
} from '../../core/project/collection.ts';
import type { ProjectState } from '../../core/project/project-state.ts';
import { AppError } from '../../errors.ts';
import type { CollectionDocument } from '../../schema/collection.ts';
import { completeId } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Lists the collections of a project in the order in which they were made. */
export const listCollections: Operation<'list-collections'> = async (ports, { dir }) => {
  const { id } = await ports.work.project(dir);
  const state = ports.projects.state(id);
  return documents(ports, state, state.collections);
};

/** Makes a collection; with runs, puts them into it, whether it was there or not. */
export const addToCollection: Operation<'add-collection'> = async (ports, { dir, name, runs }) => {
  const project = await ports.work.project(dir);
  const ids = ownRuns(ports, project, runs);
  const state = await ports.projects.submit(project.id, (current) =>
    ids.length === 0 ? addCollection(current, name) : fileRuns(current, { runs: ids, collection: name }),
  );
  return document(ports, state, name);
};

/** Gives a collection another name. */
export const rename: Operation<'rename-collection'> = async (ports, { dir, name, to }) => {
  const { id } = await ports.work.project(dir);
  const state = await ports.projects.submit(id, (current) => renameCollection(current, { name, to }));
  return document(ports, state, to);
};

/** Removes a collection, or takes runs out of it; no run is ever removed. */
export const removeFromCollection: Operation<'remove-collection'> = async (ports, { dir, name, runs }) => {
  const project = await ports.work.project(dir);
  const ids = ownRuns(ports, project, runs);
  let before: string[] = [];
  await ports.projects.submit(project.id, (state) => {
    before = Object.keys(state.filed).filter((run) => state.filed[run] === name);
    return ids.length === 0 ? removeCollection(state, name) : unfileRuns(state, { runs: ids, collection: name });
  });
  return { name, removed: ids.length === 0, runs: ids.length === 0 ? before : ids };
};

/** Runs by unique beginnings of their ids; a collection holds runs of its own project only. */
function ownRuns(ports: Ports, project: { id: string; root: string }, runs: readonly string[]): string[] {
  return runs.map((beginning) => {
    const run = completeId(ports, beginning);
    if (ports.runs.state(run).start.project.id === project.id) return run;
    throw new AppError('INPUT_INVALID', `Run ${run} is of another project than ${project.root}`, { run });
  });
}

function document(ports: Ports, state: ProjectState, name: string): CollectionDocument {
  const [found] = documents(
    ports,
    state,
    state.collections.filter((collection) => collection.name === name),
  );
  if (found === undefined) throw new AppError('COLLECTION_UNKNOWN', `There is no collection "${name}"`, { name });
  return found;
}

/** Runs that were archived and removed are still filed, and not counted. */
function documents(ports: Ports, state: ProjectState, wanted: ProjectState['collections']): CollectionDocument[] {
  const known = new Set(ports.runs.ids());
  const filed = Object.entries(state.filed).filter(([run]) => known.has(run));
  return wanted.map(({ name, at }) => {
    const runs = filed.filter(([, collection]) => collection === name).map(([run]) => ports.runs.state(run));
    const ended = runs.flatMap(({ status }) => (status.kind === 'ended' ? [status.status] : []));
    return {
      name,
      createdAt: new Date(at).toISOString(),
      runs: runs.length,
      open: runs.length - ended.length,
      failed: ended.filter((status) => status === 'failed').length,
      cost: Math.round(runs.reduce((sum, { spent }) => sum + spent.costUsd, 0) * 1e6) / 1e6,
    };
  });
}
