import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cleanText, lastLine, outputText } from '../../src/process/output-text.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evidence-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function evidence(content: string | Buffer): Promise<string> {
  const file = join(folder, 'stdout');
  await writeFile(file, content);
  return outputText(file);
}

it('removes colours, titles, cursor moves and control characters', () => {
  expect(cleanText('\u001b[31mred\u001b[0m \u001b]0;title\u0007a\u0000b\u0008c\u001b[2K\td\u202e\u2066e')).toBe(
    'red abc\tde',
  );
});

it('keeps the last visible content of an overwritten line', () => {
  expect(cleanText('10 %\r50 %\r100 %\ndone\r\n')).toBe('100 %\ndone\n');
});

it('keeps short text unchanged', async () => {
  expect(await evidence('one\ntwo')).toBe('one\ntwo');
  expect(await evidence('')).toBe('');
});

it.each([20_000, 70_000, 5_000_000])('cuts %i bytes at lines, within 16 kB', async (size) => {
  const lines = Array.from({ length: Math.ceil(size / 40) }, (_, index) => `line ${index} ${'ä'.repeat(14)}`);
  const text = await evidence(`${lines.join('\n')}\n`);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16 * 1024);
  const kept = text.trimEnd().split('\n');
  expect(kept.filter((line) => !/^line \d+ ä{14}$/.test(line))).toEqual([expect.stringContaining('omitted')]);
  expect(kept[0]).toBe(lines[0]);
  expect(kept.at(-1)).toBe(lines.at(-1));
});

it('cuts a single endless line between characters', async () => {
  const text = await evidence('ä'.repeat(100_000));
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16 * 1024);
  expect(text).not.toContain('\ufffd');
});

it.each(['\u001b]', '\u001b[', '\u001b', '\u001b[1;', '\r', 'a\r', ' ', '\u009b1;', '\u001bP1'])(
  'takes no longer for a flood of %j than for plain text by much',
  (piece) => {
    const startedAt = performance.now();
    cleanText(`${piece.repeat(1_000_000 / piece.length)}x`);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  },
);

it('handles bytes that are not text', async () => {
  expect(await evidence(Buffer.from([0xff, 0xfe, 0x41, 0x00, 0x0a]))).toMatch(/A\n$/);
});

it.each([
  ['ok 1 - counts\n  ---\n  duration_ms: 1\n  ...\n', 'ok 1 - counts'],
  ['test_cart.py\n......\n\n', 'test_cart.py'],
  ['ok 1 - a\n  ---\n  duration_ms: 1\n', 'duration_ms: 1'],
  ['====\n', ''],
])('finds the last line that says something in %j', async (content, line) => {
  const file = join(folder, 'last-line');
  await writeFile(file, content);
  expect(await lastLine(file)).toBe(line);
});
