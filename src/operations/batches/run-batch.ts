import type { App } from '../../app.ts';
import type { BatchState } from '../../core/project/project-state.ts';
import { isSettled } from '../../core/view/document.ts';
import { messageOf } from '../../errors.ts';
import type { Origin } from '../../schema/actor.ts';
import { JobInput } from '../../schema/request.ts';
import { requireControl } from '../find-run.ts';
import { beginRun } from '../runs/start-run.ts';

type Item = BatchState['items'][number];
type BatchRef = { project: string; id: string };
export type StartedItem = { item: number; run: string };

/** Continues the batches of a project that have items left and are not running. */
export function resumeBatches(app: App, project: string, origin: Origin): void {
  for (const id of Object.keys(app.projects.state(project).batches)) {
    // A failure is recorded as the end of the batch.
    runBatchItems(app, { project, id }, origin).catch(() => {});
  }
}

/**
 * Runs a batch beside everything else: so many items at once, the next when one has settled, until all were started
 * or the engine ends; then resuming the project continues it. Resolves when the first items were started.
 */
export async function runBatchItems(app: App, ref: BatchRef, origin: Origin): Promise<StartedItem[]> {
  const control = requireControl(app);
  const batch = app.projects.state(ref.project).batches[ref.id];
  if (batch === undefined || control.batches.has(ref.id)) return [];
  control.batches.add(ref.id);
  const inFlight = Object.values(batch.runs).filter((run) => isOpen(app, run));
  const waiting = batch.items.filter(({ item }) => batch.runs[item] === undefined);
  const signal = control.stopping;
  const started: StartedItem[] = [];

  async function begin(item: Item, of: BatchState): Promise<string> {
    const run = await startItem(app, { batch: of, item, origin });
    started.push({ item: item.item, run });
    return run;
  }

  async function runLane(first: string, of: BatchState): Promise<void> {
    for (let run = first; ; ) {
      await settled(app, run, signal);
      const next = signal.aborted ? undefined : waiting.shift();
      if (next === undefined) return;
      run = await begin(next, of);
    }
  }

  try {
    const freeSlots = Math.max(batch.parallel - inFlight.length, 0);
    const runs = await Promise.all(waiting.splice(0, freeSlots).map((item) => begin(item, batch)));
    void finish(app, { ...ref, origin }, Promise.all([...inFlight, ...runs].map((run) => runLane(run, batch))));
    return started.sort((a, b) => a.item - b.item);
  } catch (error) {
    await end(app, { ...ref, origin }, messageOf(error));
    throw error;
  }
}

type EndingBatch = BatchRef & { origin: Origin };

async function finish(app: App, batch: EndingBatch, lanes: Promise<unknown>): Promise<void> {
  const { stopping, batches } = requireControl(app);
  try {
    await lanes;
    if (!stopping.aborted) await end(app, batch, 'all its items were started');
  } catch (error) {
    // An engine that ends starts nothing more: the next one continues the batch.
    if (!stopping.aborted) await end(app, batch, messageOf(error)).catch(() => {});
  } finally {
    batches.delete(batch.id);
  }
}

async function end(app: App, { project, id, origin }: EndingBatch, reason: string): Promise<void> {
  requireControl(app).batches.delete(id);
  await app.projects.submit(
    project,
    ({ batches }) => (batches[id] === undefined ? [] : [{ type: 'batch.ended', data: { batch: id, reason } }]),
    origin,
  );
}

async function startItem(
  app: App,
  { batch, item, origin }: { batch: BatchState; item: Item; origin: Origin },
): Promise<string> {
  const { prompt, title, template, context } = item;
  const input = JobInput.parse({ task: prompt, template, context });
  const { title: _, ...options } = batch.options;
  const named = title === undefined ? options : { ...options, title };
  const request = { recipe: 'job' as const, input, options: { ...named, collection: batch.collection } };
  return (await beginRun(app, request, { origin, item: { batch: batch.batch, item: item.item } })).run;
}

function isOpen(app: App, run: string): boolean {
  return app.runs.ids().includes(run) && !isSettled(app.runs.state(run));
}

async function settled(app: App, run: string, signal: AbortSignal): Promise<void> {
  const { version } = app.runs.state(run);
  if (isSettled(app.runs.state(run))) return;
  for await (const _ of app.runs.events(run, version, signal)) if (isSettled(app.runs.state(run))) return;
}
