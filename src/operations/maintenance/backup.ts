import { existsSync } from 'node:fs';
import { z } from 'zod';
import { forgetBackupFailure } from '../../engine/maintenance/automatic-backup.ts';
import type { Home } from '../../home.ts';
import { BackupResult } from '../../schema/keeping.ts';
import { backupDatabase } from '../../store/sqlite/backup.ts';
import { storedVersion } from '../../store/sqlite/migrations.ts';
import type { World } from '../../world.ts';
import { operation } from '../operation.ts';

/** Copies the database to a file next to it and verifies the copy. */
export const backup = operation({
  name: 'backup',
  where: 'anywhere',
  summary: 'Copy the database to a file and verify the copy',
  http: 'POST /api/backup',
  allow: ['operator'],
  input: z.object({ keep: z.number().int().min(1).max(1000).default(5) }),
  output: BackupResult,
  run: async ({ home, world }, { keep }) => {
    const made = await backupDatabase({ file: home.database, folder: home.backups, keep, kind: 'requested', world });
    await forgetBackupFailure(home);
    return made;
  },
});

/** The database of the data directory, by its version: read without migrating it. */
export type DatabaseAge =
  | { status: 'missing'; file: string }
  | { status: 'current' | 'older' | 'newer'; file: string; version: number; supported: number };

const KEPT = 5;

/** Whether the database was written by an older version of this program. */
export function databaseAge({ database: file }: Home): DatabaseAge {
  if (!existsSync(file)) return { status: 'missing', file };
  const { version, supported } = storedVersion(file);
  const status = version === supported ? 'current' : version < supported ? 'older' : 'newer';
  return { status, file, version, supported };
}

/** Copies the database before it is migrated; returns the file of the copy. */
export async function backUpBeforeMigration({ database, backups }: Home, world: World): Promise<string> {
  return (await backupDatabase({ file: database, folder: backups, keep: KEPT, kind: 'requested', world })).file;
}
