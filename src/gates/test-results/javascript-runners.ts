import type { TestCase } from '../../schema/gate.ts';
import { COUNT_FIRST, casesOf, countsIn, Groups, type TestReader, type TestReport } from './test-report.ts';

const NODE_CASE = /^( *)([✔✖﹣⚠]) (.+?) \(\d[\d.]*ms\)(?: # (SKIP|TODO).*| # .*)?$/;
const NODE_GROUP = /^( *)▶ (.+)$/;
const NODE_SUMMARY = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo) (\d+)$/;
const NODE_STATUS: Record<string, TestCase['status']> = {
  '✔': 'passed',
  '✖': 'failed',
  '⚠': 'failed',
  '﹣': 'skipped',
};

/** The spec reporter of node:test, which is its default. */
export const nodeReader: TestReader = {
  runner: 'node:test',
  marks: ['ℹ tests '],
  start() {
    const reports: TestReport[] = [];
    let groups = new Groups();
    let cases: TestCase[] = [];
    let parents: TestCase[] = [];
    let summary: Record<string, number> | undefined;
    let previous = '';
    const close = () => {
      if (summary !== undefined) reports.push(nodeReport(summary, cases, parents));
      [groups, cases, parents, summary] = [new Groups(), [], [], undefined];
    };
    const read = (line: string) => {
      const counted = NODE_SUMMARY.exec(line);
      if (counted !== null) {
        if (counted[1] === 'tests') {
          if (summary !== undefined) close();
          summary = {};
        }
        if (summary !== undefined) summary[counted[1] ?? ''] = Number(counted[2]);
        return;
      }
      const group = NODE_GROUP.exec(line);
      const found = NODE_CASE.exec(line);
      if ((group !== null || found !== null) && summary !== undefined) {
        if (isRepeated(line, previous)) return;
        close();
      }
      if (group !== null) groups.enter(group[1]?.length ?? 0, group[2] ?? '');
      if (found === null || isRepeated(line, previous)) return;
      const [, indent = '', mark = '', title = '', directive] = found;
      const status = directive === undefined ? (NODE_STATUS[mark] ?? 'failed') : 'skipped';
      const isParent = groups.leave(indent.length, title);
      (isParent ? parents : cases).push({ name: groups.nameOf(indent.length, title), status });
    };
    return {
      line(line) {
        read(line);
        previous = line;
      },
      end() {
        close();
        return reports;
      },
    };
  },
};

/** Failing tests are listed a second time below the summary, each after its location. */
function isRepeated(line: string, previous: string): boolean {
  return /^(test|suite) at /.test(previous) || line === '✖ failing tests:';
}

/** A test with subtests counts as a test, a suite does not; the output shows both alike. */
function nodeReport(summary: Record<string, number>, leaves: TestCase[], parents: TestCase[]): TestReport {
  const { tests = 0, pass = 0, fail = 0, cancelled = 0, skipped = 0, todo = 0 } = summary;
  const cases = tests > leaves.length ? [...leaves, ...parents] : leaves;
  return { passed: pass, failed: fail + cancelled, skipped: skipped + todo, cases };
}

const VITEST_TESTS = /^ *Tests {2,}(\D*\d.* \(\d+\)|no tests)$/;
const VITEST_FILES = /^ *Test Files {2,}(\D*\d.*) \(\d+\)$/;
const VITEST_ERRORS = /^ *Errors {2,}(\d+) errors?$/;
const VITEST_CASE = /^ {1,3}([✓×↓]) (.+? > .+?)(?: \d+m?s)?(?: \[.*\])?$/;
const VITEST_FAILED = /^ FAIL {2}(.+? > .+)$/;
const VITEST_STATUS: Record<string, TestCase['status']> = { '✓': 'passed', '×': 'failed', '↓': 'skipped' };

/** vitest; only its verbose reporter names tests that pass. */
export const vitestReader: TestReader = {
  runner: 'vitest',
  marks: ['Tests  '],
  start() {
    const reports: TestReport[] = [];
    let cases = new Map<string, TestCase['status']>();
    let failedFiles = 0;
    return {
      line(line) {
        const found = VITEST_CASE.exec(line);
        if (found !== null) cases.set(found[2] ?? '', VITEST_STATUS[found[1] ?? ''] ?? 'failed');
        const failed = VITEST_FAILED.exec(line)?.[1];
        if (failed !== undefined) cases.set(failed, 'failed');
        const files = VITEST_FILES.exec(line)?.[1];
        if (files !== undefined) failedFiles = countsIn(files, COUNT_FIRST)('failed');
        const tests = VITEST_TESTS.exec(line)?.[1];
        if (tests !== undefined) {
          const count = countsIn(tests, COUNT_FIRST);
          const failures = Math.max(count('failed'), failedFiles > 0 ? 1 : 0);
          reports.push({
            passed: count('passed'),
            failed: failures,
            skipped: count('skipped', 'todo'),
            cases: casesOf(cases),
          });
          [cases, failedFiles] = [new Map(), 0];
        }
        const errors = Number(VITEST_ERRORS.exec(line)?.[1] ?? 0);
        const last = reports.at(-1);
        if (errors > 0 && last !== undefined) last.failed += errors;
      },
      end: () => reports,
    };
  },
};

const JEST_FILE = /^(?:PASS|FAIL) (\S.*?)(?: \(.*\))?$/;
const JEST_CASE = /^( +)([✓✕○✎√×]) (?:skipped |todo )?(.+?)(?: \([\d.]+ m?s\))?$/;
const JEST_TESTS = /^Tests: +(.*\d total)$/;
const JEST_SUITES = /^Test Suites: +(.*\d total)$/;
const JEST_STATUS: Record<string, TestCase['status']> = {
  '✓': 'passed',
  '√': 'passed',
  '○': 'skipped',
  '✎': 'skipped',
};

/** jest; it names tests with --verbose, and where it runs a single file. */
export const jestReader: TestReader = {
  runner: 'jest',
  marks: ['Tests: '],
  start() {
    const reports: TestReport[] = [];
    let groups = new Groups();
    let cases = new Map<string, TestCase['status']>();
    let failedSuites = 0;
    let isInFile = false;
    return {
      line(line) {
        const file = JEST_FILE.exec(line)?.[1];
        if (file !== undefined) {
          groups.enter(0, file);
          isInFile = true;
        } else if (isInFile && line.trim() === '') isInFile = false;
        else if (isInFile) {
          const found = JEST_CASE.exec(line);
          const indent = /^ */.exec(line)?.[0].length ?? 0;
          if (found !== null) cases.set(groups.nameOf(indent, found[3] ?? ''), JEST_STATUS[found[2] ?? ''] ?? 'failed');
          else if (indent > 0) groups.enter(indent, line.trim());
        }
        const suites = JEST_SUITES.exec(line)?.[1];
        if (suites !== undefined) failedSuites = countsIn(suites, COUNT_FIRST)('failed');
        const tests = JEST_TESTS.exec(line)?.[1];
        if (tests === undefined) return;
        const count = countsIn(tests, COUNT_FIRST);
        const failures = Math.max(count('failed'), failedSuites > 0 ? 1 : 0);
        reports.push({
          passed: count('passed'),
          failed: failures,
          skipped: count('skipped', 'todo'),
          cases: casesOf(cases),
        });
        [groups, cases, failedSuites] = [new Groups(), new Map(), 0];
      },
      end: () => reports,
    };
  },
};

const MOCHA_PASSING = /^ *(\d+) passing(?: \(.*\))?$/;
const MOCHA_OTHER = /^ *(\d+) (pending|failing)$/;
const MOCHA_CASE = /^( +)(?:([✔✓√])|(-)|\d+\)) (.+?)(?: \(\d+ms\))?$/;

/** mocha with its spec reporter; other reporters have the same summary without names. */
export const mochaReader: TestReader = {
  runner: 'mocha',
  marks: [' passing'],
  start() {
    const reports: TestReport[] = [];
    let groups = new Groups();
    let cases: TestCase[] = [];
    return {
      line(line) {
        const passing = MOCHA_PASSING.exec(line)?.[1];
        const other = MOCHA_OTHER.exec(line);
        const last = reports.at(-1);
        if (passing !== undefined) {
          reports.push({ passed: Number(passing), failed: 0, skipped: 0, cases });
          [groups, cases] = [new Groups(), []];
        } else if (other !== null && last !== undefined) {
          if (other[2] === 'pending') last.skipped += Number(other[1]);
          else last.failed += Number(other[1]);
        } else {
          const indent = /^ */.exec(line)?.[0].length ?? 0;
          const found = MOCHA_CASE.exec(line);
          if (found !== null) {
            const status = found[2] !== undefined ? 'passed' : found[3] !== undefined ? 'skipped' : 'failed';
            cases.push({ name: groups.nameOf(indent, found[4] ?? ''), status });
          } else if (indent > 0 && line.trim() !== '') groups.enter(indent, line.trim());
        }
      },
      end: () => reports,
    };
  },
};
