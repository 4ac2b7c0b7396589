import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AT, batch, event } from '../contracts/store-samples.ts';
import { type Postgres, query, startPostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';
import { expectAcknowledged, openCut, openShared, rowsOf, startFlood } from '../support/shared-store.ts';

describe.skipIf(WITHOUT_POSTGRES !== undefined)('A store on PostgreSQL', () => {
  let postgres: Postgres;
  let url: string;
  let folder: string;
  let file: string;

  beforeAll(async () => {
    postgres = await startPostgres();
  });

  afterAll(() => postgres[Symbol.asyncDispose]());

  beforeEach(async () => {
    url = await postgres.createDatabase();
    folder = await mkdtemp(join(tmpdir(), 'manyhands-shared-'));
    file = join(folder, 'read-model.db');
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function fill(server = 'one'): Promise<void> {
    const { store } = await openShared(url, file, server);
    await store.append([{ stream: 'run/r', expected: 0, events: [event('one'), event('two')] }], AT);
    await store.append([{ stream: 'run/gone', expected: 0, events: [event('one')] }], AT);
    await store.putBlob('a text with \0');
    for (let n = 0; n < 1_200; n += 100)
      await store.ingest(
        batch(
          'r-1-1',
          Array.from({ length: 100 }, (_, i) => n + i),
          { cursor: n, usage: { n } },
        ),
      );
    await store.ingest(batch('gone-1-1', [1, 2, 3], { cursor: 4 }));
    const record = store.exportRun('gone');
    await store.deleteRun('gone', 1, [{ stream: 'account/x', expected: 0, events: [event('spent')] }]);
    await store.append([{ stream: 'run/next', expected: 0, events: [event('one')] }], AT);
    await store.importRun({ ...record, texts: {} });
    await store.deleteRun('gone', 1);
    await store[Symbol.asyncDispose]();
  }

  it('makes the local file again, with everything, where it is missing, behind, damaged or of another installation', async () => {
    await fill();
    const before = rowsOf(file);
    expect(before.transcript).toHaveLength(1_200);
    await rm(folder, { recursive: true });
    await (await openShared(url, file)).store[Symbol.asyncDispose]();
    expect(rowsOf(file)).toEqual(before);
    const other = join(folder, 'other.db');
    await (await openShared(url, other, 'two')).store[Symbol.asyncDispose]();
    const { store } = await openShared(url, file);
    await store.append([{ stream: 'run/r', expected: 2, events: [event('three')] }], AT);
    await store.ingest(batch('r-1-1', [5_000], { cursor: 5_001 }));
    await store.deleteRun('next', 1);
    await store[Symbol.asyncDispose]();
    await (await openShared(url, other, 'two')).store[Symbol.asyncDispose]();
    expect(rowsOf(other)).toEqual(rowsOf(file));
    for (const end of ['-wal', '-shm']) await rm(`${file}${end}`, { force: true });
    writeFileSync(file, 'x'.repeat(10_000));
    await (await openShared(url, file)).store[Symbol.asyncDispose]();
    expect(rowsOf(file)).toEqual(rowsOf(other));
    url = await postgres.createDatabase();
    const { store: empty } = await openShared(url, file);
    expect(empty.position()).toBe(0);
    await empty[Symbol.asyncDispose]();
    expect(readdirSync(folder).filter((name) => /replaced-\w+$/.test(name))).toHaveLength(2);
  });

  it('notices that a backup of PostgreSQL was restored, although it has more commits by then', async () => {
    await fill();
    const tables = ['installation', 'terms', 'events', 'blobs', 'attempts', 'transcript', 'removals'];
    for (const table of tables) await query(url, `CREATE TABLE public.${table} AS TABLE manyhands.${table}`);
    const { store } = await openShared(url, file);
    for (let n = 2; n < 6; n += 1) await store.append([{ stream: 'run/r', expected: n, events: [event('lost')] }], AT);
    await store[Symbol.asyncDispose]();
    for (const table of tables)
      await query(url, `TRUNCATE manyhands.${table}; INSERT INTO manyhands.${table} SELECT * FROM public.${table}`);
    const { store: later } = await openShared(url, join(folder, 'other.db'), 'two');
    for (let n = 2; n < 9; n += 1) await later.append([{ stream: 'run/r', expected: n, events: [event('later')] }], AT);
    await later[Symbol.asyncDispose]();
    const { store: again } = await openShared(url, file);
    expect(again.read('run/r', 2).map(({ type }) => type)).toEqual(Array(7).fill('later'));
    await again[Symbol.asyncDispose]();
  });

  it.each(['shared.writing', 'shared.written', 'shared.committed', 'shared.copying'])(
    'has what it acknowledged, once, when its process is killed at %s',
    async (point) => {
      const lines: string[] = [];
      for (const hit of [3, 20]) {
        const flood = startFlood(url, file, { MANYHANDS_CRASH: `${point}:${hit}` });
        await flood.lines.ended;
        expect(flood.child.signalCode).toBe('SIGKILL');
        lines.push(...flood.lines.all);
      }
      const { store } = await openShared(url, file);
      expectAcknowledged(store, lines);
      await store[Symbol.asyncDispose]();
      const copy = join(folder, 'copy.db');
      await (await openShared(url, copy)).store[Symbol.asyncDispose]();
      expect(rowsOf(copy)).toEqual(rowsOf(file));
    },
  );

  it('waits while PostgreSQL is killed and restarted, and loses and repeats nothing', async () => {
    const flood = startFlood(url, file);
    await flood.lines.more(200);
    for (const signal of ['SIGQUIT', 'SIGINT', 'SIGQUIT'] as const) {
      await postgres.restart(signal);
      await flood.lines.more(300);
    }
    flood.child.kill('SIGKILL');
    await flood.lines.ended;
    expect(flood.lines.all.filter((line) => line.startsWith('error'))).toEqual([]);
    const { store } = await openShared(url, join(folder, 'copy.db'));
    expectAcknowledged(store, flood.lines.all);
    await store[Symbol.asyncDispose]();
  });

  it.each([
    ['commit-events-orders', 'before'],
    ['commit-events-orders', 'after'],
  ] as const)(
    'stores an event and its order once when the connection is cut at %s, %s it was executed',
    async (statement, where) => {
      const cut = await openCut(url);
      const { store } = await openShared(cut.url, file);
      const append = (number: number) => {
        const order = { id: `r-${number}-1`, kind: 'attempt' as const, host: 'b2', instance: randomUUID(), body: '{}' };
        return store.append([{ stream: 's', expected: number, events: [event(`e${number}`)], order }], AT);
      };
      await append(0);
      cut.cutAt(new RegExp(statement), where);
      await expect(append(1)).resolves.toHaveLength(1);
      expect(cut.isWaiting()).toBe(false);
      await append(2);
      await store[Symbol.asyncDispose]();
      cut.close();
      const stored = await query(url, 'SELECT type FROM manyhands.events ORDER BY position');
      expect(stored.map(({ type }) => type)).toEqual(['e0', 'e1', 'e2']);
      const orders = await query(url, 'SELECT id, epoch FROM manyhands.orders ORDER BY sequence');
      expect(orders.map(({ id }) => id)).toEqual(['r-0-1', 'r-1-1', 'r-2-1']);
    },
  );

  it('removes a run once when the connection is cut at the end of the transaction', async () => {
    for (const where of ['before', 'after'] as const) {
      const cut = await openCut(url);
      const { store } = await openShared(cut.url, file);
      await store.append([{ stream: 'run/r', expected: 0, events: [event('one')] }], AT);
      cut.cutAt(/COMMIT/, where);
      await store.deleteRun('r', 1);
      expect(cut.isWaiting()).toBe(false);
      await store[Symbol.asyncDispose]();
      cut.close();
    }
    expect(await query(url, "SELECT 1 FROM manyhands.events WHERE stream = 'run/r'")).toEqual([]);
    expect(await query(url, 'SELECT run FROM manyhands.removals')).toHaveLength(2);
  });

  it('has one writer: a second server is refused, takes over after the lease, and the paused first one is fenced', async () => {
    const first = startFlood(url, file, {}, 'one');
    await first.lines.more(100);
    const other = join(folder, 'other.db');
    await expect(openShared(url, other, 'two')).rejects.toMatchObject({
      code: 'NOT_LEADER',
      message: expect.stringContaining('one'),
    });
    const { store: reader } = await openShared(url, other, 'two', false);
    const refused = reader.append([{ stream: 'x', expected: 0, events: [event('x')] }], AT);
    await expect(refused).rejects.toMatchObject({ code: 'NOT_LEADER' });
    await reader[Symbol.asyncDispose]();
    first.child.kill('SIGSTOP');
    await query(url, "UPDATE manyhands.installation SET expires_at = now() - interval '1 s'");
    const second = await openShared(url, other, 'two');
    const acknowledged = [...first.lines.all];
    await second.store.append([{ stream: 'taken', expected: 0, events: [event('over')] }], AT);
    const versions = second.store.streams('s');
    first.child.kill('SIGCONT');
    await first.lines.ended;
    expect(first.lines.all.at(-1)).toBe('error NOT_LEADER');
    expect(second.store.streams('s')).toEqual(versions);
    expectAcknowledged(second.store, acknowledged);
    expect(second.lost.aborted).toBe(false);
    await second.store[Symbol.asyncDispose]();
    const { store } = await openShared(url, file, 'one');
    expect(store.read('taken')).toHaveLength(1);
    expectAcknowledged(store, first.lines.all);
    await store[Symbol.asyncDispose]();
  });

  it('is led again at once by a data directory whose process was killed', async () => {
    const flood = startFlood(url, file, {}, 'one');
    await flood.lines.more(50);
    flood.child.kill('SIGKILL');
    await flood.lines.ended;
    const { store } = await openShared(url, file, 'one');
    expectAcknowledged(store, flood.lines.all);
    await store[Symbol.asyncDispose]();
  });

  it('names the database, never the password, when it cannot be reached or refuses', async () => {
    const { port } = new URL(url);
    for (const bad of [
      `postgresql://a:s3cret@127.0.0.1:1/x`,
      `postgresql://a:s3cret@127.0.0.1:${port}/x`,
      'mysql://a:s3cret@h/x',
    ]) {
      const error = await openShared(bad, file).catch((caught: unknown) => caught);
      expect(error).toMatchObject({ code: expect.stringMatching(/^DATABASE_(UNREACHABLE|REFUSED)$/) });
      expect(JSON.stringify([String(error), (error as { details: unknown }).details])).not.toContain('s3cret');
    }
    expect(existsSync(file)).toBe(false);
  });
});

it.runIf(WITHOUT_POSTGRES !== undefined)(`is not tested: ${WITHOUT_POSTGRES}`, () => {});
