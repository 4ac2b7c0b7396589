import { rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { loadConfig } from '../../config/load.ts';
import { AppError, messageOf } from '../../errors.ts';
import type { Home } from '../../home.ts';
import { backupEveryMs } from '../../schema/config/backup.ts';
import { readPrivate, writePrivate } from '../../store/private-file.ts';
import { backupDatabase, newestBackupAt } from '../../store/sqlite/backup.ts';
import type { Store } from '../../store/store.ts';
import type { World } from '../../world.ts';

type BackupContext = { home: Home; env: NodeJS.ProcessEnv; world: World };

const Failure = z.object({ at: z.number(), message: z.string() });
export type BackupFailure = z.infer<typeof Failure>;

/** The events after which a backup may be due. */
const TRIGGERS: ReadonlySet<string> = new Set(['run.ended', 'tasks.landed']);
/** A backup leaves at least this much free: a full disk would stop the runs. */
const SPARE_BYTES = 1024 ** 3;

/** Backs up the database after work landed or a run ended, if a backup is due; its failure never delays or fails a run. */
export class AutomaticBackup implements AsyncDisposable {
  readonly #context: BackupContext;
  readonly #unsubscribe: () => void;
  #inFlight: Promise<void> | undefined;

  constructor(context: BackupContext & { store: Store }) {
    this.#context = context;
    this.#unsubscribe = context.store.onAppend((events) => {
      if (events.some(({ type }) => TRIGGERS.has(type))) this.#begin();
    });
  }

  #begin(): void {
    this.#inFlight ??= backUpIfDue(this.#context).finally(() => {
      this.#inFlight = undefined;
    });
  }

  /** Starts no further backup; one in progress is finished. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    await this.#inFlight;
  }
}

/** Why the last backup could not be made, if it could not. */
export async function lastBackupFailure(home: Home): Promise<BackupFailure | undefined> {
  return readPrivate(failureFile(home), Failure);
}

/** Removes the record of an earlier failure after a backup succeeded. */
export async function forgetBackupFailure(home: Home): Promise<void> {
  await rm(failureFile(home), { force: true });
}

async function backUpIfDue(context: BackupContext): Promise<void> {
  const { home, env, world } = context;
  try {
    const { backup } = await loadConfig({ env });
    const everyMs = backupEveryMs(backup);
    if (everyMs === undefined || world.now() - (await lastTriedAt(home)) < everyMs) return;
    await requireSpace(home);
    await backupDatabase({ file: home.database, folder: home.backups, keep: backup.keep, kind: 'automatic', world });
    await forgetBackupFailure(home);
  } catch (error) {
    // If even this cannot be written, other writes fail and are reported as well.
    await writePrivate(failureFile(home), { at: world.now(), message: messageOf(error) }, world).catch(() => {});
  }
}

/** A failed backup is not repeated at once either. */
async function lastTriedAt(home: Home): Promise<number> {
  const failure = await lastBackupFailure(home);
  return Math.max((await newestBackupAt(home.backups)) ?? 0, failure?.at ?? 0);
}

async function requireSpace(home: Home): Promise<void> {
  const [{ size }, { bavail, bsize }] = await Promise.all([stat(home.database), statfs(home.root)]);
  if (bavail * bsize >= size + SPARE_BYTES) return;
  throw new AppError(
    'NO_SPACE',
    `There is not enough free space at ${home.root} for a backup of ${Math.ceil(size / 1024 ** 2)} MB`,
  );
}

function failureFile(home: Home): string {
  return join(home.logs, 'backup-failure.json');
}
