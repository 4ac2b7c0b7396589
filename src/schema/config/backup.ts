import { z } from 'zod';

const UNITS_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** How often the engine backs up its database, and how many of these backups it keeps. */
export const BackupConfig = z
  .strictObject({
    every: z
      .string()
      .regex(/^(off|[1-9]\d{0,3}[mhd])$/, 'off, or a time such as 30m, 6h or 1d')
      .default('30m')
      .describe(
        'Minimum time between two backups, such as 30m, 6h or 1d, or off; one is made when work lands or a run ends.',
      ),
    keep: z.number().int().min(1).max(1000).default(5).describe('How many of these backups are kept.'),
  })
  .prefault({})
  .describe('Automatic backups of the database. Read only from your own settings file, not from that of a project.');
export type BackupConfig = z.infer<typeof BackupConfig>;

/** The minimum time between two automatic backups; undefined when they are off. */
export function backupEveryMs({ every }: BackupConfig): number | undefined {
  if (every === 'off') return undefined;
  return Number(every.slice(0, -1)) * (UNITS_MS[every.slice(-1)] ?? 0);
}
