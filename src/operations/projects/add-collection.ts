import { z } from 'zod';
import { addCollection as decideAdd, fileRuns } from '../../core/project/collection.ts';
import { redactForms } from '../../core/redact.ts';
import { CollectionDocument, CollectionName } from '../../schema/collection.ts';
import { projectOf } from '../find-run.ts';
import { operation } from '../operation.ts';
import { collectionDocument, requireRunsOf } from './collection-documents.ts';

/** Creates a collection if needed, and adds the given runs to it. */
export const addCollection = operation({
  name: 'add-collection',
  where: 'engine',
  summary: 'Create a collection, or add runs to one',
  http: 'PUT /api/collections/{name}',
  allow: ['operator'],
  input: z.object({ dir: z.string(), name: CollectionName, runs: z.array(z.string()).max(10_000).default([]) }),
  output: CollectionDocument,
  run: async (app, { dir, name: requested, runs }, { origin }) => {
    const name = redactForms(requested);
    const project = await projectOf(app, dir);
    const ids = requireRunsOf(app, project, runs);
    const state = await app.projects.submit(
      project.id,
      (current) => (ids.length === 0 ? decideAdd(current, name) : fileRuns(current, { runs: ids, collection: name })),
      origin,
    );
    return collectionDocument(app, state, name);
  },
});
