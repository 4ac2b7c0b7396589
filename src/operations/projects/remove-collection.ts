import { z } from 'zod';
import { removeCollection as decideRemove, unfileRuns } from '../../core/project/collection.ts';
import { projectOf } from '../find-run.ts';
import { operation } from '../operation.ts';
import { requireRunsOf } from './collection-documents.ts';

/** Removes a collection, or removes runs from it; the runs themselves are kept. */
export const removeCollection = operation({
  name: 'remove-collection',
  where: 'engine',
  summary: 'Remove a collection, or remove runs from one; the runs are kept',
  http: 'DELETE /api/collections/{name}',
  allow: ['operator'],
  input: z.object({ dir: z.string(), name: z.string(), runs: z.array(z.string()).max(10_000).default([]) }),
  output: z.object({ name: z.string(), removed: z.boolean(), runs: z.array(z.string()) }),
  run: async (app, { dir, name, runs }, { origin }) => {
    const project = await projectOf(app, dir);
    const ids = requireRunsOf(app, project, runs);
    let before: string[] = [];
    await app.projects.submit(
      project.id,
      (state) => {
        before = Object.keys(state.filed).filter((run) => state.filed[run] === name);
        return ids.length === 0 ? decideRemove(state, name) : unfileRuns(state, { runs: ids, collection: name });
      },
      origin,
    );
    return { name, removed: ids.length === 0, runs: ids.length === 0 ? before : ids };
  },
});
