import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import type { Store } from '../src/store/store.ts';
import { realWorld } from '../src/world.ts';
import { makeScratch } from './scratch.ts';

/** A page of the database is added at a time, so growth is measured over this many rounds. */
const WINDOW = 10;

type NewEvents = Parameters<Store['append']>[0][number]['events'];

/** A real database that a benchmark appends the events of its rounds to. */
export interface RoundDatabase extends AsyncDisposable {
  /** Appends the events of one round. */
  round(events: NewEvents): Promise<void>;
  /** How much the last rounds added, against those around a given one. */
  growthSince(round: number): number;
}

/** Opens it in a folder of its own. */
export async function openRoundDatabase(stream: string): Promise<RoundDatabase> {
  const scratch = await makeScratch();
  const file = join(scratch.path, 'bench.db');
  const store = await openSqliteStore({ file, world: realWorld });
  const reader = new DatabaseSync(file, { readOnly: true });
  const sizes: number[] = [];
  let version = 0;
  return {
    round: async (events) => {
      await store.append([{ stream, expected: version, events }], realWorld.now());
      version += events.length;
      const { bytes } = reader
        .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()')
        .get() as { bytes: number };
      sizes.push(bytes);
    },
    growthSince: (round) => {
      const added = (end: number) => (sizes[end - 1] ?? 0) - (sizes[end - 1 - WINDOW] ?? 0);
      return added(sizes.length) / Math.max(added(round + WINDOW), 1);
    },
    [Symbol.asyncDispose]: async () => {
      reader.close();
      await store[Symbol.asyncDispose]();
      await scratch[Symbol.asyncDispose]();
    },
  };
}
