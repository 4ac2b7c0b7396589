import { beforeEach, describe, expect, it } from 'vitest';
import { findChainBreak } from '../../src/store/chain.ts';
import type { Store } from '../../src/store/store.ts';
import { AT, counting, event, isGrowing } from './store-samples.ts';

/** What every store must do with events, appends and streams. */
export function eventContract(current: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = current();
  });

  describe('events', () => {
    it('are found by type, and streams by the words of their tasks, whatever their case', async () => {
      expect(store.position()).toBe(0);
      const task = (prompt: string) => ({ type: 'tasks.added', data: { specs: [{ prompt }] } });
      const other = { type: 'other', data: { prompt: 'turnip' } };
      await store.append([{ stream: 'run/a', expected: 0, events: [task('Mend the "Turnip" cart'), other] }], 1);
      await store.append([{ stream: 'run/b', expected: 0, events: [other, task('turnip soup'), task('cart')] }], 2);
      expect(store.position()).toBe(5);
      expect(store.readTypes('run/b', ['tasks.added', 'none']).map(({ version }) => version)).toEqual([2, 3]);
      expect(store.mentioning(['turnip'], 10)).toEqual(['run/b', 'run/a']);
      expect(store.mentioning(['"Turnip"', 'cart'], 10)).toEqual(['run/a']);
      expect(store.mentioning(['%'], 10)).toEqual([]);
    });

    it('are numbered from 1 within their stream and ordered by position over all streams', async () => {
      await store.append([{ stream: 'run/a', expected: 0, events: [event('one'), event('two')] }], AT);
      await store.append([{ stream: 'run/b', expected: 0, events: [event('one')] }], AT + 1);
      await store.append([{ stream: 'run/a', expected: 2, events: [event('three')] }], AT + 2);
      expect(store.read('run/a').map(({ version, type, at }) => [version, type, at])).toEqual([
        [1, 'one', AT],
        [2, 'two', AT],
        [3, 'three', AT + 2],
      ]);
      const all = store.readAll(0, 100);
      expect(all.map(({ stream, version }) => [stream, version])).toEqual([
        ['run/a', 1],
        ['run/a', 2],
        ['run/b', 1],
        ['run/a', 3],
      ]);
      expect(isGrowing(all.map(({ position }) => position))).toBe(true);
    });

    it('form a chain per stream: the head covers what, when, in which order and by whom', async () => {
      expect([store.head('s'), store.chain('s')]).toEqual([undefined, []]);
      const by = { actor: { kind: 'person', name: 'ada' }, via: 'cli' } as const;
      await store.append([{ stream: 's', expected: 0, events: [event('one'), event('two')], origin: by }], AT);
      const [first, second] = store.chain('s');
      expect(store.head('s')).toEqual({ stream: 's', version: 2, hash: second?.stored });
      await store.append([{ stream: 's', expected: 2, events: [event('three')] }], AT);
      const links = store.chain('s');
      expect(links.slice(0, 2)).toEqual([first, second]);
      expect(links.every(({ stored, computed }) => stored === computed)).toBe(true);
      expect(findChainBreak(links, store.head('s'))).toBeUndefined();
      const variants: [string, readonly ReturnType<typeof event>[], number, typeof by | undefined][] = [
        ['s2', [event('one'), event('two')], AT, by],
        ['s3', [event('two'), event('one')], AT, by],
        ['s4', [event('one'), event('two')], AT + 1, by],
        ['s5', [event('one'), event('two')], AT, undefined],
      ];
      for (const [stream, events, at, origin] of variants)
        await store.append([{ stream, expected: 0, events, ...(origin === undefined ? {} : { origin }) }], at);
      const heads = ['s2', 's3', 's4', 's5'].map((stream) => store.head(stream)?.hash);
      expect(new Set([...heads, second?.stored]).size).toBe(5);
    });

    it('of a refused append leave the chain as it was', async () => {
      await store.append([{ stream: 's', expected: 0, events: [event('one')] }], AT);
      const before = store.head('s');
      const stale = store.append([{ stream: 's', expected: 0, events: [event('two')] }], AT);
      const good = store.append([{ stream: 't', expected: 0, events: [event('one')] }], AT);
      await expect(stale).rejects.toMatchObject({ code: 'CONFLICT' });
      await good;
      expect(store.head('s')).toEqual(before);
      expect(findChainBreak(store.chain('t'), store.head('t'))).toBeUndefined();
    });

    it('are shown only once they are committed', async () => {
      const appending = store.append([{ stream: 's', expected: 0, events: [event('one')] }], AT);
      expect(store.read('s')).toEqual([]);
      await appending;
      expect(store.read('s')).toHaveLength(1);
    });

    it('are acknowledged exactly as a later read gives them', async () => {
      const data = { when: new Date(AT), gone: undefined, list: [undefined, 1.5, 'ü\0\u{1f600}'], nothing: null };
      const stored = await store.append([{ stream: 's', expected: 0, events: [{ type: 'odd', data }] }], AT);
      expect(stored).toEqual(store.read('s'));
      expect(stored[0]?.data).toStrictEqual({
        when: new Date(AT).toISOString(),
        list: [null, 1.5, 'ü\0\u{1f600}'],
        nothing: null,
      });
    });

    it('are stored as they were at the call, whatever the caller changes afterwards', async () => {
      const data = { count: 1 };
      const appending = store.append([{ stream: 's', expected: 0, events: [{ type: 'counted', data }] }], AT);
      data.count = 2;
      await appending;
      expect(store.read('s')[0]?.data).toEqual({ count: 1 });
    });

    it('can be read from a version and from a position on', async () => {
      await store.append([{ stream: 's', expected: 0, events: ['a', 'b', 'c', 'd'].map(event) }], AT);
      expect(store.read('s', 2).map(({ type }) => type)).toEqual(['c', 'd']);
      expect(store.read('s', 4)).toEqual([]);
      const page = store.readAll(0, 3);
      expect(page.map(({ type }) => type)).toEqual(['a', 'b', 'c']);
      expect(store.readAll(page.at(-1)?.position ?? 0, 3).map(({ type }) => type)).toEqual(['d']);
    });

    it('of a stream that was never written are none', () => {
      expect(store.read('nobody')).toEqual([]);
      expect(store.readAll(0, 10)).toEqual([]);
      expect(store.streams('')).toEqual([]);
    });
  });

  describe('an append', () => {
    it('is refused with CONFLICT when the version differs, and stores nothing in any of its streams', async () => {
      await store.append([{ stream: 'a', expected: 0, events: [event('one')] }], AT);
      const refused = store.append(
        [
          { stream: 'b', expected: 0, events: [event('lost')] },
          { stream: 'a', expected: 0, events: [event('lost')] },
        ],
        AT,
      );
      await expect(refused).rejects.toMatchObject({
        code: 'CONFLICT',
        details: { stream: 'a', expected: 0, actual: 1 },
      });
      expect(store.readAll(0, 10).map(({ type }) => type)).toEqual(['one']);
      expect(store.streams('').map(({ stream }) => stream)).toEqual(['a']);
    });

    it('that conflicts leaves the others of the same turn untouched', async () => {
      const results = await Promise.allSettled([
        store.append([{ stream: 'a', expected: 0, events: [event('first')] }], AT),
        store.append([{ stream: 'a', expected: 7, events: [event('wrong')] }], AT),
        store.append([{ stream: 'b', expected: 0, events: [event('second')] }], AT),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(store.readAll(0, 10).map(({ type }) => type)).toEqual(['first', 'second']);
    });

    it('wins alone when many expect the same version', async () => {
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) =>
          store.append([{ stream: 'slot', expected: 0, events: [{ type: 'taken', data: n }] }], AT),
        ),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(store.read('slot')).toHaveLength(1);
    });

    it('takes any version when it expects -1', async () => {
      await store.append([{ stream: 's', expected: -1, events: [event('one')] }], AT);
      await store.append([{ stream: 's', expected: -1, events: [event('two')] }], AT);
      expect(store.read('s').map(({ version }) => version)).toEqual([1, 2]);
    });

    it('without events for a stream only checks its version', async () => {
      await store.append([{ stream: 'a', expected: 0, events: [event('one')] }], AT);
      const withCheck = (expected: number) =>
        store.append(
          [
            { stream: 'a', expected, events: [] },
            { stream: 'b', expected: -1, events: [event('guarded')] },
          ],
          AT,
        );
      await expect(withCheck(0)).rejects.toMatchObject({ code: 'CONFLICT' });
      await expect(withCheck(1)).resolves.toHaveLength(1);
      expect(store.streams('').map(({ stream, version }) => [stream, version])).toEqual([
        ['a', 1],
        ['b', 1],
      ]);
    });

    it('may name one stream twice', async () => {
      await store.append(
        [
          { stream: 's', expected: 0, events: [event('one')] },
          { stream: 's', expected: 1, events: [event('two')] },
        ],
        AT,
      );
      expect(store.read('s').map(({ version, type }) => [version, type])).toEqual([
        [1, 'one'],
        [2, 'two'],
      ]);
    });

    it('of a value that is not JSON fails its own caller only', async () => {
      const results = await Promise.allSettled([
        store.append([{ stream: 'a', expected: 0, events: [{ type: 'big', data: 1n }] }], AT),
        store.append([{ stream: 'b', expected: 0, events: [event('fine')] }], AT),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
      expect(store.readAll(0, 10).map(({ stream }) => stream)).toEqual(['b']);
    });

    it('keeps versions without gaps under many concurrent writers', async () => {
      const writers = Array.from({ length: 50 }, async (_, writer) => {
        for (let n = 0; n < 20; n++) {
          await store.append([{ stream: `s${writer % 5}`, expected: -1, events: [event('tick')] }], AT);
        }
      });
      await Promise.all(writers);
      for (const { stream, version } of store.streams('s')) {
        expect(store.read(stream).map((stored) => stored.version)).toEqual(counting(version));
      }
      expect(store.readAll(0, 10_000)).toHaveLength(1_000);
    });
  });

  describe('streams', () => {
    it('are listed by prefix with their version and their first and last time', async () => {
      await store.append([{ stream: 'run/b', expected: 0, events: [event('x')] }], AT);
      await store.append([{ stream: 'run/a', expected: 0, events: [event('x')] }], AT + 1);
      await store.append([{ stream: 'run/b', expected: 1, events: [event('x'), event('y')] }], AT + 2);
      await store.append([{ stream: 'runner', expected: 0, events: [event('x')] }], AT);
      expect(store.streams('run/')).toEqual([
        { stream: 'run/a', version: 1, firstAt: AT + 1, lastAt: AT + 1 },
        { stream: 'run/b', version: 3, firstAt: AT, lastAt: AT + 2 },
      ]);
    });

    it('take a prefix as it is written, wildcards included', async () => {
      for (const stream of ['100%', '100x', 'a_b', 'axb', '日本/1']) {
        await store.append([{ stream, expected: 0, events: [event('x')] }], AT);
      }
      expect(store.streams('100%').map(({ stream }) => stream)).toEqual(['100%']);
      expect(store.streams('a_').map(({ stream }) => stream)).toEqual(['a_b']);
      expect(store.streams('日').map(({ stream }) => stream)).toEqual(['日本/1']);
    });
  });
}
