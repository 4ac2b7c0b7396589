import { z } from 'zod';
import { Verdict } from './gate.ts';

/** What `undo` prints with --json. */
export const UndoResult = z.object({
  run: z.string(),
  dryRun: z.boolean().describe('Nothing was changed; these are the changes that undo would make.'),
  reverted: z
    .object({
      branch: z.string(),
      commit: z.string().nullable().describe('The new commit that reverts the run; null in a dry run.'),
      files: z.array(z.object({ path: z.string(), status: z.enum(['added', 'modified', 'deleted']) })),
      checks: z.array(z.object({ gate: z.string(), verdict: Verdict.nullable() })).describe('null: it would run.'),
    })
    .nullable(),
  deleted: z
    .object({
      branch: z.string(),
      commit: z.string(),
      ref: z.string().describe('Where its commits are kept in the mirror.'),
    })
    .nullable(),
  notes: z.array(z.string()),
});
export type UndoResult = z.infer<typeof UndoResult>;
