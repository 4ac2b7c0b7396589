import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { recordRestored } from '../../core/project/filing.ts';
import { loadRun } from '../../engine/loop/ledger.ts';
import { AppError } from '../../errors.ts';
import type { Home } from '../../home.ts';
import { projectStream, RunId, runStream } from '../../schema/ids.ts';
import { readArchive } from '../../store/archive.ts';
import { operation } from '../operation.ts';

/** Restores the run of an archive (a file, or the id of a run in the folder of archives) to the database. */
export const restoreArchive = operation({
  name: 'restore-archive',
  where: 'engine',
  summary: 'Restore an archived run to the database',
  http: 'POST /api/archive/restore',
  allow: ['operator'],
  input: z.object({ archive: z.string() }),
  output: z.object({ run: z.string() }),
  run: async ({ home, store, world }, { archive }, { origin }) => {
    const record = await readArchive(await findArchive(home, archive));
    await store.importRun(record);
    const { run } = record;
    const stream = projectStream(loadRun(store, runStream(run)).start.project.id);
    await store.append([{ stream, expected: -1, events: recordRestored(run), origin }], world.now());
    return { run };
  },
});

async function findArchive(home: Home, named: string): Promise<string> {
  if (!RunId.safeParse(named).success) return named;
  const names = existsSync(home.archives) ? await readdir(home.archives) : [];
  const versions = names.flatMap((name) => {
    const version = new RegExp(`^${named}-(\\d+)\\.tar\\.gz$`).exec(name)?.[1];
    return version === undefined ? [] : [Number(version)];
  });
  if (versions.length > 0) return join(home.archives, `${named}-${Math.max(...versions)}.tar.gz`);
  throw new AppError('RUN_UNKNOWN', `There is no archive of run ${named} in ${home.archives}`, { run: named });
}
