import type { TestCase } from '../../schema/gate.ts';
import { countsIn, type TestReader, type TestReport } from './test-report.ts';

const COUNT_AFTER_COLON = /(?<label>[a-z]+): *(?<count>\d+)/gi;

/** PHPUnit and Pest's PHPUnit summary. */
export const phpunitReader: TestReader = {
  runner: 'PHPUnit',
  read(lines) {
    const cases = lines.flatMap((line): TestCase[] => {
      const name = /^\d+\) (\S+::\S.*)$/.exec(line)?.[1];
      return name === undefined ? [] : [{ name, status: 'failed' }];
    });
    return lines.flatMap((line): TestReport[] => {
      const passed = /^OK \((\d+) tests?, \d+ assertions?\)$/.exec(line)?.[1];
      if (passed !== undefined) return [{ passed: Number(passed), failed: 0, skipped: 0, cases: [] }];
      if (!/^Tests: \d+, Assertions: \d+/.test(line)) return [];
      const count = countsIn(line, COUNT_AFTER_COLON);
      const failed = count('failures', 'errors');
      const skipped = count('skipped', 'incomplete');
      return [
        { passed: Math.max(0, count('tests') - failed - skipped), failed, skipped, cases: cases.slice(0, failed) },
      ];
    });
  },
};

const RSPEC_SUMMARY =
  /^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, (\d+) errors? occurred outside of examples)?$/;

/** RSpec. */
export const rspecReader: TestReader = {
  runner: 'RSpec',
  read(lines) {
    const cases = lines.flatMap((line): TestCase[] => {
      const name = /^rspec \S+ # (.+)$/.exec(line)?.[1];
      return name === undefined ? [] : [{ name, status: 'failed' }];
    });
    return lines.flatMap((line): TestReport[] => {
      const found = RSPEC_SUMMARY.exec(line);
      if (found === null) return [];
      const [examples = 0, failures = 0, pending = 0, errors = 0] = found.slice(1).map((text) => Number(text ?? 0));
      const passed = Math.max(0, examples - failures - pending);
      return [{ passed, failed: failures + errors, skipped: pending, cases }];
    });
  },
};

const DOTNET_LINE = /^(?:Passed|Failed|Skipped)! +- (Failed: +\d+, Passed: +\d+, Skipped: +\d+, Total: +\d+)/;
const DOTNET_TOTAL = /^ *(?:Total tests|total): *(\d+)$/;
const DOTNET_COUNT = /^ *(Passed|Failed|Skipped|succeeded|failed|skipped): *\d+$/;
const DOTNET_CASE = /^ {2}(Passed|Failed|Skipped) (\S.*?) \[.*\]$/;
const DOTNET_STATUS: Record<string, TestCase['status']> = { Passed: 'passed', Skipped: 'skipped' };

/** dotnet test, with VSTest or the Microsoft.Testing.Platform. */
export const dotnetReader: TestReader = {
  runner: 'dotnet test',
  isPerPackage: true,
  read(lines) {
    const reports: TestReport[] = [];
    let cases: TestCase[] = [];
    lines.forEach((line, index) => {
      const found = DOTNET_CASE.exec(line);
      if (found !== null) cases.push({ name: found[2] ?? '', status: DOTNET_STATUS[found[1] ?? ''] ?? 'failed' });
      const inLine = DOTNET_LINE.exec(line)?.[1];
      const below = DOTNET_TOTAL.test(line) ? followingCounts(lines, index) : undefined;
      const counts = inLine ?? below;
      if (counts === undefined) return;
      const count = countsIn(counts, COUNT_AFTER_COLON);
      reports.push({ passed: count('passed', 'succeeded'), failed: count('failed'), skipped: count('skipped'), cases });
      cases = [];
    });
    return reports;
  },
};

function followingCounts(lines: readonly string[], index: number): string | undefined {
  const counts = lines.slice(index + 1, index + 4).filter((line) => DOTNET_COUNT.test(line));
  return counts.length === 0 ? undefined : counts.join(', ');
}

const CTEST_CASE =
  /^ *\d+\/\d+ +Test +#\d+: (.+?) \.+ *(\*+)? *(Passed|Failed|Skipped|Not Run|Timeout|Exception|Disabled)/;
const CTEST_SUMMARY = /^\d+% tests passed, (\d+) tests? failed out of (\d+)/;

/** ctest. */
export const ctestReader: TestReader = {
  runner: 'ctest',
  read(lines) {
    const reports: TestReport[] = [];
    let cases: TestCase[] = [];
    for (const line of lines) {
      const found = CTEST_CASE.exec(line);
      if (found !== null) cases.push({ name: found[1] ?? '', status: ctestStatus(found[3]) });
      const summary = CTEST_SUMMARY.exec(line);
      if (summary === null) continue;
      const [failed, total] = [Number(summary[1]), Number(summary[2])];
      const skipped = cases.filter(({ status }) => status === 'skipped').length;
      reports.push({ passed: Math.max(0, total - failed - skipped), failed, skipped, cases });
      cases = [];
    }
    return reports;
  },
};

function ctestStatus(word = ''): TestCase['status'] {
  if (word === 'Passed') return 'passed';
  return word === 'Skipped' || word === 'Disabled' ? 'skipped' : 'failed';
}
