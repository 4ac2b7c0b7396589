import type { TestCase, TestResults } from '../../schema/gate.ts';
import { comparable } from './compare-tests.ts';
import type { ReadTests } from './read-test-results.ts';

/** The tests of two commits and of their common base; without those of the base, only what both commits have is expected. */
export type MergedTests = { base: ReadTests | undefined; ours: ReadTests; theirs: ReadTests };

type Runner = TestResults['runners'][number];
type Sides<T> = { base: T; ours: T; theirs: T };

/**
 * The tests that the merge of two commits is expected to run, as a three-way merge of their tests: what both have, and
 * what one of them added; not what one of them removed. Runners whose output does not name tests are merged by counts.
 */
export function mergeTests({ base, ours, theirs }: MergedTests): ReadTests {
  const names = new Set([...ours.results.runners, ...theirs.results.runners].map(({ runner }) => runner));
  const merged = [...names].map((name) => {
    const of = (from: ReadTests) => from.results.runners.find(({ runner }) => runner === name) ?? emptyRunner(name);
    const sides = { base: base === undefined ? undefined : of(base), ours: of(ours), theirs: of(theirs) };
    const tests = (from: ReadTests | undefined) => from?.tests[name] ?? [];
    const isNamed = sides.ours.named && sides.theirs.named && sides.base?.named !== false;
    const cases = isNamed
      ? mergeCases({ base: base && tests(base), ours: tests(ours), theirs: tests(theirs) })
      : undefined;
    return { runner: mergeRunner(sides, cases), cases: cases ?? [] };
  });
  const sum = (key: 'passed' | 'failed' | 'skipped') => merged.reduce((total, { runner }) => total + runner[key], 0);
  const [passed, failed, skipped] = [sum('passed'), sum('failed'), sum('skipped')];
  return {
    results: {
      ran: passed + failed,
      passed,
      failed,
      skipped,
      runners: merged.map(({ runner }) => runner),
      failures: [],
    },
    tests: Object.fromEntries(merged.map(({ runner, cases }) => [runner.runner, cases])),
  };
}

function emptyRunner(runner: string): Runner {
  return { runner, reports: 0, passed: 0, failed: 0, skipped: 0, named: true };
}

/** What ran is expected to run, whether it passed or not. */
function mergeRunner(
  { base, ours, theirs }: { base: Runner | undefined; ours: Runner; theirs: Runner },
  cases: TestCase[] | undefined,
): Runner {
  const ran = ({ passed, failed }: Runner) => passed + failed;
  const merge = (count: (runner: Runner) => number) =>
    mergeCounts({ base: base === undefined ? undefined : count(base), ours: count(ours), theirs: count(theirs) });
  const skipped = cases?.filter(({ status }) => status === 'skipped').length ?? merge((runner) => runner.skipped);
  return {
    runner: ours.runner,
    reports: Math.max(
      ours.reports,
      theirs.reports,
      merge(({ reports }) => reports),
    ),
    passed: cases === undefined ? merge(ran) : cases.length - skipped,
    failed: 0,
    skipped,
    named: cases !== undefined,
  };
}

/** Merges lists of tests; several tests of one name are counted, and a skipped one is another than one that ran. */
function mergeCases({
  base,
  ours,
  theirs,
}: {
  base: readonly TestCase[] | undefined;
  ours: readonly TestCase[];
  theirs: readonly TestCase[];
}): TestCase[] {
  const sides: Sides<Map<string, TestCase[]>> = {
    base: byName(base ?? []),
    ours: byName(ours),
    theirs: byName(theirs),
  };
  const keys = new Set([...sides.ours.keys(), ...sides.theirs.keys()]);
  return [...keys].flatMap((key) => {
    const count = (side: Map<string, TestCase[]>) => side.get(key)?.length ?? 0;
    const expected = mergeCounts({
      base: base === undefined ? undefined : count(sides.base),
      ours: count(sides.ours),
      theirs: count(sides.theirs),
    });
    const known = [...(sides.ours.get(key) ?? []), ...(sides.theirs.get(key) ?? [])];
    return known
      .slice(0, expected)
      .map(({ name, status }) => ({ name, status: status === 'skipped' ? status : 'passed' }));
  });
}

function byName(tests: readonly TestCase[]): Map<string, TestCase[]> {
  const found = new Map<string, TestCase[]>();
  for (const test of tests) {
    const key = `${test.status === 'skipped' ? 'skipped' : 'ran'} ${comparable(test.name)}`;
    const same = found.get(key);
    if (same === undefined) found.set(key, [test]);
    else same.push(test);
  }
  return found;
}

function mergeCounts({
  base,
  ours,
  theirs,
}: Sides<number> | (Omit<Sides<number>, 'base'> & { base: undefined })): number {
  if (ours === theirs) return ours;
  if (base === undefined) return Math.min(ours, theirs);
  if (ours === base) return theirs;
  if (theirs === base) return ours;
  return Math.max(0, ours + theirs - base);
}
