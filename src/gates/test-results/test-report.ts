import type { TestCase } from '../../schema/gate.ts';

/** What a runner reported in one summary; `cases` has the tests that the output names, perhaps not all. */
export type TestReport = { passed: number; failed: number; skipped: number; cases: TestCase[] };

/** Recognises the reports of one test runner. */
export interface TestReader {
  readonly runner: string;
  /** It prints a summary for each package or test binary, so that adding tests can add summaries. */
  readonly isPerPackage?: true;
  /** Every output with a report of this runner has one of these texts within a line. */
  readonly marks: readonly string[];
  /** It gets lines of any length; the others get the beginning of a very long one. */
  readonly needsWholeLines?: true;
  start(): LineReader;
}

/** Gets the lines of one output in order, without escape sequences; `end` has the reports after the last one. */
interface LineReader {
  line(text: string): void;
  end(): TestReport[];
}

/** The report of a list of tests that names every one of them. */
export function reportOf(cases: readonly TestCase[]): TestReport {
  const count = (status: TestCase['status']) => cases.filter((test) => test.status === status).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped'), cases: [...cases] };
}

/** The tests of a runner whose output may name one several times: the last status counts. */
export function casesOf(statuses: ReadonlyMap<string, TestCase['status']>): TestCase[] {
  return [...statuses].map(([name, status]) => ({ name, status }));
}

/** The number before or after each label, such as `failed` in `1 failed, 2 passed`; 0 for a label that is missing. */
export function countsIn(text: string, pattern: RegExp): (...labels: string[]) => number {
  const counts = new Map<string, number>();
  for (const { groups } of text.matchAll(pattern)) {
    const label = groups?.label?.toLowerCase() ?? '';
    counts.set(label, (counts.get(label) ?? 0) + Number(groups?.count ?? 0));
  }
  return (...labels) => labels.reduce((sum, label) => sum + (counts.get(label) ?? 0), 0);
}

/** `1 failed, 2 passed` and `1 failed | 2 passed`. */
export const COUNT_FIRST = /(?<count>\d+) (?<label>[a-z]+)/gi;

/** The titles of groups that a test is in, by the indentation of their lines. */
export class Groups {
  #open: { indent: number; title: string }[] = [];

  enter(indent: number, title: string): void {
    this.leave(indent);
    this.#open.push({ indent, title });
  }

  /** Closes every group that is indented as much or more; returns whether one had exactly this title. */
  leave(indent: number, title?: string): boolean {
    const closed = this.#open.filter((group) => group.indent >= indent);
    this.#open = this.#open.filter((group) => group.indent < indent);
    return closed.some((group) => group.title === title && group.indent === indent);
  }

  /** The name of a test below the groups that are open at its indentation. */
  nameOf(indent: number, title: string): string {
    const titles = this.#open.filter((group) => group.indent < indent).map((group) => group.title);
    return [...titles, title].join(' > ');
  }
}
