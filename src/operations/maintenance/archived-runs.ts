import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../app.ts';
import { evolve } from '../../core/run/evolve.ts';
import type { RunState } from '../../core/run/state.ts';
import { parseEvent } from '../../engine/loop/ledger.ts';
import { AppError } from '../../errors.ts';
import type { Home } from '../../home.ts';
import { readArchive } from '../../store/archive.ts';

const ARCHIVE = /^([0-9a-z]{8})-\d+\.tar\.gz$/;

/** The runs that are in archives and not in the database, the latest archived first; read one at a time, because archives are large. */
export async function* archivedRuns({ home, store }: App): AsyncGenerator<RunState> {
  const known = new Set(store.streams('run/').map(({ stream }) => stream.slice('run/'.length)));
  for (const { run, file } of await newestFirst(home)) {
    if (known.has(run)) continue;
    known.add(run);
    const state = await stateIn(file);
    if (state !== undefined) yield state;
  }
}

async function newestFirst({ archives }: Home): Promise<{ run: string; file: string }[]> {
  const names = existsSync(archives) ? await readdir(archives) : [];
  const found = [];
  for (const name of names) {
    const run = ARCHIVE.exec(name)?.[1];
    if (run === undefined) continue;
    const file = join(archives, name);
    found.push({ run, file, at: (await stat(file)).mtimeMs });
  }
  return found.sort((a, b) => b.at - a.at);
}

/** A damaged archive is skipped here; restoring it reports what is wrong. */
async function stateIn(file: string): Promise<RunState | undefined> {
  try {
    let state: RunState | undefined;
    for (const event of (await readArchive(file)).events)
      state = evolve(state, { event: parseEvent(event), at: event.at, origin: event.origin });
    return state;
  } catch (error) {
    if (error instanceof AppError && (error.code === 'DATA_DAMAGED' || error.code === 'INPUT_INVALID'))
      return undefined;
    throw error;
  }
}
