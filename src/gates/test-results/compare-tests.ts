import type { TestCase } from '../../schema/gate.ts';
import { PER_PACKAGE, type ReadTests } from './read-test-results.ts';

/** How the tests of a candidate differ from those of its base, to its disadvantage. */
export type TestDifference = {
  /** The base ran tests, and the candidate reports none at all. */
  isSilent: boolean;
  /** Runners that ran fewer tests, or printed more summaries than one output of theirs has. */
  counts: string[];
  /** Tests of the base that did not run. */
  missing: string[];
  /** Tests of the base that ran there and are skipped now. */
  skipped: string[];
};

/** Compares what ran on a candidate with what ran on its base; names are compared where both outputs name every test. */
export function compareTests(base: ReadTests, candidate: ReadTests): TestDifference {
  const difference: TestDifference = { isSilent: false, counts: [], missing: [], skipped: [] };
  if (base.results.ran === 0) return difference;
  if (candidate.results.ran + candidate.results.skipped === 0) return { ...difference, isSilent: true };
  for (const before of base.results.runners) {
    const after = candidate.results.runners.find(({ runner }) => runner === before.runner);
    const ranBefore = before.passed + before.failed;
    const ranAfter = after === undefined ? 0 : after.passed + after.failed;
    if (ranAfter < ranBefore) difference.counts.push(`${before.runner} ran ${ranAfter} of ${ranBefore} tests`);
    if (after === undefined) continue;
    if (after.reports > before.reports && !PER_PACKAGE.has(before.runner))
      difference.counts.push(`${before.runner} printed ${after.reports} summaries instead of ${before.reports}`);
    if (!before.named || !after.named) continue;
    const names = compareNames(base.tests[before.runner] ?? [], candidate.tests[before.runner] ?? []);
    difference.missing.push(...names.missing);
    difference.skipped.push(...names.skipped);
  }
  return difference;
}

/** The tests of a candidate that its base does not have, by their names; without names on both sides there are none. */
export function addedTests(base: ReadTests, candidate: ReadTests): string[] {
  return candidate.results.runners.flatMap(({ runner, named }) => {
    const before = base.results.runners.find((each) => each.runner === runner);
    if (!named || before?.named === false) return [];
    const known = new Set((base.tests[runner] ?? []).map(({ name }) => comparable(name)));
    return (candidate.tests[runner] ?? []).flatMap(({ name }) => (known.has(comparable(name)) ? [] : [name]));
  });
}

/** Whether all of these tests ran on the base, by their names. */
export function hasTests(base: ReadTests, names: readonly string[]): boolean {
  const ran = Object.values(base.tests).flatMap((tests) => tests.filter(({ status }) => status !== 'skipped'));
  const known = new Set(ran.map(({ name }) => comparable(name)));
  return names.every((name) => known.has(comparable(name)));
}

function compareNames(
  base: readonly TestCase[],
  candidate: readonly TestCase[],
): { missing: string[]; skipped: string[] } {
  const after = new Map<string, { ran: number; skipped: number }>();
  for (const { name, status } of candidate) {
    const key = comparable(name);
    const counts = after.get(key) ?? { ran: 0, skipped: 0 };
    counts[status === 'skipped' ? 'skipped' : 'ran'] += 1;
    after.set(key, counts);
  }
  const absent: string[] = [];
  const skipped: string[] = [];
  for (const { name, status } of base) {
    const found = takeTest(after.get(comparable(name)), status === 'skipped' ? 'skipped' : 'ran');
    if (found === undefined && status !== 'skipped') absent.push(name);
    if (found === 'skipped' && status !== 'skipped') skipped.push(name);
  }
  return { missing: withoutMoved(absent, after), skipped };
}

/** Takes a test of the preferred kind, else of the other one. */
function takeTest(
  counts: { ran: number; skipped: number } | undefined,
  preferred: 'ran' | 'skipped',
): 'ran' | 'skipped' | undefined {
  const kinds = [preferred, preferred === 'ran' ? 'skipped' : 'ran'] as const;
  const kind = kinds.find((each) => (counts?.[each] ?? 0) > 0);
  if (counts !== undefined && kind !== undefined) counts[kind] -= 1;
  return kind;
}

/** A test that runs under the same title in another file or group was moved. */
function withoutMoved(absent: readonly string[], added: ReadonlyMap<string, { ran: number }>): string[] {
  const titles = new Map<string, number>();
  for (const [name, { ran }] of added) titles.set(testTitle(name), (titles.get(testTitle(name)) ?? 0) + ran);
  return absent.filter((name) => {
    const left = titles.get(testTitle(name)) ?? 0;
    if (left > 0) titles.set(testTitle(name), left - 1);
    return left === 0;
  });
}

/** The title of a test without its file and groups. */
export function testTitle(name: string): string {
  return (
    comparable(name)
      .split(/ > | › |::/)
      .at(-1) ?? name
  );
}

/** A name without what differs from run to run: addresses, identifiers, temporary folders, times, random numbers. */
export function comparable(name: string): string {
  return name
    .replaceAll(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, '<id>')
    .replaceAll(/\b0x[0-9a-f]+\b/gi, '<address>')
    .replaceAll(/\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{16,}\b/gi, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*/g, '<time>')
    .replaceAll(/\b[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d{4}(?: \d\d:\d\d:\d\d)?/g, '<time>')
    .replaceAll(/\b\d+\.\d{8,}\b|\b\d{12,}\b/g, '<number>')
    .replaceAll(/(?:\/private)?\/(?:tmp|var\/folders)\/\S+/g, '<temporary>')
    .replaceAll(/\s+/g, ' ');
}
