import { z } from 'zod';
import type { TestCase } from '../../schema/gate.ts';
import { COUNT_FIRST, casesOf, countsIn, reportOf, type TestReader, type TestReport } from './test-report.ts';

const GO_RUN = /^=== RUN +\S/;
const GO_CASE = /^ *--- (PASS|FAIL|SKIP): (\S+) \([\d.]+s\)$/;
const GO_PACKAGE = /^(ok {2}|FAIL)\t(\S+)(?:\t(?:[\d.]+s|\(cached\)).*| \[.*\])?$/;
const GO_STATUS: Record<string, TestCase['status']> = { PASS: 'passed', FAIL: 'failed', SKIP: 'skipped' };
const GoEvent = z.object({
  Action: z.enum(['pass', 'fail', 'skip']),
  Package: z.string(),
  Test: z.string().optional(),
});

/** go test; without -v or -json it names packages instead of tests, and each package counts as one. */
export const goReader: TestReader = {
  runner: 'go test',
  isPerPackage: true,
  marks: ['"Action"', 'ok  \t', 'FAIL\t'],
  start() {
    const events: z.infer<typeof GoEvent>[] = [];
    const text = new GoText();
    return {
      line(line) {
        const event = goEvent(line);
        if (event !== undefined) events.push(event);
        text.line(line);
      },
      end() {
        const cases = events.length > 0 ? goJsonCases(events) : text.cases;
        return cases.length === 0 ? [] : [reportOf(cases)];
      },
    };
  },
};

function goEvent(line: string): z.infer<typeof GoEvent> | undefined {
  if (!line.startsWith('{') || !line.includes('"Action"')) return undefined;
  try {
    return GoEvent.safeParse(JSON.parse(line)).data;
  } catch {
    // A program under test may print a line that only begins like an event.
    return undefined;
  }
}

/** A package that fails without a failed test did not compile, or ended early. */
function goJsonCases(events: readonly z.infer<typeof GoEvent>[]): TestCase[] {
  const failed = new Set(
    events.flatMap(({ Action, Package, Test }) => (Action === 'fail' && Test !== undefined ? [Package] : [])),
  );
  return events.flatMap(({ Action, Package, Test }): TestCase[] => {
    if (Test !== undefined)
      return [{ name: `${Package} > ${Test}`, status: GO_STATUS[Action.toUpperCase()] ?? 'failed' }];
    return Action === 'fail' && !failed.has(Package) ? [{ name: Package, status: 'failed' }] : [];
  });
}

/** The tests in the output without -json: with -v all, else the packages and the tests that failed. */
class GoText {
  readonly cases: TestCase[] = [];
  #tests: TestCase[] = [];
  #isVerbose = false;

  line(line: string): void {
    this.#isVerbose ||= GO_RUN.test(line);
    const test = GO_CASE.exec(line);
    if (test !== null) this.#tests.push({ name: test[2] ?? '', status: GO_STATUS[test[1] ?? ''] ?? 'failed' });
    const ended = GO_PACKAGE.exec(line);
    if (ended === null) return;
    const [, result, name = ''] = ended;
    const tests = this.#tests.map((test) => ({ ...test, name: `${name} > ${test.name}` }));
    const failed = tests.filter(({ status }) => status === 'failed');
    const cases = this.#isVerbose ? tests : failed;
    for (const test of cases) this.cases.push(test);
    if (result === 'FAIL' && failed.length === 0) this.cases.push({ name, status: 'failed' });
    else if (!this.#isVerbose && failed.length === 0 && !/no tests to run|no test files/.test(line))
      this.cases.push({ name, status: 'passed' });
    [this.#tests, this.#isVerbose] = [[], false];
  }
}

const CARGO_TARGET = /^ +(?:Running (?:unittests )?(\S+) \(.*\)|Doc-tests (\S+))$/;
const CARGO_RUNNING = /^running (\d+) tests?$/;
const CARGO_CASE = /^(?:test )?(.+?)(?: - should panic)? (?:\.\.\. (ok|FAILED|ignored)(?:,.*| <.*>)?|--- (FAILED))$/;
const CARGO_RESULT = /^test result: (?:ok|FAILED)\. (\d+ passed; \d+ failed; \d+ ignored; .*)$/;
const CARGO_STATUS: Record<string, TestCase['status']> = { ok: 'passed', FAILED: 'failed', ignored: 'skipped' };

/** cargo test; a binary that announces tests and has no result ended early, which counts as failed. */
export const cargoReader: TestReader = {
  runner: 'cargo test',
  isPerPackage: true,
  marks: ['running ', 'test result: '],
  start() {
    const reports: TestReport[] = [];
    let target = '';
    let announced: number | undefined;
    let cases: TestCase[] = [];
    const closeEarly = () => {
      const report = reportOf(cases);
      if (announced !== undefined)
        reports.push({ ...report, failed: Math.max(1, announced - report.passed - report.skipped) });
      [announced, cases] = [undefined, []];
    };
    return {
      line(line) {
        const named = CARGO_TARGET.exec(line);
        if (named !== null) target = named[1] ?? `Doc-tests ${named[2]}`;
        const running = CARGO_RUNNING.exec(line)?.[1];
        if (running !== undefined) {
          closeEarly();
          announced = Number(running);
        }
        const found = announced === undefined ? null : CARGO_CASE.exec(line);
        if (found !== null) {
          const name = (found[1] ?? '').replace(/ \(line \d+\)/, '');
          cases.push({
            name: target === '' ? name : `${target} > ${name}`,
            status: CARGO_STATUS[found[2] ?? ''] ?? 'failed',
          });
        }
        const result = CARGO_RESULT.exec(line)?.[1];
        if (result === undefined) return;
        const count = countsIn(result, COUNT_FIRST);
        reports.push({ passed: count('passed'), failed: count('failed'), skipped: count('ignored'), cases });
        [announced, cases] = [undefined, []];
      },
      end() {
        closeEarly();
        return reports;
      },
    };
  },
};

const NEXTEST_CASE =
  /^ *(?:TRY \d+ )?(PASS|FAIL|SKIP|ABORT|TIMEOUT|LEAK|FLAKY \d+\/\d+|SIG\w+) \[ *[\d.>]*s?\] +(?:\(.*?\) )?(\S.*)$/;
const NEXTEST_SUMMARY = /^ *Summary \[ *[\d.]+s\] +\d+(?:\/\d+)? tests? run: (.+)$/;

/** cargo nextest. */
export const nextestReader: TestReader = {
  runner: 'nextest',
  marks: ['Summary ['],
  start() {
    const reports: TestReport[] = [];
    let cases = new Map<string, TestCase['status']>();
    return {
      line(line) {
        const found = NEXTEST_CASE.exec(line);
        if (found !== null) cases.set(found[2] ?? '', nextestStatus(found[1]));
        const summary = NEXTEST_SUMMARY.exec(line)?.[1];
        if (summary === undefined) return;
        const count = countsIn(summary.replaceAll(/\(.*?\)/g, '').replaceAll('timed out', 'timeouts'), COUNT_FIRST);
        const failed = count('failed', 'timeouts', 'exec');
        reports.push({ passed: count('passed'), failed, skipped: count('skipped'), cases: casesOf(cases) });
        cases = new Map();
      },
      end: () => reports,
    };
  },
};

function nextestStatus(word = ''): TestCase['status'] {
  if (word === 'SKIP') return 'skipped';
  return word === 'PASS' || word === 'LEAK' || word.startsWith('FLAKY') ? 'passed' : 'failed';
}
