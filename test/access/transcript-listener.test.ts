import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listenTo } from '../../src/access/run-reader.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { realWorld } from '../../src/world.ts';

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mh-listener-'));
  store = await openSqliteStore({ file: join(folder, 'store.db'), world: realWorld });
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe('a transcript listener', () => {
  it('returns the rows of its run once and in order, and wakes for events of the run', async () => {
    using listener = listenTo(store, 'aaaaaaaa', new AbortController().signal);
    await Promise.all([say('aaaaaaaa-1-1', 0, 2), say('bbbbbbbb-1-1', 0, 2), say('aaaaaaaa-2-1', 0, 1)]);
    await listener.changed();
    expect(listener.take()?.map(({ attempt, text }) => `${attempt} ${text}`)).toEqual([
      'aaaaaaaa-1-1 word 0',
      'aaaaaaaa-1-1 word 1',
      'aaaaaaaa-2-1 word 0',
    ]);
    expect(listener.take()).toEqual([]);
    await store.append([{ stream: 'run/aaaaaaaa', expected: 0, events: [{ type: 'run.paused', data: {} }] }], 1);
    await listener.changed();
    expect(listener.take()).toEqual([]);
  });

  it('buffers a bounded number of rows for a slow reader, and reports dropped ones', async () => {
    using listener = listenTo(store, 'aaaaaaaa', new AbortController().signal);
    await say('aaaaaaaa-1-1', 0, 2_001);
    expect(listener.take()).toBeUndefined();
    await say('aaaaaaaa-1-1', 5_000, 1, 'x'.repeat(5 * 1024 * 1024));
    expect(listener.take()).toBeUndefined();
    await say('aaaaaaaa-1-1', 6_000, 1);
    expect(listener.take()).toHaveLength(1);
  });

  it('is removed when its signal aborts', async () => {
    const stop = new AbortController();
    using listener = listenTo(store, 'aaaaaaaa', stop.signal);
    const change = listener.changed();
    stop.abort();
    await change;
  });
});

async function say(attempt: string, from: number, count: number, text?: string): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => ({
    attempt,
    file: 'stdout' as const,
    offset: from + index,
    at: 1,
    kind: 'text',
    text: text ?? `word ${from + index}`,
  }));
  await store.ingest({ attempt, rows, cursors: [] });
}
