import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Reporter, TestCase } from 'vitest/node';
import { ROWS, type Row } from './matrix/cases.ts';
import { SCENARIOS } from './restrictions/scenarios.ts';
import { restrictionsPage } from './restrictions/table.ts';

const COLUMN = 18;
const PAGE = fileURLToPath(new URL('../../docs/reference/agents.md', import.meta.url));

/** After the tests: which were passed only when they were tried again, and the table of programs and cases. */
export class AgentsReport implements Reporter {
  readonly #running = new Set<string>();
  readonly #retried: string[] = [];
  readonly #restrictions = new Map<string, string>();
  readonly #cases = new Map<string, Map<string, string>>();

  constructor() {
    process.once('SIGTERM', () => {
      process.stderr.write(`\nENDED. Under way were:\n${[...this.#running].map((name) => `  ${name}\n`).join('')}`);
      process.exit(143);
    });
  }

  onTestCaseReady(test: TestCase): void {
    this.#running.add(test.fullName);
  }

  onTestCaseResult(test: TestCase): void {
    this.#running.delete(test.fullName);
    const { state } = test.result();
    const tries = 1 + (test.diagnostic()?.retryCount ?? 0);
    if (tries > 1) this.#retried.push(`${test.fullName}: ${state} at try ${tries}`);
    this.#fill(test, state === 'passed' && tries > 1 ? 'retried' : state);
    this.#addRestriction(test, state);
  }

  onTestRunEnd(): void {
    if (this.#cases.size > 0) process.stdout.write(`\n${this.#table()}\n`);
    this.#writePage();
    for (const line of this.#retried) process.stdout.write(`RETRIED: ${line}\n`);
  }

  #fill(test: TestCase, state: string): void {
    const row = Object.keys(ROWS).find((name) => test.fullName.startsWith(`the real ${name} > `));
    const name = /^([^:]+): /.exec(test.name)?.[1];
    if (!test.module.moduleId.includes('/matrix/') || row === undefined || name === undefined) return;
    const cells = this.#cases.get(name) ?? new Map<string, string>();
    const isOther = state === 'passed' && test.name.includes(', because ');
    this.#cases.set(name, cells.set(row, isOther ? 'cannot' : state));
  }

  #addRestriction({ fullName, name }: TestCase, state: string): void {
    const row = /^restrictions of (.+?) > /.exec(fullName)?.[1];
    const [scenario, ...status] = name.split(': ');
    if (row !== undefined && state === 'passed') this.#restrictions.set(`${row}: ${scenario}`, status.join(': '));
  }

  /** The page is replaced only if every program was tried in every scenario. */
  #writePage(): void {
    const cells = Object.keys(ROWS).flatMap((row) => Object.keys(SCENARIOS).map((name) => `${row}: ${name}`));
    if (!cells.every((cell) => this.#restrictions.has(cell))) return;
    const statusOf = (row: Row, name: string) => this.#restrictions.get(`${row}: ${name}`) ?? '';
    writeFileSync(PAGE, restrictionsPage(statusOf));
  }

  #table(): string {
    const rows = Object.keys(ROWS);
    const first = Math.max(...[...this.#cases.keys()].map((name) => name.length)) + 2;
    const run = [...this.#cases].filter(([, cells]) => [...cells.values()].some((state) => state !== 'skipped'));
    const lines = run.map(([name, cells]) =>
      [name.padEnd(first), ...rows.map((row) => (cells.get(row) ?? 'not run').padEnd(COLUMN))].join(''),
    );
    return [[''.padEnd(first), ...rows.map((row) => row.padEnd(COLUMN))].join(''), ...lines].join('\n');
  }
}
