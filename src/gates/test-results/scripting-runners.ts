import type { TestCase } from '../../schema/gate.ts';
import { COUNT_FIRST, casesOf, countsIn, type TestReader, type TestReport } from './test-report.ts';

const MINITEST_SUMMARY =
  /^(\d+) (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors, (\d+) (?:skips|pendings)(?:, (\d+) omissions)?/;
const MINITEST_CASE = /^(\S+#\S.*?) = [\d.]+ s = ([.FES])$/;
const MINITEST_FAILED = /^(\S+#\S+) \[.+\]:$/;
const MINITEST_STATUS: Record<string, TestCase['status']> = { '.': 'passed', S: 'skipped' };

/** minitest, also as Rails runs it, and test-unit; minitest names tests with -v. */
export const minitestReader: TestReader = {
  runner: 'minitest',
  marks: [' assertions, '],
  start() {
    const reports: TestReport[] = [];
    let cases = new Map<string, TestCase['status']>();
    let isFailure = false;
    return {
      line(line) {
        const found = MINITEST_CASE.exec(line);
        if (found !== null) cases.set(found[1] ?? '', MINITEST_STATUS[found[2] ?? ''] ?? 'failed');
        const failed = isFailure ? MINITEST_FAILED.exec(line)?.[1] : undefined;
        if (failed !== undefined) cases.set(failed, 'failed');
        isFailure = /^ +\d+\) (?:Failure|Error):$/.test(line);
        const summary = MINITEST_SUMMARY.exec(line);
        if (summary === null) return;
        const [runs = 0, failures = 0, errors = 0, skips = 0, omissions = 0] = summary
          .slice(1)
          .map((text) => Number(text ?? 0));
        const [failedRuns, skipped] = [failures + errors, skips + omissions];
        const passed = Math.max(0, runs - failedRuns - skipped);
        reports.push({ passed, failed: failedRuns, skipped, cases: casesOf(cases) });
        cases = new Map();
      },
      end: () => reports,
    };
  },
};

const EXUNIT_SUMMARY = /^(?:\d+ (?:doctests?|properties|property|features?), )*\d+ tests?, (\d+) failures?(.*)$/;
const EXUNIT_RAN = /(?<count>\d+) (?<label>tests?|doctests?|property|properties|features?|failures?|skipped|excluded)/g;
const EXUNIT_FAILED = /^ {2}\d+\) (?:test|doctest|property) (.+) \((\S+)\)$/;

/** ExUnit; it names the tests that fail. */
export const exunitReader: TestReader = {
  runner: 'ExUnit',
  marks: [' test, ', ' tests, '],
  start() {
    const reports: TestReport[] = [];
    let cases: TestCase[] = [];
    let isFinished = false;
    return {
      line(line) {
        const failed = EXUNIT_FAILED.exec(line);
        if (failed !== null) cases.push({ name: `${failed[2]} > ${failed[1]}`, status: 'failed' });
        isFinished ||= line.startsWith('Finished in ');
        if (!isFinished || !EXUNIT_SUMMARY.test(line)) return;
        const count = countsIn(line, EXUNIT_RAN);
        const ran = count('test', 'tests', 'doctest', 'doctests', 'property', 'properties', 'feature', 'features');
        const failures = count('failure', 'failures');
        const skipped = count('skipped', 'excluded');
        reports.push({ passed: Math.max(0, ran - failures - skipped), failed: failures, skipped, cases });
        [cases, isFinished] = [[], false];
      },
      end: () => reports,
    };
  },
};

const BUSTED_SUMMARY = /^(\d+) success(?:es)? \/ (\d+) failures? \/ (\d+) errors? \/ (\d+) pending : [\d.]+ seconds?$/;

/** busted; its default output names the tests that fail in its own words only. */
export const bustedReader: TestReader = {
  runner: 'busted',
  marks: [' pending : '],
  start() {
    const reports: TestReport[] = [];
    return {
      line(line) {
        const found = BUSTED_SUMMARY.exec(line);
        if (found === null) return;
        const [passed = 0, failures = 0, errors = 0, skipped = 0] = found.slice(1).map(Number);
        reports.push({ passed, failed: failures + errors, skipped, cases: [] });
      },
      end: () => reports,
    };
  },
};

const PEST_SUMMARY = /^ *Tests: +(\D*\d.*) \(\d+ assertions?\)$/;

/** Pest and the runner of Laravel. */
export const pestReader: TestReader = {
  runner: 'Pest',
  marks: [' assertion'],
  start() {
    const reports: TestReport[] = [];
    return {
      line(line) {
        const summary = PEST_SUMMARY.exec(line)?.[1];
        if (summary === undefined) return;
        const count = countsIn(summary, COUNT_FIRST);
        const skipped = count('skipped', 'todos', 'todo', 'incomplete');
        reports.push({ passed: count('passed', 'risky', 'warnings'), failed: count('failed'), skipped, cases: [] });
      },
      end: () => reports,
    };
  },
};
