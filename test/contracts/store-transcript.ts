import { beforeEach, describe, expect, it } from 'vitest';
import type { Store, TranscriptRow } from '../../src/store/store.ts';
import { AT, batch, isGrowing, row, withoutId } from './store-samples.ts';

const HOSTILE_TEXTS = [
  '',
  '   ',
  '"',
  '""',
  'un"closed',
  "it's",
  'AND',
  'a OR b',
  'NOT x',
  'NEAR(a b, 2)',
  'text:word',
  '-minus',
  '^caret',
  'star*',
  '(open',
  'close)',
  'a + b',
  '{col}: x',
  'semi;colon -- comment',
  "'; DROP TABLE events; --",
  'nul\0inside',
  '\ud800lone',
  'naïve café',
  '../path/to/file.ts:12',
  '()*^":+-{}',
];

/** What every store must do with transcripts and their search. */
export function transcriptContract(current: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = current();
  });

  describe('a transcript', () => {
    it('keeps rows, cursors and usage of a batch together', async () => {
      const rows: TranscriptRow[] = [
        { attempt: 'r-1-1', file: 'stdout', offset: 0, at: AT, kind: 'text', text: 'a\0ü', data: { n: 1 } },
        { attempt: 'r-1-1', file: 'stderr', offset: 0, at: AT, kind: 'error', text: 'oops' },
        { attempt: 'r-1-1', file: 'engine', offset: 0, at: AT, kind: 'note', text: 'started' },
      ];
      const cursors = [
        { file: 'stdout', offset: 12 },
        { file: 'stderr', offset: 5 },
      ] as const;
      await store.ingest({ attempt: 'r-1-1', rows, cursors, usage: { tokens: 7 } });
      expect(store.transcript({ attempt: 'r-1-1', limit: 10 }).map(withoutId)).toEqual(rows);
      expect([store.cursor('r-1-1', 'stdout'), store.cursor('r-1-1', 'stderr')]).toEqual([12, 5]);
      expect(store.usage('r-1-1')).toEqual({ tokens: 7 });
    });

    it('of a run is what all its attempts said, in the order of their words, however much others say in between', async () => {
      const textOf = async (attempt: string, offset: number, count = 1) =>
        store.ingest({
          attempt,
          rows: Array.from({ length: count }, (_, index) => row(attempt, offset + index)),
          cursors: [],
        });
      await textOf('r-1-1', 0);
      await textOf('r2-1-1', 0, 25_000);
      await textOf('r-2-1', 0);
      await textOf('q-1-1', 0, 10);
      await textOf('r-1-1', 1);
      const found: string[] = [];
      let after = 0;
      for (let page = store.runTranscript({ run: 'r', after, limit: 2 }); page.length > 0; ) {
        found.push(...page.map(({ attempt, offset }) => `${attempt} ${offset}`));
        after = page.at(-1)?.id ?? 0;
        page = store.runTranscript({ run: 'r', after, limit: 2 });
      }
      expect(found).toEqual(['r-1-1 0', 'r-2-1 0', 'r-1-1 1']);
      expect(store.runTranscript({ run: 'none', limit: 2 })).toEqual([]);
    });

    it('of an attempt that never spoke is empty, its cursor 0, its usage undefined', () => {
      expect(store.transcript({ attempt: 'r-9-9', limit: 10 })).toEqual([]);
      expect(store.cursor('r-9-9', 'stdout')).toBe(0);
      expect(store.generation('r-9-9', 'stdout')).toBe(0);
      expect(store.usage('r-9-9')).toBeUndefined();
    });

    it('does not change when a batch is repeated, at once or after later ones', async () => {
      const first = batch('r-1-1', [0, 10], { cursor: 20, usage: { tokens: 100 } });
      const second = batch('r-1-1', [20, 30], { cursor: 40, usage: { tokens: 200 } });
      await store.ingest(first);
      await store.ingest(first);
      await store.ingest(second);
      const before = store.transcript({ attempt: 'r-1-1', limit: 10 });
      await store.ingest(first);
      expect(store.transcript({ attempt: 'r-1-1', limit: 10 })).toEqual(before);
      expect(before.map(({ offset }) => offset)).toEqual([0, 10, 20, 30]);
      expect(store.cursor('r-1-1', 'stdout')).toBe(40);
      expect(store.usage('r-1-1')).toEqual({ tokens: 200 });
    });

    it('is read by place, counted and searched as if each attempt stood alone, whatever came between', async () => {
      const size = 1_300;
      const text = (n: number) => ({ text: n % 100 === 7 ? `needle number ${n}` : `hay ${n}` });
      for (let n = 0; n < size; n += 100) {
        const places = Array.from({ length: 100 }, (_, index) => n + index);
        const rows = places.map((place) => ({ ...row('r-1-1', place * 10), ...text(place) }));
        await store.ingest({ attempt: 'r-1-1', rows, cursors: [] });
        await store.ingest({ attempt: 'r-1-1', rows, cursors: [] });
        await store.ingest(batch('r-2-1', places, { cursor: n }));
      }
      expect([store.rowCount('r-1-1'), store.rowCount('r-2-1'), store.rowCount('r-9-9')]).toEqual([size, size, 0]);
      const all = store.transcript({ attempt: 'r-1-1', limit: size });
      for (const [offset, limit] of [
        [0, 3],
        [500, 30],
        [511, 2],
        [512, 600],
        [1_299, 10],
        [1_300, 10],
      ] as const)
        expect(store.page({ attempt: 'r-1-1', offset, limit })).toEqual(all.slice(offset, offset + limit));
      for (const place of [0, 1, 511, 512, 1_023, 1_024, 1_299])
        expect(store.offsetOf('r-1-1', all[place]?.id ?? 0)).toBe(place);
      const first = store.find({ attempt: 'r-1-1', text: 'number need', after: 0, limit: 3 });
      expect(first.map(({ id }) => store.offsetOf('r-1-1', id))).toEqual([7, 107, 207]);
      const rest = store.find({ attempt: 'r-1-1', text: 'needle', after: first.at(-1)?.id ?? 0, limit: 100 });
      expect(rest).toHaveLength(10);
      expect(store.find({ attempt: 'r-2-1', text: 'needle', after: 0, limit: 3 })).toEqual([]);
      for (const hostile of HOSTILE_TEXTS) store.find({ attempt: 'r-1-1', text: hostile, after: 0, limit: 3 });
    });

    it('takes usage that comes without output', async () => {
      await store.ingest(batch('r-1-1', [0], { cursor: 10, usage: { tokens: 100 } }));
      await store.ingest({ attempt: 'r-1-1', rows: [], cursors: [], usage: { tokens: 150 } });
      await store.ingest(batch('r-1-1', [10], { cursor: 20 }));
      expect(store.usage('r-1-1')).toEqual({ tokens: 150 });
    });

    it('keeps several rows that one line of output gave', async () => {
      const rows = ['say', 'edit', 'say'].map((kind) => ({ ...row('r-1-1', 0), kind }));
      await store.ingest({ attempt: 'r-1-1', rows, cursors: [{ file: 'stdout', offset: 9 }] });
      await store.ingest({ attempt: 'r-1-1', rows, cursors: [{ file: 'stdout', offset: 9 }] });
      const kinds = store.transcript({ attempt: 'r-1-1', limit: 10 }).map(({ kind }) => kind);
      expect(kinds).toEqual(['say', 'edit', 'say']);
    });

    it('goes on after a file shrank and began again at 0', async () => {
      await store.ingest(batch('r-1-1', [0, 10], { cursor: 20 }));
      const again = { ...row('r-1-1', 0), generation: 1, text: 'after the cut' };
      await store.ingest({
        attempt: 'r-1-1',
        rows: [again],
        cursors: [{ file: 'stdout', generation: 1, offset: 5 }],
      });
      expect(
        store
          .transcript({ attempt: 'r-1-1', limit: 10 })
          .map(({ text }) => text)
          .at(-1),
      ).toBe('after the cut');
      expect([store.generation('r-1-1', 'stdout'), store.cursor('r-1-1', 'stdout')]).toEqual([1, 5]);
      await store.ingest(batch('r-1-1', [0, 10], { cursor: 20 }));
      expect([store.generation('r-1-1', 'stdout'), store.cursor('r-1-1', 'stdout')]).toEqual([1, 5]);
      expect(store.transcript({ attempt: 'r-1-1', limit: 10 })).toHaveLength(3);
    });

    it('is paged by id, attempt by attempt', async () => {
      await store.ingest(batch('r-1-1', [0, 10, 20], { cursor: 30 }));
      await store.ingest(batch('r-2-1', [0], { cursor: 10 }));
      await store.ingest(batch('r-1-1', [30], { cursor: 40 }));
      const page = store.transcript({ attempt: 'r-1-1', limit: 2 });
      expect(page.map(({ offset }) => offset)).toEqual([0, 10]);
      const rest = store.transcript({ attempt: 'r-1-1', after: page.at(-1)?.id ?? 0, limit: 10 });
      expect(rest.map(({ offset }) => offset)).toEqual([20, 30]);
      expect(isGrowing([...page, ...rest].map(({ id }) => id))).toBe(true);
    });

    it('can be narrowed to some kinds', async () => {
      const rows = ['text', 'tool', 'text', 'error'].map((kind, n) => ({ ...row('r-1-1', n), kind }));
      await store.ingest({ attempt: 'r-1-1', rows, cursors: [] });
      const kindsOf = (kinds: string[]) =>
        store.transcript({ attempt: 'r-1-1', limit: 10, kinds }).map(({ offset }) => offset);
      expect(kindsOf(['tool', 'error'])).toEqual([1, 3]);
      expect(kindsOf([])).toEqual([]);
    });
  });

  describe('a search', () => {
    it('finds rows that hold every word, newest first, page by page', async () => {
      const texts = ['red apple', 'green apple', 'red pear', 'Apple pie, red'];
      await store.ingest({
        attempt: 'r-1-1',
        rows: texts.map((text, n) => ({ ...row('r-1-1', n), text })),
        cursors: [],
      });
      const hits = store.search({ text: 'red apple', limit: 10 });
      expect(hits.map(({ excerpt }) => excerpt)).toEqual(['Apple pie, red', 'red apple']);
      expect(hits[0]).toMatchObject({ attempt: 'r-1-1', at: AT, kind: 'text' });
      const older = store.search({ text: 'apple', limit: 1, before: hits[0]?.id ?? 0 });
      expect(older.map(({ excerpt }) => excerpt)).toEqual(['green apple']);
    });

    it('keeps to one run when asked', async () => {
      for (const attempt of ['aaaaaaaa-1-1', 'aaaaaaaa-2-1', 'bbbbbbbb-1-1']) {
        await store.ingest({ attempt, rows: [{ ...row(attempt, 0), text: 'needle' }], cursors: [] });
      }
      const found = store.search({ text: 'needle', limit: 10, run: 'aaaaaaaa' });
      expect(found.map(({ attempt }) => attempt)).toEqual(['aaaaaaaa-2-1', 'aaaaaaaa-1-1']);
      expect(store.search({ text: 'needle', limit: 10, run: 'aaaa' })).toEqual([]);
    });

    it.each(HOSTILE_TEXTS)('takes %j as words, not as syntax', async (text) => {
      await store.ingest({
        attempt: 'r-1-1',
        rows: [{ ...row('r-1-1', 0), text: `before ${text} after` }],
        cursors: [],
      });
      const hasWords = /[\p{L}\p{N}]/u.test(text);
      expect(store.search({ text, limit: 10 })).toHaveLength(hasWords ? 1 : 0);
      expect(store.search({ text: `${text} absent`, limit: 10 })).toEqual([]);
    });
  });
}
