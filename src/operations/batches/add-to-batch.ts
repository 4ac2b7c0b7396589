import { z } from 'zod';
import { BatchDocument, BatchItem } from '../../schema/batch.ts';
import { Context } from '../../schema/job-parts.ts';
import { FileName } from '../../schema/template.ts';
import { addToBatch as addToFile, type BatchSettings, batchDocument, batchFiles } from '../../templates/batch.ts';
import { operation } from '../operation.ts';

/** Options of the whole batch; omitted ones are not changed. */
const Settings = z.object({
  summary: z.string().trim().min(1).max(200).optional(),
  template: FileName.optional(),
  parallel: z.number().int().min(1).max(50).optional(),
  context: Context.optional(),
});

/** Adds items to the end of a batch, which is created if needed; the rest of its file is kept as written. */
export const addToBatch = operation({
  name: 'add-to-batch',
  where: 'anywhere',
  summary: 'Add items to a batch, and create it if needed',
  http: 'PUT /api/batches/{name}',
  allow: ['operator'],
  input: z.object({
    dir: z.string(),
    name: z.string(),
    items: z
      .array(z.union([z.string(), BatchItem]))
      .max(10_000)
      .default([]),
    settings: Settings.prefault({}),
  }),
  output: BatchDocument,
  run: async (_app, { dir, name, items, settings }) => {
    const more = { items, settings: definedOf(settings) };
    return batchDocument(await addToFile(await batchFiles(dir), name, more));
  },
});

function definedOf({ summary, template, parallel, context }: z.infer<typeof Settings>): BatchSettings {
  return {
    ...(summary === undefined ? {} : { summary }),
    ...(template === undefined ? {} : { template }),
    ...(parallel === undefined ? {} : { parallel }),
    ...(context === undefined ? {} : { context }),
  };
}
