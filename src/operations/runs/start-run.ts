import type { Ports } from '../../app/port-interfaces.ts';
import { recipeOf } from '../../recipes/registry.ts';
import { StartRequest } from '../../schema/request.ts';
import { completeId, completeKey, requireEngine } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Starts a run; the runs and tasks it comes after are named whole, and what its template says is settled now for good. */
export const startRun: Operation<'start-run'> = (ports, request) => beginRun(ports, request);

/** The same, also for a run that is an item of a batch. */
export async function beginRun(
  ports: Ports,
  request: StartRequest,
  item?: { batch: string; item: number },
): Promise<{ run: string; notes: string[] }> {
  const engine = requireEngine(ports);
  const prepared = await recipeOf(request.recipe).prepare?.(request, {
    template: (name) => ports.templates.load(request.options.dir, name),
    run: (reference) => completeRef(ports, reference),
  });
  if (prepared === undefined) return engine.start(request, item);
  return engine.start(StartRequest.parse({ recipe: request.recipe, ...prepared }), item);
}

function completeRef(ports: Ports, ref: string): string {
  const slash = ref.indexOf('/');
  if (slash < 0) return completeId(ports, ref);
  const run = completeId(ports, ref.slice(0, slash));
  return `${run}/${completeKey(ports.runs.state(run), ref.slice(slash + 1))}`;
}
