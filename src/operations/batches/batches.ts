import { freeName } from '../../core/project/collection.ts';
import type { ProjectState } from '../../core/project/project-state.ts';
import { AppError } from '../../errors.ts';
import type { BatchDocument } from '../../schema/batch.ts';
import type { BatchStart } from '../../schema/batch-start.ts';
import type { ProjectEvent } from '../../schema/event.ts';
import type { OperationChecked } from '../contracts.ts';
import { requireEngine } from '../find-run.ts';
import type { Operation } from '../operation.ts';
import { runBatchItems } from './run-batch.ts';

/** Lists the batches of a project; one with mistakes hides no other. */
export const listBatches: Operation<'list-batches'> = (ports, { dir }) => ports.files.batches(dir);

/** Shows a batch, every item with all that holds for it. */
export const showBatch: Operation<'show-batch'> = (ports, { dir, name }) => ports.files.batch(dir, name);

/** Starts a batch that the engine carries: it answers when the first items were started. */
export const startBatch: Operation<'start-batch'> = async (ports, asked) => {
  requireEngine(ports);
  const batch = await ports.files.batch(asked.dir, asked.name);
  if (asked.from > batch.items.length) {
    const reason = `The batch ${asked.name} has ${batch.items.length} items, so none is number ${asked.from}`;
    throw new AppError('INPUT_INVALID', reason, { batch: asked.name });
  }
  for (const template of new Set(batch.items.map((item) => item.template)))
    if (template !== null) await ports.templates.load(asked.dir, template);
  const project = await ports.work.project(asked.dir);
  let start: BatchStart | undefined;
  await ports.projects.submit(project.id, (state) => {
    start = startOf(state, batch, asked);
    return eventsOf(state, start);
  });
  if (start === undefined) throw new AppError('INTERNAL', 'A batch that was put on record is not known');
  const started = await runBatchItems(ports, project.id, start.batch);
  const runs = started.map(({ item, run }) => ({ item, run, title: ports.runs.state(run).start.title }));
  return { batch: batch.name, collection: start.collection, runs };
};

function startOf(state: ProjectState, batch: BatchDocument, asked: OperationChecked<'start-batch'>): BatchStart {
  const collection = asked.collection ?? freeName(state, batch.name);
  const parallel = asked.parallel ?? batch.parallel;
  const items = batch.items.slice(asked.from - 1).map(({ prompt, title, template, context }, index) => ({
    item: asked.from + index,
    prompt,
    ...(title === null ? {} : { title }),
    ...(template === null ? {} : { template }),
    context,
  }));
  const taken = new Set(Object.keys(state.batches));
  let number = 1;
  while (taken.has(`${collection}/${number}`)) number += 1;
  const options = { ...asked.options, dir: asked.dir };
  return { batch: `${collection}/${number}`, name: batch.name, collection, parallel, options, items };
}

function eventsOf(state: ProjectState, start: BatchStart): ProjectEvent[] {
  const isNew = !state.collections.some(({ name }) => name === start.collection);
  return [
    ...(isNew ? [{ type: 'collection.added' as const, data: { name: start.collection } }] : []),
    { type: 'batch.started', data: start },
  ];
}
