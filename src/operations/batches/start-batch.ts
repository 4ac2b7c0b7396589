import { z } from 'zod';
import { nextBatchId, recordBatch } from '../../core/project/batches.ts';
import { freeName } from '../../core/project/collection.ts';
import type { ProjectState } from '../../core/project/project-state.ts';
import { AppError } from '../../errors.ts';
import type { BatchDocument } from '../../schema/batch.ts';
import { CollectionName } from '../../schema/collection.ts';
import type { BatchStart } from '../../schema/request.ts';
import { StartOptions } from '../../schema/request.ts';
import { batchDocument, batchFiles, loadBatch } from '../../templates/batch.ts';
import { loadTemplate, templateSources } from '../../templates/load.ts';
import { projectOf, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';
import { reservedLanding } from '../runs/start-run.ts';
import { runBatch } from './run-batch.ts';

const BatchRequest = z.object({
  dir: z.string(),
  name: z.string(),
  from: z.number().int().min(1).default(1).describe('The first item to start.'),
  parallel: z
    .number()
    .int()
    .min(1)
    .max(50)
    .optional()
    .describe('Maximum number of concurrent jobs; overrides the batch.'),
  as: z.enum(['job', 'debate']).optional().describe('What each item becomes; a job by default.'),
  collection: CollectionName.optional().describe('Where its runs are filed; by default a new collection.'),
  options: StartOptions.omit({ dir: true, title: true, collection: true }).prefault({}),
});
type BatchRequest = z.infer<typeof BatchRequest>;

/** Starts a batch in the engine; returns when the first items were started. */
export const startBatch = operation({
  name: 'start-batch',
  where: 'engine',
  summary: 'Run each item of a batch as its own job',
  http: 'POST /api/batches/{name}/start',
  allow: ['operator'],
  reserved: reservedLanding,
  input: BatchRequest,
  output: z.object({
    batch: z.string(),
    start: z.string().describe('The id of this start of the batch, for watch-batch.'),
    collection: z.string(),
    runs: z.array(z.object({ item: z.number().int(), run: z.string(), title: z.string() })),
  }),
  run: async (app, input, { origin }) => {
    requireControl(app);
    const batch = batchDocument(await loadBatch(await batchFiles(input.dir), input.name));
    if (input.from > batch.items.length) {
      const reason = `The batch ${input.name} has ${batch.items.length} items, so none is number ${input.from}`;
      throw new AppError('INPUT_INVALID', reason, { batch: input.name });
    }
    const sources = await templateSources(app.env, input.dir);
    for (const template of new Set(batch.items.map((item) => item.template)))
      if (template !== null) await loadTemplate(template, sources);
    const project = await projectOf(app, input.dir);
    let start: BatchStart | undefined;
    await app.projects.submit(
      project.id,
      (state) => {
        start = startOf(state, batch, input);
        return recordBatch(state, start);
      },
      origin,
    );
    if (start === undefined) throw new AppError('INTERNAL', 'A recorded batch was not found');
    const started = await runBatch(app, { project: project.id, id: start.batch }, origin);
    const runs = started.map(({ item, run }) => ({ item, run, title: app.runs.state(run).start.title }));
    return { batch: batch.name, start: start.batch, collection: start.collection, runs };
  },
});

function startOf(state: ProjectState, batch: BatchDocument, request: BatchRequest): BatchStart {
  const collection = request.collection ?? freeName(state, batch.name);
  const parallel = request.parallel ?? batch.parallel;
  const items = batch.items.slice(request.from - 1).map(({ prompt, title, template, context }, index) => ({
    item: request.from + index,
    prompt,
    ...(title === null ? {} : { title }),
    ...(template === null ? {} : { template }),
    context,
  }));
  const options = { ...request.options, dir: request.dir };
  const as = request.as === undefined ? {} : { as: request.as };
  const id = nextBatchId(state, collection);
  return { batch: id, name: batch.name, collection, parallel, ...as, options, items };
}
