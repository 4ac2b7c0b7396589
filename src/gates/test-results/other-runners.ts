import type { TestCase } from '../../schema/gate.ts';
import { countsIn, type TestReader, type TestReport } from './test-report.ts';

const COUNT_AFTER_COLON = /(?<label>[a-z]+): *(?<count>\d+)/gi;

/** PHPUnit and Pest's PHPUnit summary. */
export const phpunitReader: TestReader = {
  runner: 'PHPUnit',
  marks: [' assertion', ', Assertions: '],
  start() {
    const cases: TestCase[] = [];
    const reports: TestReport[] = [];
    return {
      line(line) {
        const name = /^\d+\) (\S+::\S.*)$/.exec(line)?.[1];
        if (name !== undefined) cases.push({ name, status: 'failed' });
        const passed = /^OK \((\d+) tests?, \d+ assertions?\)$/.exec(line)?.[1];
        if (passed !== undefined) reports.push({ passed: Number(passed), failed: 0, skipped: 0, cases: [] });
        if (!/^Tests: \d+, Assertions: \d+/.test(line)) return;
        const count = countsIn(line, COUNT_AFTER_COLON);
        const failed = count('failures', 'errors');
        const skipped = count('skipped', 'incomplete');
        reports.push({ passed: Math.max(0, count('tests') - failed - skipped), failed, skipped, cases: [] });
      },
      end: () => reports.map((report) => ({ ...report, cases: cases.slice(0, report.failed) })),
    };
  },
};

const RSPEC_SUMMARY =
  /^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, (\d+) errors? occurred outside of examples)?$/;

/** RSpec. */
export const rspecReader: TestReader = {
  runner: 'RSpec',
  marks: [' example'],
  start() {
    const cases: TestCase[] = [];
    const reports: TestReport[] = [];
    return {
      line(line) {
        const name = /^rspec \S+ # (.+)$/.exec(line)?.[1];
        if (name !== undefined) cases.push({ name, status: 'failed' });
        const found = RSPEC_SUMMARY.exec(line);
        if (found === null) return;
        const [examples = 0, failures = 0, pending = 0, errors = 0] = found.slice(1).map((text) => Number(text ?? 0));
        const passed = Math.max(0, examples - failures - pending);
        reports.push({ passed, failed: failures + errors, skipped: pending, cases });
      },
      end: () => reports,
    };
  },
};

const DOTNET_LINE = /^(?:Passed|Failed|Skipped)! +- (Failed: +\d+, Passed: +\d+, Skipped: +\d+, Total: +\d+)/;
const DOTNET_TOTAL = /^ *(?:Total tests|total): *(\d+)$/;
const DOTNET_COUNT = /^ *(Passed|Failed|Skipped|succeeded|failed|skipped): *\d+$/;
/** How far below a total its counts are. */
const DOTNET_COUNT_LINES = 3;
const DOTNET_CASE = /^ {2}(Passed|Failed|Skipped) (\S.*?) \[.*\]$/;
const DOTNET_STATUS: Record<string, TestCase['status']> = { Passed: 'passed', Skipped: 'skipped' };

/** dotnet test, with VSTest or the Microsoft.Testing.Platform. */
export const dotnetReader: TestReader = {
  runner: 'dotnet test',
  isPerPackage: true,
  marks: ['Failed: ', 'Total tests:', 'total:'],
  start() {
    const reports: TestReport[] = [];
    let cases: TestCase[] = [];
    /** A total whose counts are in the next lines. */
    let below: { cases: TestCase[]; counts: string[]; linesLeft: number } | undefined;
    const add = (counts: string, named: TestCase[]) => {
      const count = countsIn(counts, COUNT_AFTER_COLON);
      const [passed, failed, skipped] = [count('passed', 'succeeded'), count('failed'), count('skipped')];
      reports.push({ passed, failed, skipped, cases: named });
    };
    const close = () => {
      if (below !== undefined && below.counts.length > 0) add(below.counts.join(', '), below.cases);
      else if (below !== undefined) cases = [...below.cases, ...cases];
      below = undefined;
    };
    return {
      line(line) {
        if (below !== undefined && DOTNET_COUNT.test(line)) below.counts.push(line);
        if (below !== undefined) below.linesLeft -= 1;
        if (below?.linesLeft === 0) close();
        const found = DOTNET_CASE.exec(line);
        if (found !== null) cases.push({ name: found[2] ?? '', status: DOTNET_STATUS[found[1] ?? ''] ?? 'failed' });
        const inLine = DOTNET_LINE.exec(line)?.[1];
        const isTotal = DOTNET_TOTAL.test(line);
        if (inLine === undefined && !isTotal) return;
        close();
        if (inLine !== undefined) add(inLine, cases);
        else below = { cases, counts: [], linesLeft: DOTNET_COUNT_LINES };
        cases = [];
      },
      end() {
        close();
        return reports;
      },
    };
  },
};

const CTEST_CASE =
  /^ *\d+\/\d+ +Test +#\d+: (.+?) \.+ *(\*+)? *(Passed|Failed|Skipped|Not Run|Timeout|Exception|Disabled)/;
const CTEST_SUMMARY = /^\d+% tests passed, (\d+) tests? failed out of (\d+)/;

/** ctest. */
export const ctestReader: TestReader = {
  runner: 'ctest',
  marks: ['% tests passed'],
  start() {
    const reports: TestReport[] = [];
    let cases: TestCase[] = [];
    return {
      line(line) {
        const found = CTEST_CASE.exec(line);
        if (found !== null) cases.push({ name: found[1] ?? '', status: ctestStatus(found[3]) });
        const summary = CTEST_SUMMARY.exec(line);
        if (summary === null) return;
        const [failed, total] = [Number(summary[1]), Number(summary[2])];
        const skipped = cases.filter(({ status }) => status === 'skipped').length;
        reports.push({ passed: Math.max(0, total - failed - skipped), failed, skipped, cases });
        cases = [];
      },
      end: () => reports,
    };
  },
};

function ctestStatus(word = ''): TestCase['status'] {
  if (word === 'Passed') return 'passed';
  return word === 'Skipped' || word === 'Disabled' ? 'skipped' : 'failed';
}

const SUREFIRE_TOTAL = /^(?:\[\w+\] +)?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)$/;
const SUREFIRE_FAILED = /^\[ERROR\] {3}(\w\S*?\.\w+)(?::\d+| »|->)/;

/** The tests of Maven; each module has one total, and its report files name the tests. */
export const mavenReader: TestReader = {
  runner: 'Maven',
  isPerPackage: true,
  marks: ['Tests run: '],
  start() {
    const reports: TestReport[] = [];
    let cases: TestCase[] = [];
    return {
      line(line) {
        const name = SUREFIRE_FAILED.exec(line)?.[1];
        if (name !== undefined) cases.push({ name, status: 'failed' });
        const found = SUREFIRE_TOTAL.exec(line);
        if (found === null) return;
        const [ran = 0, failures = 0, errors = 0, skipped = 0] = found.slice(1).map(Number);
        const failed = failures + errors;
        reports.push({ passed: Math.max(0, ran - failed - skipped), failed, skipped, cases });
        cases = [];
      },
      end: () => reports,
    };
  },
};
