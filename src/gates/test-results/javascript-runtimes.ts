import type { TestCase } from '../../schema/gate.ts';
import { COUNT_FIRST, casesOf, countsIn, type TestReader, type TestReport } from './test-report.ts';

const BUN_FILE = /^(\S+\.[cm]?[jt]sx?):$/;
const BUN_CASE = /^(?:\((pass|fail|skip|todo)\)|([✓✗»✎])) (.+?)(?: \[[\d.]+m?s\])?$/;
const BUN_COUNT = /^ *(\d+) (pass|fail|skip|todo|errors?)$/;
const BUN_SUMMARY = /^Ran \d+ tests? across \d+ files?\b/;
const BUN_STATUS: Record<string, TestCase['status']> = {
  pass: 'passed',
  '✓': 'passed',
  skip: 'skipped',
  todo: 'skipped',
  '»': 'skipped',
  '✎': 'skipped',
};

/** The tests of bun. */
export const bunReader: TestReader = {
  runner: 'bun test',
  marks: [' across '],
  start() {
    const reports: TestReport[] = [];
    let cases = new Map<string, TestCase['status']>();
    let counts: Record<string, number> = {};
    let file = '';
    return {
      line(line) {
        file = BUN_FILE.exec(line)?.[1] ?? file;
        const found = BUN_CASE.exec(line);
        if (found !== null) cases.set(`${file} > ${found[3]}`, BUN_STATUS[found[1] ?? found[2] ?? ''] ?? 'failed');
        const counted = BUN_COUNT.exec(line);
        if (counted !== null) counts[counted[2] ?? ''] = Number(counted[1]);
        if (!BUN_SUMMARY.test(line)) return;
        const { pass = 0, fail = 0, error = 0, errors = error, skip = 0, todo = 0 } = counts;
        reports.push({ passed: pass, failed: Math.max(fail, errors), skipped: skip + todo, cases: casesOf(cases) });
        [cases, counts, file] = [new Map(), {}, ''];
      },
      end: () => reports,
    };
  },
};

const DENO_FILE = /^running \d+ tests? from (\S.*)$/;
const DENO_CASE = /^(\S.*) \.\.\. (ok|FAILED|ignored|cancelled)(?: \(.*\))?$/;
const DENO_SUMMARY = /^(?:ok|FAILED) \| (\d+ passed.*) \([\d.]+\w+\)$/;
const DENO_STATUS: Record<string, TestCase['status']> = { ok: 'passed', ignored: 'skipped' };

/** The tests of Deno. */
export const denoReader: TestReader = {
  runner: 'deno test',
  marks: [' | '],
  start() {
    const reports: TestReport[] = [];
    let cases = new Map<string, TestCase['status']>();
    let file = '';
    return {
      line(line) {
        file = DENO_FILE.exec(line)?.[1] ?? file;
        const found = file === '' ? null : DENO_CASE.exec(line);
        if (found !== null) cases.set(`${file} > ${found[1]}`, DENO_STATUS[found[2] ?? ''] ?? 'failed');
        const summary = DENO_SUMMARY.exec(line)?.[1];
        if (summary === undefined) return;
        const count = countsIn(summary.replaceAll(/\(.*?\)/g, ''), COUNT_FIRST);
        const skipped = count('ignored');
        reports.push({ passed: count('passed'), failed: count('failed'), skipped, cases: casesOf(cases) });
        [cases, file] = [new Map(), ''];
      },
      end: () => reports,
    };
  },
};
