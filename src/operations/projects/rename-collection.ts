import { z } from 'zod';
import { renameCollection as decideRename } from '../../core/project/collection.ts';
import { redactForms } from '../../core/redact.ts';
import { CollectionDocument, CollectionName } from '../../schema/collection.ts';
import { projectOf } from '../find-run.ts';
import { operation } from '../operation.ts';
import { collectionDocument } from './collection-documents.ts';

/** Renames a collection. */
export const renameCollection = operation({
  name: 'rename-collection',
  where: 'engine',
  summary: 'Rename a collection',
  http: 'POST /api/collections/{name}/rename',
  allow: ['operator'],
  input: z.object({ dir: z.string(), name: z.string(), to: CollectionName }),
  output: CollectionDocument,
  run: async (app, { dir, name, to: requested }, { origin }) => {
    const to = redactForms(requested);
    const { id } = await projectOf(app, dir);
    const state = await app.projects.submit(id, (current) => decideRename(current, { name, to }), origin);
    return collectionDocument(app, state, to);
  },
});
