import type { TestCase } from '../../schema/gate.ts';
import { Groups, reportOf, type TestReader, type TestReport } from './test-report.ts';

const TAP_VERSION = /^TAP version \d+$/;
const TAP_PLAN = /^1\.\.(\d+)(?: #.*)?$/;
const TAP_SUBTEST = /^( *)# Subtest: (.+)$/;
const TAP_POINT = /^( *)(not )?ok\b(?: +\d+)?(?: +-)?(?: +(.*?))?( \{)?$/;
const TAP_DIRECTIVE = / *# *(?:(SKIP|TODO)\b.*|time=.*|\(\d.*)$/i;

type TapPoint = TestCase & { indent: number; opens: boolean };

/** The Test Anything Protocol, with subtests as node:test, tap and vitest write them. */
export const tapReader: TestReader = {
  runner: 'TAP',
  marks: ['TAP version ', '1..'],
  start() {
    const groups = new Groups();
    const points: TapPoint[] = [];
    let starts = 0;
    let plans = 0;
    let planned = 0;
    let bailed = 0;
    return {
      line(line) {
        if (TAP_VERSION.test(line)) starts += 1;
        const plan = TAP_PLAN.exec(line)?.[1];
        if (plan !== undefined) [plans, planned] = [plans + 1, planned + Number(plan)];
        if (/^Bail out!/i.test(line)) bailed = 1;
        const subtest = TAP_SUBTEST.exec(line);
        if (subtest !== null) groups.enter(subtest[1]?.length ?? 0, subtest[2] ?? '');
        const point = tapPoint(line, groups);
        if (point !== undefined) points.push(point);
      },
      end() {
        if (starts === 0 && plans === 0) return [];
        const missing = Math.max(0, planned - points.filter(({ indent }) => indent === 0).length);
        const report = reportOf(tapCases(points));
        const last = { ...report, failed: report.failed + missing + bailed };
        if (points.length === 0 && last.failed === 0) return [];
        const empty = Array.from({ length: Math.max(0, starts - 1) }, () => reportOf([]));
        return [last, ...empty];
      },
    };
  },
};

function tapPoint(line: string, groups: Groups): TapPoint | undefined {
  const point = TAP_POINT.exec(line);
  if (point === null) return undefined;
  const [, { length: indent } = '', not, text = '', brace] = point;
  const directive = TAP_DIRECTIVE.exec(text)?.[1];
  const title = text.replace(TAP_DIRECTIVE, '').replace(TAP_DIRECTIVE, '');
  const status = directive !== undefined ? 'skipped' : not === undefined ? 'passed' : 'failed';
  groups.leave(indent);
  const name = groups.nameOf(indent, title);
  if (brace !== undefined) groups.enter(indent, title);
  return { indent, name, status, opens: brace !== undefined };
}

/** The points that are tests: the result of a subtest follows the points in it, or opens a brace before them. */
function tapCases(points: readonly TapPoint[]): TestCase[] {
  const lastAt = new Map<number, TapPoint>();
  const cases: TestCase[] = [];
  points.forEach((point, index) => {
    const isBelow = (points[index - 1]?.indent ?? 0) > point.indent;
    const isParent = isBelow && lastAt.get(point.indent)?.opens !== true;
    if (!point.opens && !isParent) cases.push({ name: point.name, status: point.status });
    lastAt.set(point.indent, point);
  });
  return cases;
}

const XML_ATTRIBUTE = /(?<![\w:-])([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const XML_ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** JUnit XML in the output. */
export const junitReader: TestReader = {
  runner: 'JUnit XML',
  marks: ['<testsuite'],
  needsWholeLines: true,
  start() {
    const lines: string[] = [];
    let isReport = false;
    return {
      line(line) {
        lines.push(line);
        isReport ||= /^\s*<testsuites?\b/.test(line) || /^<\?xml .*<testsuites?\b/.test(line);
      },
      end: () => (isReport ? [junitReport(lines.join('\n'))] : []),
    };
  },
};

/** The report of a JUnit XML file, by its test cases: totals in attributes differ between writers. */
export function junitReport(xml: string): TestReport {
  const cases: TestCase[] = [];
  for (const { attributes, body } of xmlCases(xml)) {
    const values = new Map(
      [...attributes.matchAll(XML_ATTRIBUTE)].map(([, name = '', double, single]) => [
        name,
        unescapeXml(double ?? single ?? ''),
      ]),
    );
    const name = [values.get('classname') ?? '', values.get('name') ?? ''].filter((part) => part !== '').join(' > ');
    const status = /<(failure|error)\b/.test(body)
      ? 'failed'
      : /<(skipped|disabled)\b/.test(body)
        ? 'skipped'
        : 'passed';
    cases.push({ name, status: values.get('status') === 'notrun' ? 'skipped' : status });
  }
  return reportOf(cases);
}

/** The elements `testcase`, in time that is linear in the text, also where it is cut off or no XML at all. */
function* xmlCases(xml: string): Generator<{ attributes: string; body: string }> {
  const tag = /<testcase\b/g;
  let hasEnd = true;
  for (let found = tag.exec(xml); found !== null; found = tag.exec(xml)) {
    const close = endOfTag(xml, tag.lastIndex);
    const isEmpty = xml[close - 1] === '/';
    const end: number = isEmpty ? close + 1 : hasEnd ? xml.indexOf('</testcase>', close) : -1;
    hasEnd = isEmpty ? hasEnd : end >= 0;
    if (close >= xml.length || end < 0) tag.lastIndex = close;
    else {
      const attributes = xml.slice(tag.lastIndex, isEmpty ? close - 1 : close);
      tag.lastIndex = end;
      yield { attributes, body: isEmpty ? '' : xml.slice(close + 1, end) };
    }
  }
}

/** Where the `>` of a tag is, outside of quotes; the length of the text if there is none. */
function endOfTag(xml: string, start: number): number {
  const part = /[>"']/g;
  part.lastIndex = start;
  for (let found = part.exec(xml); found !== null; found = part.exec(xml)) {
    if (found[0] === '>') return found.index;
    const quote = xml.indexOf(found[0], part.lastIndex);
    if (quote < 0) return xml.length;
    part.lastIndex = quote + 1;
  }
  return xml.length;
}

function unescapeXml(text: string): string {
  return text.replaceAll(/&(lt|gt|amp|quot|apos);/g, (_, name: string) => XML_ENTITIES[name] ?? '');
}
