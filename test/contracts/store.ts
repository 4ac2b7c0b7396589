import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store, StoredEvent, TranscriptEntry } from '../../src/store/store.ts';
import { eventContract } from './store-events.ts';
import { AT, batch, counting, event, isGrowing, rowsOf } from './store-samples.ts';
import { transcriptContract } from './store-transcript.ts';

/** An implementation under test: `reopen` closes the store and opens the same data again, `close` ends it and removes the data. */
export type OpenedStore = { store: Store; reopen(): Promise<Store>; close(): Promise<void> };

/** What every store must do; each implementation runs it unchanged. */
export function storeContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(name, () => {
    let opened: OpenedStore;
    let store: Store;

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });

    afterEach(() => opened.close());

    eventContract(() => store);
    transcriptContract(() => store);

    describe('a listener', () => {
      it('receives each append in order, and can read it already', async () => {
        const received: StoredEvent[] = [];
        store.onAppend((events) => {
          for (const stored of events) {
            expect(store.read(stored.stream, stored.version - 1)[0]).toEqual(stored);
            received.push(stored);
          }
        });
        await Promise.all(
          counting(30).map((n) => store.append([{ stream: `s${n % 3}`, expected: -1, events: [event('x')] }], AT)),
        );
        expect(received).toEqual(store.readAll(0, 100));
      });

      it('receives nothing of a refused append, nor anything after it has left', async () => {
        const received: string[] = [];
        const leave = store.onAppend((events) => received.push(...events.map(({ type }) => type)));
        await store.append([{ stream: 's', expected: 0, events: [event('appended')] }], AT);
        await expect(store.append([{ stream: 's', expected: 9, events: [event('refused')] }], AT)).rejects.toThrow();
        leave();
        await store.append([{ stream: 's', expected: 1, events: [event('later')] }], AT);
        expect(received).toEqual(['appended']);
      });

      it('receives transcript rows with their ids, and of a repeated batch only what is new', async () => {
        const received: TranscriptEntry[] = [];
        store.onTranscript((rows) => received.push(...rows));
        const first = rowsOf('r-1-1', [0, 10]);
        await store.ingest({ attempt: 'r-1-1', rows: first, cursors: [] });
        await store.ingest({ attempt: 'r-1-1', rows: [...first, ...rowsOf('r-1-1', [20])], cursors: [] });
        expect(received.map(({ offset }) => offset)).toEqual([0, 10, 20]);
        expect(received).toEqual(store.transcript({ attempt: 'r-1-1', limit: 10 }));
      });
    });

    describe('a snapshot', () => {
      it('is given back to the code that made it, and to no other', async () => {
        await store.saveSnapshot({ stream: 's', version: 5, codec: 'one', state: { tasks: ['a'] } });
        expect(store.loadSnapshot('s', 'one')).toEqual({ version: 5, state: { tasks: ['a'] } });
        expect(store.loadSnapshot('s', 'two')).toBeUndefined();
        expect(store.loadSnapshot('t', 'one')).toBeUndefined();
      });

      it('is replaced by a newer version, never by an older one of the same code', async () => {
        await store.saveSnapshot({ stream: 's', version: 5, codec: 'one', state: 'five' });
        await store.saveSnapshot({ stream: 's', version: 4, codec: 'one', state: 'four' });
        expect(store.loadSnapshot('s', 'one')).toEqual({ version: 5, state: 'five' });
        await store.saveSnapshot({ stream: 's', version: 6, codec: 'one', state: 'six' });
        expect(store.loadSnapshot('s', 'one')).toEqual({ version: 6, state: 'six' });
        await store.saveSnapshot({ stream: 's', version: 2, codec: 'two', state: 'other' });
        expect(store.loadSnapshot('s', 'two')).toEqual({ version: 2, state: 'other' });
      });
    });

    describe('a blob', () => {
      it('is found under the SHA-256 of its text, however often it is stored', async () => {
        const hash = await store.putBlob('hello');
        expect(hash).toBe('2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824');
        expect(await store.putBlob('hello')).toBe(hash);
        expect(store.getBlob(hash)).toBe('hello');
        expect(store.getBlob('0'.repeat(64))).toBeUndefined();
      });

      it('comes back whole: empty, with NUL, beyond the basic plane, a megabyte', async () => {
        for (const text of ['', 'a\0b', '\u{1f600} ü', 'x'.repeat(1_000_000)]) {
          expect(store.getBlob(await store.putBlob(text))).toBe(text);
        }
      });
    });

    describe('after it was closed and opened again', () => {
      it('everything is as it was', async () => {
        await store.append([{ stream: 's', expected: 0, events: [event('one'), event('two')] }], AT);
        await store.saveSnapshot({ stream: 's', version: 2, codec: 'c', state: [1] });
        const hash = await store.putBlob('text');
        await store.ingest(batch('r-1-1', [0, 10], { cursor: 20, usage: { tokens: 1 } }));
        const seen = everything(store, hash);
        store = await opened.reopen();
        expect(everything(store, hash)).toEqual(seen);
        await store.append([{ stream: 's', expected: 2, events: [event('three')] }], AT);
        const positions = store.readAll(0, 10).map(({ position }) => position);
        expect(isGrowing(positions)).toBe(true);
        expect(positions).toHaveLength(3);
      });

      it('what was under way when it was closed has been stored', async () => {
        const appending = store.append([{ stream: 's', expected: 0, events: [event('late')] }], AT);
        const closing = store[Symbol.asyncDispose]();
        await expect(appending).resolves.toHaveLength(1);
        await closing;
        await expect(store.append([{ stream: 's', expected: 1, events: [event('x')] }], AT)).rejects.toThrow();
        store = await opened.reopen();
        expect(store.read('s').map(({ type }) => type)).toEqual(['late']);
      });
    });
  });
}

function everything(store: Store, hash: string): unknown[] {
  return [
    store.readAll(0, 100),
    store.streams(''),
    store.loadSnapshot('s', 'c'),
    store.getBlob(hash),
    store.transcript({ attempt: 'r-1-1', limit: 100 }),
    store.cursor('r-1-1', 'stdout'),
    store.usage('r-1-1'),
    store.search({ text: 'line', limit: 100 }),
  ];
}
