import type { TestCase } from '../../schema/gate.ts';
import { COUNT_FIRST, casesOf, countsIn, type TestReader, type TestReport } from './test-report.ts';

const PYTEST_SUMMARY =
  /^=*\s*((?:\d+ (?:failed|passed|skipped|deselected|xfailed|xpassed|warnings?|errors?|rerun|subtests passed)(?:, )?)+|no tests ran) in [\d.]+s(?: \([\d:]+\))?\s*=*$/;
const PYTEST_CASE = /^(?:\[gw\d+\](?: \[ *\d+%\])? )?(\S+::.+?) (PASSED|FAILED|SKIPPED|XFAIL|XPASS|ERROR)\b/;
const PYTEST_LISTED =
  /^(?:\[gw\d+\] \[ *\d+%\] )?(PASSED|FAILED|XFAIL|XPASS|ERROR|SKIPPED) (\S+::.+?)(?: - .*)?(?: +\[ *\d+%\])?$/;
const PYTEST_STATUS: Record<string, TestCase['status']> = {
  PASSED: 'passed',
  XPASS: 'passed',
  SKIPPED: 'skipped',
  XFAIL: 'skipped',
};

/** pytest, also with -q; it names every test with -v and with -rA. */
export const pytestReader: TestReader = {
  runner: 'pytest',
  marks: [' in '],
  start() {
    const reports: TestReport[] = [];
    let cases = new Map<string, TestCase['status']>();
    const add = (name: string | undefined, word: string | undefined) => {
      if (name === undefined || word === undefined || cases.get(name) === 'failed') return;
      cases.set(name, PYTEST_STATUS[word] ?? 'failed');
    };
    return {
      line(line) {
        const found = PYTEST_CASE.exec(line);
        const listed = PYTEST_LISTED.exec(line);
        if (found !== null) add(found[1], found[2]);
        else if (listed !== null) add(listed[2], listed[1]);
        const summary = PYTEST_SUMMARY.exec(line)?.[1];
        if (summary === undefined) return;
        const count = countsIn(summary, COUNT_FIRST);
        reports.push({
          passed: count('passed', 'xpassed'),
          failed: count('failed', 'error', 'errors'),
          skipped: count('skipped', 'xfailed'),
          cases: casesOf(cases),
        });
        cases = new Map();
      },
      end: () => reports,
    };
  },
};

const UNITTEST_CASE =
  /^(\w+) \(([\w.]+)\)(?:.*?)? \.\.\. (ok|FAIL|ERROR|skipped\b.*|expected failure|unexpected success)$/;
const UNITTEST_TITLE = /^(\w+) \(([\w.]+)\)$/;
const UNITTEST_DOCUMENTED = / \.\.\. (ok|FAIL|ERROR|skipped\b.*|expected failure|unexpected success)$/;
const UNITTEST_FAILED = /^(?:FAIL|ERROR): (\w+) \(([\w.]+)\)/;
const UNITTEST_RAN = /^Ran (\d+) tests? in [\d.]+s$/;
const UNITTEST_RESULT = /^(OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$/;
/** How far below the summary its result is. */
const UNITTEST_RESULT_LINES = 3;
const COUNT_LAST = /(?<label>[a-z ]*[a-z])=(?<count>\d+)/gi;

/** unittest, and Django's runner; it names tests with -v. */
export const unittestReader: TestReader = {
  runner: 'unittest',
  marks: ['Ran '],
  start() {
    const reports: TestReport[] = [];
    let cases: TestCase[] = [];
    let names = new Set<string>();
    let title: string | undefined;
    /** A summary whose result is in one of the next lines. */
    let ended: { ran: number; cases: TestCase[]; linesLeft: number } | undefined;
    const add = (name: string, status: TestCase['status']) => {
      cases.push({ name, status });
      names.add(name);
    };
    const close = (result?: RegExpExecArray | null) => {
      if (ended !== undefined) reports.push(unittestReport(ended, result));
      ended = undefined;
    };
    return {
      line(line) {
        const result = ended === undefined ? null : UNITTEST_RESULT.exec(line);
        if (ended !== undefined) ended.linesLeft -= 1;
        if (result !== null || ended?.linesLeft === 0) close(result);
        const found = UNITTEST_CASE.exec(line);
        const documented = title === undefined ? undefined : UNITTEST_DOCUMENTED.exec(line)?.[1];
        if (found !== null) add(unittestName(found[1], found[2]), unittestStatus(found[3]));
        else if (documented !== undefined && title !== undefined) add(title, unittestStatus(documented));
        const failure = UNITTEST_FAILED.exec(line);
        const failedName = failure === null ? undefined : unittestName(failure[1], failure[2]);
        if (failedName !== undefined && !names.has(failedName)) add(failedName, 'failed');
        const titled = UNITTEST_TITLE.exec(line);
        title = titled === null ? undefined : unittestName(titled[1], titled[2]);
        const ran = UNITTEST_RAN.exec(line)?.[1];
        if (ran === undefined) return;
        close();
        ended = { ran: Number(ran), cases, linesLeft: UNITTEST_RESULT_LINES };
        [cases, names] = [[], new Set()];
      },
      end() {
        close();
        return reports;
      },
    };
  },
};

function unittestReport(
  { ran, cases }: { ran: number; cases: TestCase[] },
  result?: RegExpExecArray | null,
): TestReport {
  const count = countsIn((result?.[2] ?? '').replaceAll(', ', ','), COUNT_LAST);
  const failed = Math.max(count('failures', 'errors', 'unexpected successes'), result?.[1] === 'FAILED' ? 1 : 0);
  const skipped = count('skipped', 'expected failures');
  return { passed: Math.max(0, ran - failed - skipped), failed, skipped, cases };
}

/** Since Python 3.11 the class in parentheses is followed by the method. */
function unittestName(method = '', owner = ''): string {
  return `${owner.endsWith(`.${method}`) ? owner.slice(0, -method.length - 1) : owner} > ${method}`;
}

function unittestStatus(word = ''): TestCase['status'] {
  if (word === 'ok') return 'passed';
  return word.startsWith('skipped') || word === 'expected failure' ? 'skipped' : 'failed';
}
