import { z } from 'zod';
import { hideRun as decideHide } from '../../core/project/filing.ts';
import { filingOf } from '../../core/project/project-state.ts';
import { Filing } from '../../schema/collection.ts';
import { findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';

/** Hides a run from lists, or lists it again; none of its data is removed. */
export const hideRun = operation({
  name: 'hide-run',
  where: 'engine',
  summary: 'Hide a run from lists, or list it again',
  http: 'POST /api/runs/{run}/hide',
  allow: ['operator'],
  input: z.object({ ...RunRef, hidden: z.boolean().default(true) }),
  output: Filing.extend({ run: z.string() }),
  run: async (app, { hidden, ...ref }, { origin }) => {
    const { run, project } = (await findRun(app, ref)).start;
    const state = await app.projects.submit(project.id, (current) => decideHide(current, run, hidden), origin);
    return { run, ...filingOf(state, run) };
  },
});
