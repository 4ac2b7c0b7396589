import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import { realWorld } from '../src/world.ts';
import type { Benchmark } from './benchmark.ts';
import { makeScratch } from './scratch.ts';
import { alternate, listed, median, timed } from './timing.ts';

const EVENTS = 20_000;
const CALLERS = 200;
const BATCH = 100;
const ROUNDS = 5;
const DATA = { task: 'implement/1.1', attempt: 1, usage: { kind: 'none' }, summary: 'It is done.' };

/** How many single events per second become durable with many concurrent callers. */
export const events: Benchmark = {
  name: 'events',
  summary: `${EVENTS} single events from ${CALLERS} callers, each acknowledged after its fsync, against bare inserts in batches of ${BATCH}`,
  target: { is: 'at least', ratio: 0.15 },
  async measure() {
    await using scratch = await makeScratch();
    const times = await alternate(
      ROUNDS,
      (round) => byStore(join(scratch.path, `store-${round}.db`)),
      (round) => byInserts(join(scratch.path, `plain-${round}.db`)),
    );
    const perSecond = (ms: number) => EVENTS / (ms / 1000);
    const [value, ceiling] = [perSecond(median(times.ours)), perSecond(median(times.ceiling))];
    const note = `synchronous=FULL on both sides; ms: ${listed(times.ours)} against ${listed(times.ceiling)}`;
    return { value, unit: 'events/s', ceiling, ratio: 1 / times.ratio, note };
  },
};

async function byStore(file: string): Promise<number> {
  const store = await openSqliteStore({ file, world: realWorld });
  try {
    return await timed(async () => {
      await Promise.all(
        Array.from({ length: CALLERS }, async (_, caller) => {
          const stream = `run/${caller}`;
          for (let version = 0; version < EVENTS / CALLERS; version += 1) {
            await store.append(
              [{ stream, expected: version, events: [{ type: 'attempt.ended', data: DATA }] }],
              version,
            );
          }
        }),
      );
    });
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

async function byInserts(file: string): Promise<number> {
  const db = new DatabaseSync(file);
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    db.exec(
      'CREATE TABLE events (position INTEGER PRIMARY KEY, stream TEXT, version INTEGER, at INTEGER, type TEXT, data TEXT)',
    );
    const insert = db.prepare('INSERT INTO events (stream, version, at, type, data) VALUES (?, ?, ?, ?, ?)');
    const data = JSON.stringify(DATA);
    return await timed(() => {
      for (let done = 0; done < EVENTS; done += BATCH) {
        db.exec('BEGIN IMMEDIATE');
        for (let index = done; index < done + BATCH; index += 1)
          insert.run(`run/${index % CALLERS}`, index, index, 'attempt.ended', data);
        db.exec('COMMIT');
      }
    });
  } finally {
    db.close();
  }
}
