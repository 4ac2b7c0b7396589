import { expect, it } from 'vitest';
import { compareTests } from '../../../src/gates/test-results/compare-tests.ts';
import { mergeTests } from '../../../src/gates/test-results/merge-tests.ts';
import { readTestResults } from '../../../src/gates/test-results/read-test-results.ts';

/** A report of pytest; a name that ends in `?` is a skipped test. */
const report = (...names: string[]) => {
  const skipped = names.filter((name) => name.endsWith('?'));
  const lines = names.map((name) => `t.py::${name.replace('?', '')} ${name.endsWith('?') ? 'SKIPPED' : 'PASSED'}`);
  const counts = `${names.length - skipped.length} passed, ${skipped.length} skipped`;
  return readTestResults(`${lines.join('\n')}\n=== ${counts} in 0.1s ===\n`);
};
const counted = (passed: number) => readTestResults(`=== ${passed} passed in 0.1s ===\n`);
const names = (merged: ReturnType<typeof mergeTests>) =>
  Object.values(merged.tests)
    .flat()
    .map(({ name, status }) => `${name.replace('t.py::', '')}${status === 'skipped' ? '?' : ''}`);

it.each([
  ['has what both have', ['a', 'b'], ['a', 'b'], ['a', 'b'], ['a', 'b']],
  ['has what either added', ['a'], ['a', 'mine'], ['a', 'theirs'], ['a', 'mine', 'theirs']],
  ['has what both added once', ['a'], ['a', 'same'], ['a', 'same'], ['a', 'same']],
  ['has not what either removed', ['a', 'b', 'c'], ['b', 'c'], ['a', 'b'], ['b']],
  ['follows who skipped a test', ['a', 'b'], ['a', 'b'], ['a', 'b?'], ['a', 'b?']],
  ['follows who enabled a test', ['a', 'b?'], ['a', 'b'], ['a', 'b?'], ['a', 'b']],
  ['follows a renamed test', ['a', 'b'], ['a', 'c'], ['a', 'b'], ['a', 'c']],
])('the merge of two lists of tests %s', (_, base, ours, theirs, expected) => {
  const merged = mergeTests({ base: report(...base), ours: report(...ours), theirs: report(...theirs) });
  expect(names(merged).sort()).toEqual(expected.sort());
  expect(compareTests(merged, report(...expected))).toEqual({ isSilent: false, counts: [], missing: [], skipped: [] });
});

it('expects only what both have where the tests of their common base are not known', () => {
  expect(names(mergeTests({ base: undefined, ours: report('a', 'b'), theirs: report('b', 'c') }))).toEqual(['b']);
});

it('merges by counts where the output does not name tests', () => {
  const merged = mergeTests({ base: counted(5), ours: counted(7), theirs: counted(4) });
  expect(merged.results.ran).toBe(6);
  expect(compareTests(merged, counted(6)).counts).toEqual([]);
  expect(compareTests(merged, counted(5)).counts).toEqual(['pytest ran 5 of 6 tests']);
});
