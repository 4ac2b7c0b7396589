import { setImmediate as nextTurn } from 'node:timers/promises';
import { cleanText } from '../../process/output-text.ts';
import type { TestList, TestResults } from '../../schema/gate.ts';
import { cargoReader, goReader, nextestReader } from './compiled-runners.ts';
import { jestReader, mochaReader, nodeReader, vitestReader } from './javascript-runners.ts';
import { bunReader, denoReader } from './javascript-runtimes.ts';
import { ctestReader, dotnetReader, mavenReader, phpunitReader, rspecReader } from './other-runners.ts';
import { pytestReader, unittestReader } from './python-runners.ts';
import { junitReader, junitReport, tapReader } from './report-formats.ts';
import { bustedReader, exunitReader, minitestReader, pestReader } from './scripting-runners.ts';
import type { TestReader, TestReport } from './test-report.ts';

/** The results of a check with the tests that its output names. */
export type ReadTests = { results: TestResults; tests: TestList };

const READERS: readonly TestReader[] = [
  nodeReader,
  vitestReader,
  jestReader,
  mochaReader,
  pytestReader,
  unittestReader,
  goReader,
  cargoReader,
  nextestReader,
  tapReader,
  junitReader,
  phpunitReader,
  rspecReader,
  dotnetReader,
  ctestReader,
  mavenReader,
  minitestReader,
  exunitReader,
  bustedReader,
  pestReader,
  bunReader,
  denoReader,
];

/** The runners that print one summary for each package or test binary. */
export const PER_PACKAGE: ReadonlySet<string> = new Set(
  READERS.flatMap(({ runner, isPerPackage }) => (isPerPackage === true ? [runner] : [])),
);

/** Names of failed tests that evidence repeats. */
const MOST_FAILURES = 100;

/** Text that is handled without a pause: a few milliseconds, also where every line is made to be slow. */
const PAUSE_CHARACTERS = 32 * 1024;
/** No line of a report is longer; patterns may take time that grows with the square of a line. */
const MOST_LINE = 2_048;

type Found = { runner: string; reports: TestReport[] };

/** What the test runners reported in the output of a check; report files count where the output has no report, and their failures always. */
export function readTestResults(output: string, reportFiles: readonly string[] = []): ReadTests {
  const steps = readInSteps(output, reportFiles);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same for output of any size: other work of this thread continues in between. */
export async function readLongResults(output: string, reportFiles: readonly string[]): Promise<ReadTests> {
  const steps = readInSteps(output, reportFiles);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}

function* readInSteps(output: string, reportFiles: readonly string[]): Generator<undefined, ReadTests> {
  const lines: string[] = [];
  let silent = [...READERS];
  for (const part of partsOf(output)) {
    const text = cleanText(part);
    silent = silent.filter(({ marks }) => !marks.some((mark) => text.includes(mark)));
    for (const line of text.split('\n')) lines.push(line);
    yield;
  }
  const found: Found[] = [];
  for (const reader of READERS.filter((each) => !silent.includes(each))) {
    const reports = yield* readLines(reader, lines);
    if (reports.length > 0) found.push({ runner: reader.runner, reports });
  }
  const files: TestReport[] = [];
  for (const xml of reportFiles) {
    const report = junitReport(xml);
    if (report.cases.length > 0) files.push(report);
    yield;
  }
  if (files.length > 0 && found.length === 0) return combine([{ runner: junitReader.runner, reports: files }], []);
  return combine(found, files.flatMap(failedNames));
}

function* readLines({ start, needsWholeLines }: TestReader, lines: readonly string[]) {
  const reader = start();
  let characters = 0;
  for (const line of lines) {
    reader.line(needsWholeLines === true || line.length <= MOST_LINE ? line : line.slice(0, MOST_LINE));
    characters += line.length + 1;
    if (characters < PAUSE_CHARACTERS) continue;
    characters = 0;
    yield;
  }
  return reader.end();
}

/** The text in parts of whole lines. */
function* partsOf(text: string): Generator<string> {
  let from = 0;
  while (from <= text.length) {
    const newline = text.indexOf('\n', from + PAUSE_CHARACTERS);
    const to = newline < 0 ? text.length : newline;
    yield text.slice(from, to);
    from = to + 1;
  }
}

function combine(found: readonly Found[], failedInFiles: readonly string[]): ReadTests {
  const runners = found.map(({ runner, reports }) => {
    const sum = (key: 'passed' | 'failed' | 'skipped') => reports.reduce((total, report) => total + report[key], 0);
    const named = reports.reduce((total, { cases }) => total + cases.length, 0);
    const [passed, failed, skipped] = [sum('passed'), sum('failed'), sum('skipped')];
    return { runner, reports: reports.length, passed, failed, skipped, named: named >= passed + failed + skipped };
  });
  const total = (key: 'passed' | 'failed' | 'skipped') => runners.reduce((sum, runner) => sum + runner[key], 0);
  const [passed, failed, skipped] = [total('passed'), total('failed'), total('skipped')];
  const failures = found.flatMap(({ reports }) => reports.flatMap(failedNames));
  const all = failed === 0 ? failedInFiles : failures;
  return {
    results: {
      ran: passed + failed,
      passed,
      failed: failed === 0 ? failedInFiles.length : failed,
      skipped,
      runners,
      failures: [...new Set(all)].slice(0, MOST_FAILURES),
    },
    tests: Object.fromEntries(found.map(({ runner, reports }) => [runner, reports.flatMap(({ cases }) => cases)])),
  };
}

function failedNames({ cases }: TestReport): string[] {
  return cases.flatMap(({ name, status }) => (status === 'failed' ? [name] : []));
}
