import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Tail, type TailOptions, tail } from '../../src/process/tail.ts';
import { temporaryFolder } from './launching.ts';

type Reading = Tail & { file: string; text: () => string; lost: number[]; saw: (part: string) => Promise<void> };

function reading(content: string, changes: Partial<TailOptions> = {}): Reading {
  const file = join(temporaryFolder(), 'output');
  writeFileSync(file, content);
  let text = '';
  const lost: number[] = [];
  let wake = Promise.withResolvers<void>();
  const reader = tail({
    file,
    from: 0,
    onChunk: (chunk) => {
      text += chunk.toString('utf8');
      wake.resolve();
      wake = Promise.withResolvers();
    },
    onTruncated: (bytes) => void lost.push(bytes),
    signal: new AbortController().signal,
    ...changes,
  });
  onTestFinished(() => reader.close());
  const saw = async (part: string) => {
    while (!text.includes(part)) await wake.promise;
  };
  return { ...reader, file, text: () => text, lost, saw };
}

test('delivers existing content from the cursor on', async () => {
  const { drained, text } = reading('0123456789', { from: 4 });
  await drained();
  expect(text()).toBe('456789');
});

test.each([
  ['a pipe', (file: string) => execFileSync('mkfifo', [file])],
  ['a link', (file: string) => symlinkSync('/dev/zero', file)],
  ['a folder', (file: string) => mkdirSync(file)],
])('refuses %s in place of the file, without waiting for it', (_, put) => {
  const file = join(temporaryFolder(), 'output');
  put(file);
  const { signal } = new AbortController();
  expect(() => tail({ file, from: 0, onChunk: () => {}, onTruncated: () => {}, signal })).toThrow(/not a plain file/);
});

test('detects appended content without a timer', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  const { file, saw } = reading('');
  appendFileSync(file, 'first ');
  await saw('first ');
  appendFileSync(file, 'second');
  await saw('second');
  expect(timers()).toBe(before);
});

test('delivers every byte in order when they are written one by one', async () => {
  const { file, drained, text } = reading('');
  const expected = Array.from({ length: 2000 }, (_, index) => String(index % 10)).join('');
  for (const byte of expected) appendFileSync(file, byte);
  await drained();
  expect(text()).toBe(expected);
});

test('reports that the file shrank and continues from its start', async () => {
  const { file, drained, text, lost } = reading('0123456789');
  await drained();
  truncateSync(file, 0);
  appendFileSync(file, 'new');
  await drained();
  expect(lost).toEqual([7]);
  expect(text()).toBe('0123456789new');
});

test('waits for the callback of a chunk before it reads more', async () => {
  let busy = 0;
  let most = 0;
  let bytes = 0;
  const { drained } = reading('x'.repeat(1_000_000), {
    onChunk: async (chunk) => {
      busy += 1;
      most = Math.max(most, busy);
      await Promise.resolve();
      bytes += chunk.length;
      busy -= 1;
    },
  });
  await Promise.all([drained(), drained()]);
  expect([most, bytes]).toEqual([1, 1_000_000]);
});

test('gives the offset of each chunk', async () => {
  const offsets: number[] = [];
  const { drained } = reading('x'.repeat(150_000), { onChunk: (_, offset) => void offsets.push(offset) });
  await drained();
  expect(offsets).toEqual([0, 65_536, 131_072]);
});

test('a callback that throws stops the tail and rejects waiters', async () => {
  const { drained } = reading('text', {
    onChunk: () => {
      throw new Error('disk full');
    },
  });
  await expect(drained()).rejects.toThrow('disk full');
});

test('a closed or aborted tail rejects waiters', async () => {
  const stop = new AbortController();
  const aborted = reading('text', { signal: stop.signal });
  const closed = reading('text');
  stop.abort(new Error('enough'));
  closed.close();
  await expect(aborted.drained()).rejects.toThrow('enough');
  await expect(closed.drained()).rejects.toThrow('closed');
});

test('reports that existing content is delivered, also during continuous writing', async () => {
  const file = join(temporaryFolder(), 'output');
  const piece = 'x'.repeat(64 * 1024);
  writeFileSync(file, piece);
  let read = 0;
  const reader = tail({
    file,
    from: 0,
    onChunk: (chunk) => {
      read += chunk.length;
      appendFileSync(file, piece);
    },
    onTruncated: () => {},
    signal: new AbortController().signal,
  });
  onTestFinished(() => reader.close());
  await reader.drained();
  expect(read).toBeGreaterThanOrEqual(piece.length);
});
