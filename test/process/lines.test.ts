import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineReader } from '../../src/process/lines.ts';

function read(chunks: Buffer[], maxLineBytes = 1000) {
  const reader = lineReader({ maxLineBytes });
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.flush()];
}

test('returns text, start and end of each line, and the unfinished last line on flush', () => {
  const plain = { truncatedBytes: 0, invalidUtf8: false };
  expect(read([Buffer.from('one\n\ntw'), Buffer.from('o\r\nthr\0ee\r')])).toEqual([
    { text: 'one', offset: 0, end: 4, ...plain },
    { text: '', offset: 4, end: 5, ...plain },
    { text: 'two', offset: 5, end: 10, ...plain },
    { text: 'thr\0ee\r', offset: 10, end: 17, ...plain },
  ]);
});

test('counts offsets from where reading began', () => {
  expect(lineReader({ maxLineBytes: 10, from: 100 }).push(Buffer.from('a\n'))).toMatchObject([
    { offset: 100, end: 102 },
  ]);
});

test('returns the same lines however the bytes are split, down to one byte per chunk', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.integer({ min: 1, max: 7 }), (bytes, size) => {
      const whole = Buffer.from(bytes.map((byte) => (byte % 5 === 0 ? 10 : byte)));
      const cut: Buffer[] = [];
      for (let at = 0; at < whole.length; at += size) cut.push(whole.subarray(at, at + size));
      expect(read(cut, 8)).toEqual(read([whole], 8));
    }),
  );
});

test('replaces invalid UTF-8 and reports that', () => {
  const [bad, good] = read([Buffer.from([0x61, 0xff, 0x62, 0x0a]), Buffer.from('ä\n')]);
  expect(bad).toMatchObject({ text: 'a\ufffdb', invalidUtf8: true });
  expect(good).toMatchObject({ text: 'ä', invalidUtf8: false });
});

test('counts the dropped bytes of a long line, and splits no character', () => {
  const [line, next] = read([Buffer.from('aaa€bc\nnext\n')], 5);
  expect(line).toEqual({ text: 'aaa', offset: 0, end: 9, truncatedBytes: 5, invalidUtf8: false });
  expect(next).toMatchObject({ text: 'next', truncatedBytes: 0 });
});

test('reads a line of 256 MB with bounded memory', () => {
  const reader = lineReader({ maxLineBytes: 1024 * 1024 });
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const before = process.memoryUsage().rss;
  let peak = before;
  for (let i = 0; i < 4096; i += 1) {
    expect(reader.push(chunk)).toEqual([]);
    if (i % 256 === 0) peak = Math.max(peak, process.memoryUsage().rss);
  }
  const [line] = reader.push(Buffer.from('\n'));
  expect(line?.text.length).toBe(1024 * 1024);
  expect(line?.truncatedBytes).toBe(255 * 1024 * 1024);
  expect(peak - before).toBeLessThan(48 * 1024 * 1024);
});

test('reads 100,000 lines in one chunk', () => {
  const text = Array.from({ length: 100_000 }, (_, index) => `line ${index}\n`).join('');
  const lines = read([Buffer.from(text)]);
  expect(lines).toHaveLength(100_000);
  expect(lines.at(-1)).toMatchObject({ text: 'line 99999', end: Buffer.byteLength(text) });
});
