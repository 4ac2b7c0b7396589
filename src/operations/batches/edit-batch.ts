import { z } from 'zod';
import { BatchDocument } from '../../schema/batch.ts';
import { batchDocument, batchFiles, editBatch as editFile } from '../../templates/batch.ts';
import { operation } from '../operation.ts';

/** Changes, moves or removes one item of a batch; the rest of its file is kept as written. */
export const editBatch = operation({
  name: 'edit-batch',
  where: 'anywhere',
  summary: 'Change, move or remove one item of a batch',
  http: 'POST /api/batches/{name}/edit',
  allow: ['operator'],
  tool: { none: 'An assistant edits the file of the batch, as a person does.' },
  input: z.object({
    dir: z.string(),
    name: z.string(),
    item: z.number().int().min(1).describe('The position of the item.'),
    was: z.string().describe('Its prompt; where the file has another one there, nothing is changed.'),
    change: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('text'), prompt: z.string(), title: z.string().nullable().default(null) }),
      z.object({ kind: z.literal('move'), to: z.number().int().min(1).describe('Its new position.') }),
      z.object({ kind: z.literal('remove') }),
    ]),
  }),
  output: BatchDocument,
  run: async (_app, { dir, name, ...edit }) => batchDocument(await editFile(await batchFiles(dir), name, edit)),
});
