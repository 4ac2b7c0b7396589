import { loadConfig } from '../../../config/load.ts';
import { lastBackupFailure } from '../../../engine/maintenance/automatic-backup.ts';
import type { Home } from '../../../home.ts';
import { newestBackupAt } from '../../../store/sqlite/backup.ts';
import type { DoctorLine } from './doctor-line.ts';

/** Whether the database is backed up now and then; a failure is told here, since no run may fail of it. */
export async function examineBackup({ home, env }: { home: Home; env: NodeJS.ProcessEnv }): Promise<DoctorLine> {
  const line = { name: 'backup', required: false };
  const failure = await lastBackupFailure(home);
  const newest = await newestBackupAt(home.backups);
  const last = newest === undefined ? 'none yet' : `the last one at ${new Date(newest).toISOString()}`;
  if (failure !== undefined) {
    const detail = `failed at ${new Date(failure.at).toISOString()}: ${failure.message}; ${last}`;
    return { ...line, ok: false, detail, fix: 'Mend what it says, then: manyhands backup' };
  }
  const every = await loadConfig({ env }).then(
    ({ backup }) => backup.every,
    // The line about the settings tells what is wrong with them.
    () => undefined,
  );
  const how = every === undefined ? '' : every === 'off' ? ', automatic ones are off' : `, at most one every ${every}`;
  return { ...line, ok: true, detail: `${last}${how}`, fix: null };
}
