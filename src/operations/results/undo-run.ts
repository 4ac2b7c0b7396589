import { z } from 'zod';
import { UndoResult } from '../../schema/change.ts';
import { findRun, RunRef, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';

/** Reverts a landed run by a new commit, only where git proves it safe; in a dry run only reports the changes. */
export const undoRun = operation({
  name: 'undo-run',
  where: 'engine',
  summary: 'Revert a landed run, where git proves it safe',
  http: 'POST /api/runs/{run}/undo',
  allow: ['operator'],
  decides: true,
  reserved: () => 'undoing what landed',
  input: z.object({
    ...RunRef,
    dryRun: z.boolean().default(false),
    branch: z.boolean().default(false).describe('Also delete the branch of the run, after saving it.'),
    reason: z.string().default('requested by a person'),
  }),
  output: UndoResult,
  run: async (app, { dryRun, branch, reason, ...ref }, { origin }) => {
    const { run } = (await findRun(app, ref)).start;
    return requireControl(app).undo(run, { dryRun, branch, reason, origin });
  },
});
