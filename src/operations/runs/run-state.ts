import { z } from 'zod';
import { shownState } from '../../core/view/shown-state.ts';
import { findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';

/** The state of a run, small enough to be sent however many tasks it has. */
export const runState = operation({
  name: 'run-state',
  where: 'anywhere',
  summary: 'Give the state of a run, onto which the events after its version can be folded',
  http: 'GET /api/runs/{run}/state',
  allow: ['viewer', 'operator'],
  input: z.object(RunRef),
  output: z.object({
    version: z.number().int(),
    now: z.number().describe('The clock of the engine, in milliseconds since 1970.'),
    state: z
      .unknown()
      .describe(
        'The fold of its events, small: prompts are empty, long texts are cut to 300 characters, ' +
          'outputs of checks and big answers are left out, of a thousand tasks and more their gates too. ' +
          'show-task tells a task whole.',
      ),
  }),
  run: async (app, ref) => {
    const state = await findRun(app, ref);
    return { version: state.version, now: app.world.now(), state: shownState(state) };
  },
});
