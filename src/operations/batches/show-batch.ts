import { z } from 'zod';
import { BatchDocument } from '../../schema/batch.ts';
import { batchDocument, batchFiles, loadBatch } from '../../templates/batch.ts';
import { operation } from '../operation.ts';

/** Shows a batch, every item with its effective options. */
export const showBatch = operation({
  name: 'show-batch',
  where: 'anywhere',
  summary: 'Show the items of a batch',
  http: 'GET /api/batches/{name}',
  allow: ['viewer', 'operator'],
  input: z.object({ dir: z.string(), name: z.string() }),
  output: BatchDocument,
  run: async (_app, { dir, name }) => batchDocument(await loadBatch(await batchFiles(dir), name)),
});
