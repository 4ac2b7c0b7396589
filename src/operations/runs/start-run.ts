import { z } from 'zod';
import type { App } from '../../app.ts';
import type { StartOverrides } from '../../engine/start/start-run.ts';
import { recipeOf } from '../../recipes/registry.ts';
import type { Origin } from '../../schema/actor.ts';
import { StartRequest } from '../../schema/request.ts';
import { loadTemplate, templateSources } from '../../templates/load.ts';
import { completeId, completeKey, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';

/** Starts a run. */
export const startRun = operation({
  name: 'start-run',
  where: 'engine',
  summary: 'Start a run',
  http: 'POST /api/runs',
  allow: ['operator'],
  reserved: reservedLanding,
  input: StartRequest,
  output: z.object({
    run: z.string(),
    notes: z.array(z.string()).describe('Notes for the user, one sentence each.'),
  }),
  run: (app, request, { origin }) => beginRun(app, request, { origin }),
});

/** Work that lands without anyone looking at it is requested by a person. */
export function reservedLanding({ options }: Record<string, unknown>): string | undefined {
  const land = typeof options === 'object' && options !== null && 'land' in options ? options.land : undefined;
  return land === undefined || land === 'branch' ? undefined : `starting work with land: ${String(land)}`;
}

/** Starts a run, also for an item of a batch: its recipe resolves references of the request, such as a template, now. */
export async function beginRun(
  app: App,
  request: StartRequest,
  { origin, ...overrides }: StartOverrides & { origin: Origin },
): Promise<{ run: string; notes: string[] }> {
  const control = requireControl(app);
  const prepared = await recipeOf(request.recipe).prepare?.(request, {
    template: async (name) => loadTemplate(name, await templateSources(app.env, request.options.dir)),
    run: (reference) => completeRef(app, reference),
  });
  const final = prepared === undefined ? request : StartRequest.parse({ recipe: request.recipe, ...prepared });
  return control.start(final, origin, overrides);
}

function completeRef(app: App, ref: string): string {
  const slash = ref.indexOf('/');
  if (slash < 0) return completeId(app, ref);
  const run = completeId(app, ref.slice(0, slash));
  return `${run}/${completeKey(app.runs.state(run), ref.slice(slash + 1))}`;
}
