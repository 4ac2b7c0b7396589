import type { TestCase } from '../../schema/gate.ts';
import { COUNT_FIRST, countsIn, type TestReader, type TestReport } from './test-report.ts';

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
  read(lines) {
    const reports: TestReport[] = [];
    let cases = new Map<string, TestCase['status']>();
    const add = (name: string | undefined, word: string | undefined) => {
      if (name === undefined || word === undefined || cases.get(name) === 'failed') return;
      cases.set(name, PYTEST_STATUS[word] ?? 'failed');
    };
    for (const line of lines) {
      const found = PYTEST_CASE.exec(line);
      const listed = PYTEST_LISTED.exec(line);
      if (found !== null) add(found[1], found[2]);
      else if (listed !== null) add(listed[2], listed[1]);
      const summary = PYTEST_SUMMARY.exec(line)?.[1];
      if (summary === undefined) continue;
      const count = countsIn(summary, COUNT_FIRST);
      reports.push({
        passed: count('passed', 'xpassed'),
        failed: count('failed', 'error', 'errors'),
        skipped: count('skipped', 'xfailed'),
        cases: [...cases].map(([name, status]) => ({ name, status })),
      });
      cases = new Map();
    }
    return reports;
  },
};

const UNITTEST_CASE =
  /^(\w+) \(([\w.]+)\)(?:.*?)? \.\.\. (ok|FAIL|ERROR|skipped\b.*|expected failure|unexpected success)$/;
const UNITTEST_TITLE = /^(\w+) \(([\w.]+)\)$/;
const UNITTEST_DOCUMENTED = / \.\.\. (ok|FAIL|ERROR|skipped\b.*|expected failure|unexpected success)$/;
const UNITTEST_FAILED = /^(?:FAIL|ERROR): (\w+) \(([\w.]+)\)/;
const UNITTEST_RAN = /^Ran (\d+) tests? in [\d.]+s$/;
const UNITTEST_RESULT = /^(OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$/;
const COUNT_LAST = /(?<label>[a-z ]*[a-z])=(?<count>\d+)/gi;

/** unittest, and Django's runner; it names tests with -v. */
export const unittestReader: TestReader = {
  runner: 'unittest',
  read(lines) {
    const reports: TestReport[] = [];
    let cases: TestCase[] = [];
    let title: string | undefined;
    lines.forEach((line, index) => {
      const found = UNITTEST_CASE.exec(line);
      const documented = title === undefined ? undefined : UNITTEST_DOCUMENTED.exec(line)?.[1];
      if (found !== null) cases.push({ name: unittestName(found[1], found[2]), status: unittestStatus(found[3]) });
      else if (documented !== undefined && title !== undefined)
        cases.push({ name: title, status: unittestStatus(documented) });
      const failure = UNITTEST_FAILED.exec(line);
      const failedName = failure === null ? undefined : unittestName(failure[1], failure[2]);
      if (failedName !== undefined && !cases.some(({ name }) => name === failedName))
        cases.push({ name: failedName, status: 'failed' });
      const titled = UNITTEST_TITLE.exec(line);
      title = titled === null ? undefined : unittestName(titled[1], titled[2]);
      const ran = UNITTEST_RAN.exec(line)?.[1];
      if (ran === undefined) return;
      const result = lines
        .slice(index + 1, index + 4)
        .map((text) => UNITTEST_RESULT.exec(text))
        .find((text) => text !== null);
      const count = countsIn((result?.[2] ?? '').replaceAll(', ', ','), COUNT_LAST);
      const failed = Math.max(count('failures', 'errors', 'unexpected successes'), result?.[1] === 'FAILED' ? 1 : 0);
      const skipped = count('skipped', 'expected failures');
      reports.push({ passed: Math.max(0, Number(ran) - failed - skipped), failed, skipped, cases });
      cases = [];
    });
    return reports;
  },
};

/** Since Python 3.11 the class in parentheses is followed by the method. */
function unittestName(method = '', owner = ''): string {
  return `${owner.endsWith(`.${method}`) ? owner.slice(0, -method.length - 1) : owner} > ${method}`;
}

function unittestStatus(word = ''): TestCase['status'] {
  if (word === 'ok') return 'passed';
  return word.startsWith('skipped') || word === 'expected failure' ? 'skipped' : 'failed';
}
