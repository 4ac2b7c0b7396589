import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HostLink } from '../../src/store/postgres/hosts/host-link.ts';
import { moveFromPostgres } from '../../src/store/postgres/move.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { realWorld } from '../../src/world.ts';
import { AT, batch, event } from '../contracts/store-samples.ts';
import { type Postgres, query, startPostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';
import { makeScratch } from '../support/scratch.ts';
import { openShared, rowsOf } from '../support/shared-store.ts';

const TO = ['move.copying:1', 'move.copying:5', 'move.copied:1', 'move.released:1'];
const BACK = ['move.closed:1', 'move.copied:1'];

describe.skipIf(WITHOUT_POSTGRES !== undefined)('Moving the database', () => {
  let postgres: Postgres;
  let url: string;
  let folder: string;

  beforeAll(async () => {
    postgres = await startPostgres();
  });

  afterAll(() => postgres[Symbol.asyncDispose]());

  beforeEach(async () => {
    url = await postgres.createDatabase();
    folder = await mkdtemp(join(tmpdir(), 'manyhands-move-'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function fill(file: string): Promise<void> {
    await using store = await openSqliteStore({ file, world: realWorld });
    for (let n = 0; n < 30; n += 1) {
      const events = Array.from({ length: 60 }, (_, i) => event(`e${i}`));
      await store.append([{ stream: `run/r${n}`, expected: 0, events }], AT + n);
      await store.putBlob(`text ${n} \0`);
      await store.putBlob(`prompt ${n}`);
      await store.ingest(
        batch(
          `r${n}-1-1`,
          Array.from({ length: 70 }, (_, i) => i),
          { cursor: 70, usage: { n } },
        ),
      );
    }
    await store.deleteRun('r29', 60);
  }

  function move(direction: 'to' | 'from', crash?: string): Promise<number | string | null> {
    const program = join(import.meta.dirname, '..', 'store', 'programs', 'move.ts');
    const child = spawn(process.execPath, [program, direction, url, folder], {
      env: { ...process.env, ...(crash === undefined ? {} : { MANYHANDS_CRASH: crash }) },
      stdio: 'inherit',
    });
    return once(child, 'close').then(([code, signal]) => code ?? signal);
  }

  it('carries every row to PostgreSQL and back, although it is killed at every step', async () => {
    const file = join(folder, 'manyhands.db');
    await fill(file);
    const before = rowsOf(file);
    for (const point of TO) {
      expect(await move('to', point), point).toBe('SIGKILL');
      if (point !== 'move.released:1')
        await expect(openShared(url, join(folder, 'x.db'), 'two')).rejects.toMatchObject({ code: 'DATABASE_REFUSED' });
    }
    expect(await move('to')).toBe(0);
    expect(rowsOf(file)).toEqual(before);
    await query(url, "UPDATE manyhands.installation SET expires_at = '-infinity'");
    const { store } = await openShared(url, join(folder, 'read-model.db'), 'two');
    expect(rowsOf(join(folder, 'read-model.db'))).toEqual(before);
    await store.append([{ stream: 'run/r0', expected: 60, events: [event('later')] }], AT);
    await store[Symbol.asyncDispose]();
    const after = rowsOf(join(folder, 'read-model.db'));
    await rm(file);
    for (const point of BACK) {
      expect(await move('from', point), point).toBe('SIGKILL');
      expect(existsSync(file)).toBe(false);
    }
    expect(await move('from')).toBe(0);
    expect(rowsOf(file)).toEqual(after);
    await expect(openShared(url, join(folder, 'x.db'), 'two')).rejects.toMatchObject({
      code: 'DATABASE_REFUSED',
      message: expect.stringContaining('was moved'),
    });
    await using embedded = await openSqliteStore({ file, world: realWorld });
    await embedded.append([{ stream: 'run/r0', expected: 61, events: [event('last')] }], AT);
    expect(await move('to')).toBe(3);
  });

  it('refuses a database with data of its own', async () => {
    await fill(join(folder, 'manyhands.db'));
    const { store } = await openShared(url, join(folder, 'x.db'), 'two');
    await store.append([{ stream: 's', expected: 0, events: [event('mine')] }], AT);
    await store[Symbol.asyncDispose]();
    expect(await move('to')).toBe(3);
    expect(await query(url, 'SELECT count(*)::int AS n FROM manyhands.events')).toEqual([{ n: 1 }]);
  });

  it('back is refused while hosts are running or have orders', async () => {
    const { store } = await openShared(url, join(folder, 'own.db'), 'one');
    const order = { id: 'r-1-1', kind: 'attempt' as const, host: 'b2', instance: crypto.randomUUID(), body: '{}' };
    await store.append([{ stream: 'run/r', expected: 0, events: [event('one')], order }], AT);
    await store[Symbol.asyncDispose]();
    const back = () =>
      moveFromPostgres({
        url,
        file: join(folder, 'manyhands.db'),
        readModel: join(folder, 'own.db'),
        candidate: { server: 'one', holder: 'one' },
        world: realWorld,
      });
    await expect(back()).rejects.toMatchObject({ code: 'HOSTS_IN_USE', message: expect.stringContaining('r-1-1') });
    await query(url, 'DELETE FROM manyhands.orders');
    const own = { agents: [], labels: [], memoryBytes: 1, diskBytes: 1, version: '0.1.0', machine: 'm', release: 1 };
    const registration = { name: 'b2', instance: crypto.randomUUID(), slots: 2, checks: 2, ...own };
    await using link = new HostLink(url, registration, realWorld);
    await link.register([]);
    await expect(back()).rejects.toMatchObject({ code: 'HOSTS_IN_USE', message: 'Hosts are running: b2' });
    await link.end();
    expect(await back()).toMatchObject({ runs: 1, events: 1 });
  });

  it('is one command each way', async () => {
    await using scratch = await makeScratch({ files: { 'readme.md': '# A\n' }, check: 'true' });
    expect((await scratch.mh(['job', 'Write', '--rehearse'])).code).toBe(0);
    const runs = (await scratch.mh(['ls', '--json'])).json;
    const out = await scratch.mh(['store', 'move', '--to', url]);
    expect([out.code, out.stdout]).toEqual([0, expect.stringMatching(/^Moved 1 run: \d+ events/)]);
    expect(readdirSync(scratch.home).filter((name) => name.startsWith('manyhands.db'))).toEqual([
      expect.stringMatching(/^manyhands\.db\.moved-/),
    ]);
    const env = { MANYHANDS_DATABASE_URL: url };
    expect((await scratch.mh(['ls', '--json'], { env })).json).toEqual(runs);
    expect((await scratch.mh(['job', 'Write more', '--rehearse'], { env })).code).toBe(0);
    const back = await scratch.mh(['store', 'move', '--to', 'embedded'], { env });
    expect([back.code, back.stderr]).toEqual([0, expect.stringContaining('Unset MANYHANDS_DATABASE_URL')]);
    expect((await scratch.mh(['ls', '--json'])).json).toHaveLength(2);
    expect((await scratch.mh(['audit', 'verify'])).code).toBe(0);
  });
});

it.runIf(WITHOUT_POSTGRES !== undefined)(`is not tested: ${WITHOUT_POSTGRES}`, () => {});
