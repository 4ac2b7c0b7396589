import { z } from 'zod';
import { flagRun as decideFlag, unflagRun } from '../../core/project/filing.ts';
import { filingOf } from '../../core/project/project-state.ts';
import { Filing } from '../../schema/collection.ts';
import { findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';

/** Flags a run with a note, or removes the flag. */
export const flagRun = operation({
  name: 'flag-run',
  where: 'engine',
  summary: 'Flag a run for follow-up, or remove the flag',
  http: 'POST /api/runs/{run}/flag',
  allow: ['operator'],
  input: z.object({ ...RunRef, flagged: z.boolean().default(true), note: z.string().trim().max(1_000).optional() }),
  output: Filing.extend({ run: z.string() }),
  run: async (app, { flagged, note, ...ref }, { origin }) => {
    const { run, project } = (await findRun(app, ref)).start;
    const state = await app.projects.submit(
      project.id,
      (current) => (flagged ? decideFlag(current, run, note) : unflagRun(current, run)),
      origin,
    );
    return { run, ...filingOf(state, run) };
  },
});
