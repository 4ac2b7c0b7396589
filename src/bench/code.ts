import { promptText } from '../roles/prompt.ts';
import type { BenchTask } from './bench-task.ts';

const SOURCE = `/** Merges intervals [from, to] that overlap or touch; the result is sorted and the input stays as it is. */
export function mergeIntervals(intervals) {
  const sorted = intervals.sort((a, b) => a[0] - b[0]);
  const merged = [];
  for (const [from, to] of sorted) {
    const last = merged[merged.length - 1];
    if (last !== undefined && from < last[1]) last[1] = to;
    else merged.push([from, to]);
  }
  return merged;
}

/** The parts of [from, to] that no interval covers. */
export function gaps(intervals, [from, to]) {
  const found = [];
  let at = from;
  for (const [start, end] of mergeIntervals(intervals)) {
    if (start > at) found.push([at, start]);
    at = end;
  }
  if (at < to) found.push([at, to]);
  return found;
}
`;

const CHECK = `import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
const { mergeIntervals, gaps } = await import(pathToFileURL(join(process.cwd(), 'intervals.mjs')).href);
assert.deepEqual(mergeIntervals([[5, 6], [1, 3], [2, 4]]), [[1, 4], [5, 6]]);
assert.deepEqual(mergeIntervals([[1, 10], [2, 3]]), [[1, 10]], 'one inside another');
assert.deepEqual(mergeIntervals([[1, 2], [2, 3]]), [[1, 3]], 'touching');
assert.deepEqual(mergeIntervals([]), []);
const input = [[3, 4], [1, 2]];
mergeIntervals(input);
assert.deepEqual(input, [[3, 4], [1, 2]], 'the input stays as it is');
const shared = [[1, 2], [2, 5]];
mergeIntervals(shared);
assert.deepEqual(shared, [[1, 2], [2, 5]], 'the pairs stay as they are');
assert.deepEqual(gaps([[2, 3], [5, 6]], [0, 10]), [[0, 2], [3, 5], [6, 10]]);
assert.deepEqual(gaps([[-5, 2]], [0, 4]), [[2, 4]], 'begins before');
assert.deepEqual(gaps([[1, 20]], [0, 4]), [[0, 1]], 'ends behind');
assert.deepEqual(gaps([[8, 9]], [0, 4]), [[0, 4]], 'all behind');
assert.deepEqual(gaps([[-9, -8]], [0, 4]), [[0, 4]], 'all before');
`;

/** Fixing functions so that they match their comments, without a description of the failures. */
export const code: BenchTask = {
  kind: 'code',
  title: 'Fix two functions so that they match their comments',
  prompt: promptText('bench/prompts/code', {}),
  files: { 'intervals.mjs': SOURCE, 'README.md': '# Intervals\n' },
  check: CHECK,
  tokens: { input: 60_000, output: 3_000 },
  mostUsd: 1,
};
