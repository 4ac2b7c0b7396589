import type { App } from '../../app.ts';
import type { ProjectState } from '../../core/project/project-state.ts';
import { AppError } from '../../errors.ts';
import type { CollectionDocument } from '../../schema/collection.ts';
import { completeId, type ProjectRef } from '../find-run.ts';

/** Finds runs by unique prefixes of their ids; a collection contains only runs of its own project. */
export function requireRunsOf(app: App, project: ProjectRef, runs: readonly string[]): string[] {
  return runs.map((beginning) => {
    const run = completeId(app, beginning);
    if (app.runs.state(run).start.project.id === project.id) return run;
    throw new AppError('INPUT_INVALID', `Run ${run} does not belong to the project ${project.root}`, { run });
  });
}

/** The document of the collection of that name. */
export function collectionDocument(app: App, state: ProjectState, name: string): CollectionDocument {
  const found = collectionDocuments(app, state).find((collection) => collection.name === name);
  if (found === undefined) throw new AppError('COLLECTION_UNKNOWN', `There is no collection "${name}"`, { name });
  return found;
}

/** All collections of a project; runs that were archived and removed stay filed but are not counted. */
export function collectionDocuments(app: App, state: ProjectState): CollectionDocument[] {
  const known = new Set(app.runs.ids());
  const filed = Object.entries(state.filed).filter(([run]) => known.has(run));
  return state.collections.map(({ name, at }) => {
    const runs = filed.filter(([, collection]) => collection === name).map(([run]) => app.runs.state(run));
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
