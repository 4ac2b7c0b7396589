import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { BatchDocument } from '../../schema/batch.ts';
import { batchDocument, batchFiles, loadBatch } from '../../templates/batch.ts';
import { listNamed } from '../../templates/named-files.ts';
import { operation } from '../operation.ts';

/** Lists the batches of a project; a file with errors does not hide the others. */
export const listBatches = operation({
  name: 'list-batches',
  where: 'anywhere',
  summary: 'List the batches of a project',
  http: 'GET /api/batches',
  allow: ['viewer', 'operator'],
  input: z.object({ dir: z.string() }),
  output: z.object({ batches: z.array(BatchDocument), mistakes: z.array(z.string()) }),
  run: async (_app, { dir }) => {
    const files = await batchFiles(dir);
    const batches: BatchDocument[] = [];
    const mistakes: string[] = [];
    for (const name of await listNamed(files)) {
      try {
        batches.push(batchDocument(await loadBatch(files, name)));
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'BATCH_INVALID') throw error;
        mistakes.push(error.message);
      }
    }
    return { batches, mistakes };
  },
});
