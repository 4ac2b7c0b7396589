import { z } from 'zod';
import { sharedState } from '../../core/view/guest-run.ts';
import { shownState } from '../../core/view/shown-state.ts';
import { findRecipe } from '../../recipes/registry.ts';
import { isGuest } from '../authorize.ts';
import { findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';

/** The state of a run, reduced so that it stays small with any number of tasks. */
export const runState = operation({
  name: 'run-state',
  where: 'anywhere',
  summary: 'Return the state of a run, which later events can be folded into',
  http: 'GET /api/runs/{run}/state',
  allow: ['guest', 'viewer', 'operator'],
  tool: { none: 'It is the whole state of a run, for the page; show_run and compact_run answer the same in less.' },
  input: z.object(RunRef),
  output: z.object({
    version: z.number().int(),
    inRounds: z.boolean().describe('Whether it works in rounds, so that show-run returns its progress.'),
    now: z.number().describe('The clock of the engine, in milliseconds since 1970.'),
    state: z
      .unknown()
      .describe(
        'The reduced fold of its events: prompts are empty except in a plan that waits for approval, long texts are cut to 300 characters, ' +
          'outputs of checks and large answers are omitted, with a thousand tasks or more also their gates. ' +
          'show-task returns a complete task.',
      ),
  }),
  run: async (app, ref, { origin }) => {
    const state = await findRun(app, ref);
    const inRounds = findRecipe(state.start.recipe.name)?.progress !== undefined;
    return {
      version: state.version,
      inRounds,
      now: app.world.now(),
      state: shownState(isGuest(origin) ? sharedState(state) : state),
    };
  },
});
