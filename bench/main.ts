import type { Benchmark } from './benchmark.ts';
import { circumstances, type Row, rowOf, tableOf } from './report.ts';
import { tasks } from './tasks.ts';

const BENCHMARKS: readonly Benchmark[] = [tasks];

const args = process.argv.slice(2);
const wanted = args.filter((arg) => !arg.startsWith('-'));
const unknown = wanted.find((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name));
if (unknown === undefined) await measureAll();
else refuse(unknown);

async function measureAll(): Promise<void> {
  const rows: Row[] = [];
  for (const benchmark of BENCHMARKS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    process.stderr.write(`${benchmark.name}: ${benchmark.summary} …\n`);
    rows.push(rowOf(benchmark, await benchmark.measure()));
  }
  process.stderr.write(`${circumstances()}\n`);
  process.stdout.write(args.includes('--json') ? `${JSON.stringify(rows, undefined, 2)}\n` : `${tableOf(rows)}\n`);
}

function refuse(name: string): void {
  const known = BENCHMARKS.map((benchmark) => benchmark.name).join(', ');
  process.stderr.write(`There is no benchmark "${name}"; there are ${known}.\n`);
  process.exitCode = 2;
}
