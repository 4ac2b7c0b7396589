import { z } from 'zod';
import { Verdict } from './gate.ts';

/** The category of a changed file, derived from its path alone. */
export const FileKind = z.enum(['source', 'test', 'config', 'lock', 'docs', 'generated', 'other']);
export type FileKind = z.infer<typeof FileKind>;

/** What a diff of lines does not show about a changed file. */
export const FileTrait = z.enum([
  'case-collision',
  'over-limit',
  'executable',
  'not-executable',
  'line-endings',
  'link',
]);
export type FileTrait = z.infer<typeof FileTrait>;

/** One file in which two commits differ. */
export const FileChange = z.object({
  path: z.string(),
  status: z.enum(['added', 'modified', 'deleted']),
  added: z.number().int().describe('Lines added.'),
  deleted: z.number().int().describe('Lines deleted.'),
  binary: z.boolean(),
  traits: z.array(FileTrait).optional().describe('What the lines do not show.'),
});
export type FileChange = z.infer<typeof FileChange>;

/** What `diff --summary` prints with --json. */
export const ChangeSummary = z.object({
  files: z.array(FileChange.extend({ kind: FileKind })),
  kinds: z.array(
    z.object({ kind: FileKind, files: z.number().int(), added: z.number().int(), deleted: z.number().int() }),
  ),
  risks: z.array(z.object({ risk: z.string(), detail: z.string(), files: z.array(z.string()) })),
  tests: z.object({
    needed: z.boolean().describe('Source changed and no test did.'),
    changed: z.number().int().describe('Test files that were added or changed.'),
    reason: z.string(),
  }),
});
export type ChangeSummary = z.infer<typeof ChangeSummary>;

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
