import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Origin } from '../../src/schema/actor.ts';
import { type Fold, isStoreFailure, Ledger } from '../../src/store/ledger.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { realWorld } from '../../src/world.ts';

type Added = { type: string; data: { by: number } };
type Sum = { total: number; origins: (string | undefined)[] };

const STREAM = 'project/p';
const PERSON: Origin = { actor: { kind: 'person', name: 'ada' }, via: 'cli' };

function sumFold(parsed: { count: number } = { count: 0 }): Fold<Sum, Added> {
  return {
    parse: ({ type, data }) => {
      if (type !== 'added') return undefined;
      parsed.count += 1;
      const by = typeof data === 'object' && data !== null && 'by' in data ? Number(data.by) : Number.NaN;
      return { type, data: { by } };
    },
    evolve: (state = { total: 0, origins: [] }, { event, origin }) => {
      state.total += event.data.by;
      state.origins.push(origin?.via);
      return state;
    },
    empty: () => ({ total: 0, origins: [] }),
  };
}

const add = (by: number) => () => [{ type: 'added', data: { by } }];

describe('a ledger', () => {
  let folder: string;
  let store: Store;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mh-ledger-'));
    store = await openSqliteStore({ file: join(folder, 'data.db'), world: realWorld });
  });

  afterEach(async () => {
    await store[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  function open(fold = sumFold()): Ledger<Sum, Added> {
    return new Ledger({ store, world: realWorld, stream: STREAM, fold });
  }

  it('appends in order, and nothing before it is ready', async () => {
    const ready = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let calls = 0;
    const before = ([event]: readonly Added[]) => (event?.data.by === 1 ? undefined : ready[calls++]?.promise);
    const ledger = new Ledger({ store, world: realWorld, stream: STREAM, fold: sumFold(), before });
    const submitted = [2, 1, 3, 1].map((by) => ledger.submit(add(by)).committed);
    expect(ledger.state.total).toBe(7);
    ready[1]?.resolve();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(store.read(STREAM)).toEqual([]);
    ready[0]?.resolve();
    await Promise.all(submitted);
    expect(store.read(STREAM).map(({ data }) => (data as Added['data']).by)).toEqual([2, 1, 3, 1]);
    await ledger.submit(add(1)).committed;
    expect(ledger.version).toBe(5);
  });

  it('loads its state again where what must be done before fails, and refuses what was decided after it', async () => {
    const before = ([event]: readonly Added[]) => (event?.data.by === 2 ? Promise.reject(new Error('no')) : undefined);
    const ledger = new Ledger({ store, world: realWorld, stream: STREAM, fold: sumFold(), before });
    await ledger.submit(add(1)).committed;
    const results = await Promise.allSettled([2, 3].map((by) => ledger.submit(add(by)).committed));
    expect(results).toMatchObject([{ reason: { message: 'no' } }, { reason: { code: 'CONFLICT' } }]);
    expect([ledger.state.total, store.read(STREAM).length]).toEqual([1, 1]);
  });

  it('folds a decision at once and acknowledges it after the commit', async () => {
    const ledger = open();
    const { committed } = ledger.submit(add(3));
    expect(ledger.state.total).toBe(3);
    expect(store.read(STREAM)).toEqual([]);
    await committed;
    expect(store.read(STREAM)).toHaveLength(1);
  });

  it('stores the origin of an event and passes it to the fold, also after a reload', async () => {
    const ledger = open();
    await ledger.submit(add(1), { origin: PERSON }).committed;
    await ledger.submit(add(1)).committed;
    expect(store.read(STREAM).map(({ origin }) => origin)).toEqual([PERSON, undefined]);
    expect(ledger.state.origins).toEqual(['cli', undefined]);
    expect(open().state.origins).toEqual(['cli', undefined]);
  });

  it('reads only what is new', async () => {
    const parsed = { count: 0 };
    const ledger = open(sumFold(parsed));
    for (let index = 0; index < 50; index += 1) await ledger.update(add(1));
    expect(ledger.state.total).toBe(50);
    expect(parsed.count).toBe(0);
    await store.append([{ stream: STREAM, expected: -1, events: add(5)() }], realWorld.now());
    expect(ledger.refresh().total).toBe(55);
    expect(parsed.count).toBe(1);
  });

  it('folds a long history without having all of its events in memory', async () => {
    const events = Array.from({ length: 2_000 }, () => ({ type: 'added', data: { by: 1 } }));
    await store.append([{ stream: STREAM, expected: 0, events }], 1);
    const read: number[] = [];
    const recorded: Store = {
      ...store,
      read: (stream, after, limit) => {
        const rows = store.read(stream, after, limit);
        read.push(rows.length);
        return rows;
      },
    };
    const ledger = new Ledger({ store: recorded, world: realWorld, stream: STREAM, fold: sumFold() });
    expect(ledger.version).toBe(2_000);
    expect(ledger.state.total).toBe(2_000);
    expect(Math.max(...read)).toBeLessThan(1_000);
  });

  it('decides again on the current state when another writer was faster', async () => {
    const [one, two] = [open(), open()];
    const double = (state: Sum) => add(Math.max(state.total, 1))();
    await Promise.all([one.update(double), two.update(double), one.update(double), two.update(double)]);
    expect(open().state.total).toBe(8);
    expect(one.refresh().total).toBe(8);
    expect(two.refresh().total).toBe(8);
  });

  it('skips events that its fold ignores', async () => {
    await store.append([{ stream: STREAM, expected: -1, events: [{ type: 'other', data: {} }] }], realWorld.now());
    const ledger = open();
    expect(ledger.version).toBe(1);
    await ledger.submit(add(2)).committed;
    expect(open().state.total).toBe(2);
  });

  it('loads its state again when a commit fails, and reports a failure of the store', async () => {
    const ledger = open();
    await ledger.submit(add(1)).committed;
    await store.append([{ stream: STREAM, expected: -1, events: add(10)() }], realWorld.now());
    const { committed } = ledger.submit(add(100));
    const error = await committed.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'CONFLICT' });
    expect(isStoreFailure(error)).toBe(true);
    expect(ledger.state.total).toBe(11);
  });

  it('writes to other streams in the same transaction, or not at all', async () => {
    const ledger = open();
    const also = [{ stream: 'project/q', expected: 7, events: [{ type: 'x', data: {} }] }];
    await expect(ledger.submit(add(1), { also }).committed).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(store.read(STREAM)).toEqual([]);
    expect(store.read('project/q')).toEqual([]);
    expect(ledger.state.total).toBe(0);
  });
});
