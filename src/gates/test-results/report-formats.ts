import type { TestCase } from '../../schema/gate.ts';
import { Groups, reportOf, type TestReader, type TestReport } from './test-report.ts';

const TAP_VERSION = /^TAP version \d+$/;
const TAP_PLAN = /^1\.\.(\d+)(?: #.*)?$/;
const TAP_SUBTEST = /^( *)# Subtest: (.+)$/;
const TAP_POINT = /^( *)(not )?ok\b(?: +\d+)?(?: +-)?(?: +(.*?))?( \{)?$/;
const TAP_DIRECTIVE = / *# *(?:(SKIP|TODO)\b.*|time=.*|\(\d.*)$/i;

type TapPoint = { indent: number; title: string; status: TestCase['status']; name: string; opens: boolean };

/** The Test Anything Protocol, with subtests as node:test, tap and vitest write them. */
export const tapReader: TestReader = {
  runner: 'TAP',
  read(lines) {
    const starts = lines.filter((line) => TAP_VERSION.test(line)).length;
    const plans = lines.flatMap((line) => TAP_PLAN.exec(line)?.[1] ?? []).map(Number);
    if (starts === 0 && plans.length === 0) return [];
    const points = tapPoints(lines);
    const report = reportOf(
      points.flatMap(({ name, status, opens }, index) =>
        opens || isTapParent(points, index) ? [] : [{ name, status }],
      ),
    );
    const planned = plans.reduce((sum, plan) => sum + plan, 0);
    const missing = Math.max(0, planned - points.filter(({ indent }) => indent === 0).length);
    const bailed = lines.some((line) => /^Bail out!/i.test(line)) ? 1 : 0;
    const last = { ...report, failed: report.failed + missing + bailed };
    if (points.length === 0 && last.failed === 0) return [];
    const empty = Array.from({ length: Math.max(0, starts - 1) }, () => reportOf([]));
    return [last, ...empty];
  },
};

function tapPoints(lines: readonly string[]): TapPoint[] {
  const groups = new Groups();
  return lines.flatMap((line) => {
    const subtest = TAP_SUBTEST.exec(line);
    if (subtest !== null) groups.enter(subtest[1]?.length ?? 0, subtest[2] ?? '');
    const point = TAP_POINT.exec(line);
    if (point === null) return [];
    const [, { length: indent } = '', not, text = '', brace] = point;
    const directive = TAP_DIRECTIVE.exec(text)?.[1];
    const title = text.replace(TAP_DIRECTIVE, '').replace(TAP_DIRECTIVE, '');
    const status = directive !== undefined ? 'skipped' : not === undefined ? 'passed' : 'failed';
    groups.leave(indent);
    const name = groups.nameOf(indent, title);
    if (brace !== undefined) groups.enter(indent, title);
    return [{ indent, title, status, name, opens: brace !== undefined }];
  });
}

/** The result of a subtest follows the points in it. */
function isTapParent(points: readonly TapPoint[], index: number): boolean {
  const [before, point] = [points[index - 1], points[index]];
  if (before === undefined || point === undefined || before.indent <= point.indent) return false;
  const opener = points.slice(0, index).findLast(({ indent }) => indent === point.indent);
  return !(opener?.opens === true);
}

const XML_CASE = /<testcase\b((?:[^>"']|"[^"]*"|'[^']*')*?)(\/>|>([\s\S]*?)<\/testcase>)/g;
const XML_ATTRIBUTE = /([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const XML_ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** JUnit XML in the output. */
export const junitReader: TestReader = {
  runner: 'JUnit XML',
  read(lines) {
    return lines.some((line) => /^\s*<testsuites?\b/.test(line) || /^<\?xml .*<testsuites?\b/.test(line))
      ? [junitReport(lines.join('\n'))]
      : [];
  },
};

/** The report of a JUnit XML file, by its test cases: totals in attributes differ between writers. */
export function junitReport(xml: string): TestReport {
  const cases: TestCase[] = [];
  for (const [, attributes = '', , body = ''] of xml.matchAll(XML_CASE)) {
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

function unescapeXml(text: string): string {
  return text.replaceAll(/&(lt|gt|amp|quot|apos);/g, (_, name: string) => XML_ENTITIES[name] ?? '');
}
