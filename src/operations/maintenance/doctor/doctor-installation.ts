import { AppError, messageOf } from '../../../errors.ts';
import type { InstallationStatus } from '../../../store/postgres/inspect.ts';
import type { DoctorLine } from './doctor-line.ts';

/** Whether the database of the installation answers, and who leads; nothing where the database is embedded. */
export async function examineInstallation(env: NodeJS.ProcessEnv): Promise<DoctorLine[]> {
  const url = env.MANYHANDS_DATABASE_URL;
  if (!url) return [];
  const line = { name: 'postgresql', required: true };
  try {
    const { inspectInstallation } = await import('../../../store/postgres/inspect.ts');
    return [{ ...line, ok: true, detail: describe(await inspectInstallation(url)), fix: null }];
  } catch (error) {
    const fix = error instanceof AppError ? error.hint : null;
    return [{ ...line, ok: false, detail: messageOf(error), fix }];
  }
}

function describe({ database, server, leader }: InstallationStatus): string {
  const where = `${database} (PostgreSQL ${server})`;
  if (leader === undefined) return `${where}; no server leads`;
  if (!leader.isAlive) return `${where}; the lease of ${leader.holder} has expired: any server can take over`;
  return `${where}; led by ${leader.holder} since ${leader.since.toISOString()} (term ${leader.epoch})`;
}
