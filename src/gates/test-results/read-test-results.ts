import { cleanText } from '../../process/output-text.ts';
import type { TestList, TestResults } from '../../schema/gate.ts';
import { cargoReader, goReader, nextestReader } from './compiled-runners.ts';
import { jestReader, mochaReader, nodeReader, vitestReader } from './javascript-runners.ts';
import { ctestReader, dotnetReader, phpunitReader, rspecReader } from './other-runners.ts';
import { pytestReader, unittestReader } from './python-runners.ts';
import { junitReader, junitReport, tapReader } from './report-formats.ts';
import type { TestReader, TestReport } from './test-report.ts';

/** The results of a check with the tests that its output names. */
export type ReadTests = { results: TestResults; tests: TestList };

const READERS: readonly TestReader[] = [
  nodeReader,
  vitestReader,
  jestReader,
  mochaReader,
  pytestReader,
  unittestReader,
  goReader,
  cargoReader,
  nextestReader,
  tapReader,
  junitReader,
  phpunitReader,
  rspecReader,
  dotnetReader,
  ctestReader,
];

/** The runners that print one summary for each package or test binary. */
export const PER_PACKAGE: ReadonlySet<string> = new Set(
  READERS.flatMap(({ runner, isPerPackage }) => (isPerPackage === true ? [runner] : [])),
);

/** Names of failed tests that evidence repeats. */
const MOST_FAILURES = 100;

/** What the test runners reported in the output of a check; report files count where the output has no report, and their failures always. */
export function readTestResults(output: string, reportFiles: readonly string[] = []): ReadTests {
  const lines = cleanText(output).split('\n');
  const found = READERS.map(({ runner, read }) => ({ runner, reports: read(lines) })).filter(
    ({ reports }) => reports.length > 0,
  );
  const files = reportFiles.map(junitReport).filter(({ cases }) => cases.length > 0);
  if (files.length > 0 && found.length === 0) found.push({ runner: junitReader.runner, reports: files });
  const fromFiles = found.some(({ reports }) => reports === files) ? [] : files;
  return combine(found, fromFiles.flatMap(failedNames));
}

function combine(
  found: readonly { runner: string; reports: TestReport[] }[],
  failedInFiles: readonly string[],
): ReadTests {
  const runners = found.map(({ runner, reports }) => {
    const sum = (key: 'passed' | 'failed' | 'skipped') => reports.reduce((total, report) => total + report[key], 0);
    const named = reports.reduce((total, { cases }) => total + cases.length, 0);
    const [passed, failed, skipped] = [sum('passed'), sum('failed'), sum('skipped')];
    return { runner, reports: reports.length, passed, failed, skipped, named: named >= passed + failed + skipped };
  });
  const total = (key: 'passed' | 'failed' | 'skipped') => runners.reduce((sum, runner) => sum + runner[key], 0);
  const [passed, failed, skipped] = [total('passed'), total('failed'), total('skipped')];
  const failures = found.flatMap(({ reports }) => reports.flatMap(failedNames));
  const all = failed === 0 ? failedInFiles : failures;
  return {
    results: {
      ran: passed + failed,
      passed,
      failed: failed === 0 ? failedInFiles.length : failed,
      skipped,
      runners,
      failures: [...new Set(all)].slice(0, MOST_FAILURES),
    },
    tests: Object.fromEntries(found.map(({ runner, reports }) => [runner, reports.flatMap(({ cases }) => cases)])),
  };
}

function failedNames({ cases }: TestReport): string[] {
  return cases.flatMap(({ name, status }) => (status === 'failed' ? [name] : []));
}
