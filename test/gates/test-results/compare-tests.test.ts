import { describe, expect, it } from 'vitest';
import { addedTests, compareTests } from '../../../src/gates/test-results/compare-tests.ts';
import { readTestResults } from '../../../src/gates/test-results/read-test-results.ts';

const pytest = (...tests: string[]) => {
  const count = (status: string) => tests.filter((test) => test.endsWith(status)).length;
  return readTestResults(
    `${tests.join('\n')}\n=== ${count('PASSED')} passed, ${count('SKIPPED')} skipped in 0.1s ===\n`,
  );
};
const BASE = pytest(
  'tests/test_a.py::test_adds PASSED',
  'tests/test_a.py::test_odd SKIPPED',
  'tests/test_b.py::test_b PASSED',
);
const NOTHING = { isSilent: false, counts: [], missing: [], skipped: [] };

describe('the tests of a candidate', () => {
  it('may be more than those of the base', () => {
    const more = pytest(
      'tests/test_a.py::test_adds PASSED',
      'tests/test_b.py::test_b PASSED',
      'tests/test_c.py::test_c PASSED',
    );
    expect(compareTests(BASE, more)).toEqual(NOTHING);
    expect(addedTests(BASE, more)).toEqual(['tests/test_c.py::test_c']);
  });

  it('may be named with their file, as a runner does when there is a second one', () => {
    const tap = (...names: string[]) =>
      readTestResults(
        `TAP version 13\n${names.map((name, index) => `ok ${index + 1} - ${name}`).join('\n')}\n1..${names.length}\n`,
      );
    expect(compareTests(tap('adds', 'twice'), tap('sum › adds', 'sum › twice', 'zero › zero'))).toEqual(NOTHING);
    expect(compareTests(tap('adds', 'twice'), tap('sum › adds', 'zero › zero')).missing).toEqual(['twice']);
  });

  it('may be in a file with another name, and may have other addresses in their names', () => {
    const moved = pytest('tests/test_z.py::test_adds PASSED', 'tests/test_b.py::test_b PASSED');
    expect(compareTests(BASE, moved)).toEqual(NOTHING);
    const before = pytest('tests/test_a.py::test_f[<f at 0x7f01>] PASSED');
    expect(compareTests(before, pytest('tests/test_a.py::test_f[<f at 0x7e99>] PASSED'))).toEqual(NOTHING);
  });

  it.each([
    ['0.16328380556772526 is a number', '0.9981234567 is a number'],
    ['1794917172965 is a number', '1794917199999 is a number'],
    ['formats Tue Nov 17 2026 12:06:20', 'formats Wed Nov 18 2026 01:00:00'],
    ['finds 9f86d081884c7d659a2feaa0', 'finds 60303ae22b998861bce3b28f'],
  ])('may have names with values that differ from run to run: %s', (before, after) => {
    const named = (title: string) => pytest(`tests/test_a.py::test_f[${title}] PASSED`);
    expect(compareTests(named(before), named(after))).toEqual(NOTHING);
    expect(addedTests(named(before), named(after))).toEqual([]);
  });

  it('are missing by name where a small number in it differs', () => {
    const named = (title: string) => pytest(`tests/test_a.py::test_f[${title}] PASSED`);
    expect(compareTests(named('case 1'), named('case 2')).missing).toHaveLength(1);
  });

  it('are missing by name where one is gone, even if another one takes its number', () => {
    const replaced = pytest('tests/test_a.py::test_new PASSED', 'tests/test_b.py::test_b PASSED');
    expect(compareTests(BASE, replaced)).toEqual({ ...NOTHING, missing: ['tests/test_a.py::test_adds'] });
  });

  it('are skipped by name where one ran on the base', () => {
    const skipped = pytest('tests/test_a.py::test_adds SKIPPED', 'tests/test_b.py::test_b PASSED');
    expect(compareTests(BASE, skipped)).toEqual({
      ...NOTHING,
      counts: ['pytest ran 1 of 2 tests'],
      skipped: ['tests/test_a.py::test_adds'],
    });
  });

  it('are fewer by their number where the output has no names', () => {
    const before = readTestResults('5 passed in 0.1s\n');
    expect(compareTests(before, readTestResults('4 passed, 1 skipped in 0.1s\n')).counts).toEqual([
      'pytest ran 4 of 5 tests',
    ]);
    expect(compareTests(before, readTestResults('ok\n'))).toEqual({ ...NOTHING, isSilent: true });
  });

  it('do not count from a forged summary or from another runner', () => {
    const before = readTestResults('5 passed in 0.1s\n');
    const forged = readTestResults('5 passed in 0.1s\n1 passed in 0.1s\n');
    expect(compareTests(before, forged).counts).toEqual(['pytest printed 2 summaries instead of 1']);
    const other = readTestResults('OK (9 tests, 9 assertions)\n');
    expect(compareTests(before, other).counts).toEqual(['pytest ran 0 of 5 tests']);
  });

  it('are not compared with a base that ran none', () => {
    expect(compareTests(readTestResults('ok\n'), readTestResults('ok\n'))).toEqual(NOTHING);
  });
});
