import { z } from 'zod';

const UNITS_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** How often the engine copies its database by itself, and how many of these copies stay. */
export const BackupConfig = z
  .strictObject({
    every: z
      .string()
      .regex(/^(off|[1-9]\d{0,3}[mhd])$/, 'off, or a time such as 30m, 6h or 1d')
      .default('30m')
      .describe('At most so often a backup is made, when work lands or a run ends, such as 30m, 6h or 1d; or off.'),
    keep: z.number().int().min(1).max(1000).default(3).describe('How many of these backups stay.'),
  })
  .prefault({})
  .describe('Automatic backups of the database. Only your own settings file counts here, not that of a project.');
export type BackupConfig = z.infer<typeof BackupConfig>;

/** The least time between two automatic backups; undefined when there shall be none. */
export function backupEveryMs({ every }: BackupConfig): number | undefined {
  if (every === 'off') return undefined;
  return Number(every.slice(0, -1)) * (UNITS_MS[every.slice(-1)] ?? 0);
}
