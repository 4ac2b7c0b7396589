import { z } from 'zod';

/** A glob over paths of the repository: `src/**`, `docs` or `docs/` (the whole folder); it never means "all but". */
export const ScopeGlob = z
  .string()
  .min(1)
  .max(1_000)
  .regex(/^[^!/]/, 'must be a path inside the repository, without a leading "/" or "!"')
  .refine((glob) => !glob.split('/').includes('..'), 'must not contain ".."')
  .refine((glob) => !glob.includes('\0'), 'must not contain a NUL character');

/** Most added and deleted lines of one piece of work. */
export const ChangedLines = z.number().int().positive().max(10_000_000);

/** Which files work may touch, and how much of them. */
export const Scope = z.strictObject({
  allow: z
    .array(ScopeGlob)
    .default([])
    .describe('Globs of the only files that work may touch; empty allows every file.'),
  deny: z.array(ScopeGlob).default([]).describe('Globs of files that work must not touch, also if allowed above.'),
  maxChangedLines: ChangedLines.optional().describe('Most added and deleted lines of one task; no limit by default.'),
});
export type Scope = z.infer<typeof Scope>;

/** The scope of every task that writes. */
export const ScopeConfig = Scope.prefault({});
