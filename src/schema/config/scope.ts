import { z } from 'zod';

/** A glob over paths of the repository: `src/**`, `docs` or `docs/` (the whole folder); negation is not supported. */
export const ScopeGlob = z
  .string()
  .min(1)
  .max(1_000)
  .regex(/^[^!/]/, 'must be a path inside the repository, without a leading "/" or "!"')
  .refine((glob) => !glob.split('/').includes('..'), 'must not contain ".."')
  .refine((glob) => !glob.includes('\0'), 'must not contain a NUL character');

/** Maximum number of added and deleted lines of one task. */
export const ChangedLines = z.number().int().positive().max(10_000_000);

/** Which files work may change, and by how many lines. */
export const Scope = z.strictObject({
  allow: z.array(ScopeGlob).default([]).describe('Globs of the files that work may change; empty allows every file.'),
  deny: z
    .array(ScopeGlob)
    .default([])
    .describe('Globs of files that work must not change; takes precedence over allow.'),
  maxChangedLines: ChangedLines.optional().describe(
    'Maximum number of added and deleted lines of one task; no limit by default.',
  ),
});
export type Scope = z.infer<typeof Scope>;

/** The scope of every task that writes. */
export const ScopeConfig = Scope.prefault({});
