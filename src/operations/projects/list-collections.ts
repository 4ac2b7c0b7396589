import { z } from 'zod';
import { CollectionDocument } from '../../schema/collection.ts';
import { projectOf } from '../find-run.ts';
import { operation } from '../operation.ts';
import { collectionDocuments } from './collection-documents.ts';

/** Lists the collections of a project in the order of their creation. */
export const listCollections = operation({
  name: 'list-collections',
  where: 'anywhere',
  summary: 'List the collections of a project',
  http: 'GET /api/collections',
  allow: ['viewer', 'operator'],
  input: z.object({ dir: z.string() }),
  output: z.array(CollectionDocument),
  run: async (app, { dir }) => collectionDocuments(app, app.projects.state((await projectOf(app, dir)).id)),
});
