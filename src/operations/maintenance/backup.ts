import { z } from 'zod';
import { forgetBackupFailure } from '../../engine/maintenance/automatic-backup.ts';
import { BackupResult } from '../../schema/keeping.ts';
import { backupDatabase } from '../../store/sqlite/backup.ts';
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
