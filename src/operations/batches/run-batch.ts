import type { App } from '../../app.ts';
import { endBatch } from '../../core/project/batches.ts';
import type { BatchState } from '../../core/project/project-state.ts';
import { isSettled } from '../../core/view/document.ts';
import { AppError, messageOf } from '../../errors.ts';
import { jobPrompt } from '../../recipes/job/job.ts';
import type { Origin } from '../../schema/actor.ts';
import { DebateInput, JobInput, type StartRequest } from '../../schema/request.ts';
import { requireControl } from '../find-run.ts';
import { beginRun } from '../runs/start-run.ts';

type Item = BatchState['items'][number];
type BatchRef = { project: string; id: string };
export type StartedItem = { item: number; run: string };

/** The reason of the end of a batch whose items were all started. */
export const ALL_STARTED = 'all its items were started';

/** Continues the batches of a project that have items left and are not running; returns the runs that were started at once. */
export async function resumeBatches(app: App, project: string, origin: Origin): Promise<string[]> {
  const started: string[] = [];
  for (const id of Object.keys(app.projects.state(project).batches)) {
    // A failure is recorded as the end of the batch.
    const items = await runBatch(app, { project, id }, origin).catch(() => []);
    started.push(...items.map(({ run }) => run));
  }
  return started;
}

/** Continues the batch that a run is an item of, if it has items left. */
export async function resumeBatchOf(app: App, { project, run }: { project: string; run: string }, origin: Origin) {
  const found = Object.entries(app.projects.state(project).batches).find(([, { runs }]) =>
    Object.values(runs).includes(run),
  );
  if (found !== undefined) await runBatch(app, { project, id: found[0] }, origin).catch(() => {});
}

/**
 * Runs a batch concurrently with other work: at most `parallel` items, the next when one has ended, until all were started
 * or the engine starts nothing new; then resuming the project continues it. Resolves when the first items were started.
 */
export async function runBatch(app: App, ref: BatchRef, origin: Origin): Promise<StartedItem[]> {
  const control = requireControl(app);
  const batch = app.projects.state(ref.project).batches[ref.id];
  if (batch === undefined || control.batches.has(ref.id)) return [];
  control.batches.add(ref.id);
  try {
    const inFlight = Object.values(batch.runs).filter((run) => isOpen(app, run));
    const waiting = batch.items.filter(({ item }) => batch.runs[item] === undefined);
    const first = waiting.splice(0, Math.max(batch.parallel - inFlight.length, 0));
    const started = await Promise.all(first.map((item) => startItem(app, { batch, item, origin })));
    const lanes = [...inFlight, ...started.map(({ run }) => run)];
    control.track(runLanes(app, { ...ref, batch, waiting, lanes, origin }));
    return started;
  } catch (error) {
    control.batches.delete(ref.id);
    await end(app, ref, { ...failureOf(error), origin });
    throw error;
  }
}

/** Ends the batches of a project, so that they start nothing more; returns their names. */
export async function endBatches(
  app: App,
  project: string,
  why: { reason: string; origin: Origin },
): Promise<string[]> {
  const batches = Object.entries(app.projects.state(project).batches);
  for (const [id] of batches) await end(app, { project, id }, why);
  return batches.map(([, { name }]) => name);
}

type RunningBatch = BatchRef & { batch: BatchState; waiting: Item[]; lanes: string[]; origin: Origin };

/** Starts the next item whenever a run has ended, and records the end of the batch; an item that fails to start ends it. */
async function runLanes(app: App, { batch, waiting, lanes, origin, ...ref }: RunningBatch): Promise<void> {
  const { draining, batches } = requireControl(app);

  async function runLane(first: string): Promise<void> {
    for (let run = first; ; ) {
      await settled(app, run, draining);
      const isEnded = app.projects.state(ref.project).batches[ref.id] === undefined;
      const item = draining.aborted || isEnded ? undefined : waiting.shift();
      if (item === undefined) return;
      ({ run } = await startItem(app, { batch, item, origin }));
    }
  }

  try {
    await Promise.all(lanes.map(runLane));
    if (!draining.aborted) await end(app, ref, { reason: ALL_STARTED, origin });
  } catch (error) {
    waiting.length = 0;
    // An engine that is stopping starts nothing more: the next one continues the batch.
    if (!draining.aborted) await end(app, ref, { ...failureOf(error), origin }).catch(() => {});
  } finally {
    batches.delete(ref.id);
  }
}

async function end(
  app: App,
  { project, id }: BatchRef,
  { origin, ...why }: { reason: string; code?: string; origin: Origin },
): Promise<void> {
  await app.projects.submit(project, (state) => endBatch(state, { batch: id, ...why }), origin);
}

function failureOf(error: unknown): { reason: string; code?: string } {
  return { reason: messageOf(error), ...(error instanceof AppError ? { code: error.code } : {}) };
}

async function startItem(
  app: App,
  { batch, item, origin }: { batch: BatchState; item: Item; origin: Origin },
): Promise<StartedItem> {
  const { prompt, title, template, context } = item;
  const isDebate = batch.as === 'debate';
  const { title: _, ...options } = batch.options;
  const named = title === undefined ? options : { ...options, title };
  const filed = { ...named, collection: batch.collection };
  const request: StartRequest = isDebate
    ? {
        recipe: 'debate',
        input: DebateInput.parse({ question: jobPrompt({ task: prompt, context: context ?? {} }) }),
        options: filed,
      }
    : { recipe: 'job', input: JobInput.parse({ task: prompt, template, context }), options: filed };
  const { run } = await beginRun(app, request, { origin, item: { batch: batch.batch, item: item.item } });
  return { item: item.item, run };
}

function isOpen(app: App, run: string): boolean {
  return app.runs.ids().includes(run) && !isSettled(app.runs.state(run));
}

/** Resolves when a run has ended or waits for a person, or when the signal aborts. */
export async function settled(app: App, run: string, signal: AbortSignal): Promise<void> {
  const { version } = app.runs.state(run);
  if (isSettled(app.runs.state(run))) return;
  for await (const _ of app.runs.events(run, version, signal)) if (isSettled(app.runs.state(run))) return;
}
