import { z } from 'zod';
import { Origin } from './actor.ts';
import { RunId } from './ids.ts';

/** What `backup` prints with --json. */
export const BackupResult = z.object({
  file: z.string(),
  bytes: z.number(),
  removed: z.array(z.string()).describe('Older backups that were removed.'),
});
export type BackupResult = z.infer<typeof BackupResult>;

/** What `archive` prints with --json. */
export const ArchiveResult = z.object({
  items: z.array(
    z.object({
      run: z.string(),
      title: z.string(),
      endedAt: z.string(),
      file: z.string().describe('The archive; created only with --apply.'),
      bytes: z.number().nullable().describe('Its size; null if it was not created.'),
      removed: z.boolean().describe('Whether the run was removed from the database.'),
      reason: z.string(),
    }),
  ),
  applied: z.boolean(),
});
export type ArchiveResult = z.infer<typeof ArchiveResult>;

/** Everything that is stored about one run: the content of an archive. */
export const RunRecord = z.object({
  run: RunId,
  events: z.array(
    z.object({
      version: z.number().int(),
      at: z.number().int(),
      type: z.string(),
      data: z.unknown(),
      origin: Origin.optional(),
      hash: z
        .string()
        .optional()
        .describe('Covers this event and all before it; absent in archives of earlier versions.'),
    }),
  ),
  attempts: z.array(
    z.object({
      attempt: z.string(),
      usage: z.unknown(),
      cursors: z.array(z.object({ file: z.string(), generation: z.number().int(), offset: z.number().int() })),
      rows: z.array(
        z.object({
          file: z.string(),
          generation: z.number().int(),
          offset: z.number().int(),
          part: z.number().int(),
          at: z.number().int(),
          kind: z.string(),
          text: z.string(),
          data: z.unknown(),
        }),
      ),
    }),
  ),
  texts: z.record(z.string(), z.string()).describe('Role texts by their SHA-256.'),
});
export type RunRecord = z.infer<typeof RunRecord>;
