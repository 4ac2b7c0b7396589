import type { Ports } from '../../app/port-interfaces.ts';
import type { BatchState } from '../../core/project/project-state.ts';
import { isSettled } from '../../core/view/document.ts';
import { messageOf } from '../../errors.ts';
import { JobInput } from '../../schema/request.ts';
import { requireEngine } from '../find-run.ts';
import { beginRun } from '../runs/start-run.ts';

type Item = BatchState['items'][number];
export type StartedItem = { item: number; run: string };

/** Takes up the batches of a project that have items left; those that are carried already are left alone. */
export function runBatches(ports: Ports, project: string): void {
  for (const batch of Object.keys(ports.projects.state(project).batches)) {
    // What goes wrong is on record as the end of the batch.
    runBatchItems(ports, project, batch).catch(() => {});
  }
}

/**
 * Carries a batch beside everything else: so many items at once, the next when one has settled, until all were started
 * or the engine ends; then whoever resumes the project goes on. Resolves when the first items were started.
 */
export async function runBatchItems(ports: Ports, project: string, id: string): Promise<StartedItem[]> {
  const engine = requireEngine(ports);
  const batch = ports.projects.state(project).batches[id];
  if (batch === undefined || engine.batches.has(id)) return [];
  engine.batches.add(id);
  const inFlight = Object.values(batch.runs).filter((run) => isOpen(ports, run));
  const waiting = batch.items.filter(({ item }) => batch.runs[item] === undefined);
  const signal = engine.stopping;
  const started: StartedItem[] = [];

  async function begin(item: Item): Promise<string> {
    const run = await startItem(ports, batch, item);
    started.push({ item: item.item, run });
    return run;
  }

  async function lane(first: string | undefined): Promise<void> {
    for (let run = first; ; ) {
      if (run !== undefined) await settled(ports, run, signal);
      const next = signal.aborted ? undefined : waiting.shift();
      if (next === undefined) return;
      run = await begin(next);
    }
  }

  try {
    const room = Math.max(batch.parallel - inFlight.length, 0);
    const runs = await Promise.all(waiting.splice(0, room).map(begin));
    void finish(ports, { project, id }, Promise.all([...inFlight, ...runs].map(lane)));
    return started.sort((a, b) => a.item - b.item);
  } catch (error) {
    await end(ports, { project, id }, messageOf(error));
    throw error;
  }
}

async function finish(ports: Ports, batch: { project: string; id: string }, lanes: Promise<unknown>): Promise<void> {
  const { stopping } = requireEngine(ports);
  try {
    await lanes;
    if (!stopping.aborted) await end(ports, batch, 'all its items were started');
  } catch (error) {
    // An engine that ends starts nothing more: the batch goes on with the next one.
    if (!stopping.aborted) await end(ports, batch, messageOf(error)).catch(() => {});
  } finally {
    requireEngine(ports).batches.delete(batch.id);
  }
}

async function end(ports: Ports, { project, id }: { project: string; id: string }, reason: string): Promise<void> {
  requireEngine(ports).batches.delete(id);
  await ports.projects.submit(project, ({ batches }) =>
    batches[id] === undefined ? [] : [{ type: 'batch.ended', data: { batch: id, reason } }],
  );
}

async function startItem(ports: Ports, batch: BatchState | undefined, item: Item): Promise<string> {
  if (batch === undefined) throw new Error('A batch that is carried is on record');
  const { prompt, title, template, context } = item;
  const input = JobInput.parse({ task: prompt, template, context });
  const { title: _, ...options } = batch.options;
  const named = title === undefined ? options : { ...options, title };
  const request = { recipe: 'job' as const, input, options: { ...named, collection: batch.collection } };
  return (await beginRun(ports, request, { batch: batch.batch, item: item.item })).run;
}

function isOpen(ports: Ports, run: string): boolean {
  return ports.runs.ids().includes(run) && !isSettled(ports.runs.state(run));
}

async function settled(ports: Ports, run: string, signal: AbortSignal): Promise<void> {
  const { version } = ports.runs.state(run);
  if (isSettled(ports.runs.state(run))) return;
  for await (const _ of ports.runs.events(run, version, signal)) if (isSettled(ports.runs.state(run))) return;
}
