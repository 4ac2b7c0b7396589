import { z } from 'zod';
import { batchFiles, removeBatch as removeFile } from '../../templates/batch.ts';
import { operation } from '../operation.ts';

/** Removes the file of a batch; its runs are kept. */
export const removeBatch = operation({
  name: 'remove-batch',
  where: 'anywhere',
  summary: 'Remove a batch; its runs are kept',
  http: 'DELETE /api/batches/{name}',
  allow: ['operator'],
  input: z.object({ dir: z.string(), name: z.string() }),
  output: z.object({ name: z.string(), file: z.string() }),
  run: async (_app, { dir, name }) => ({ name, file: await removeFile(await batchFiles(dir), name) }),
});
