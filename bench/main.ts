import { serveBareEvents } from './bare-events.ts';
import type { Benchmark } from './benchmark.ts';
import { bulk, bulkGrowth } from './bulk.ts';
import { cli } from './cli.ts';
import { clone, pool } from './clone.ts';
import { cycle } from './cycle.ts';
import { dependencies } from './dependencies.ts';
import { events } from './events.ts';
import { fleet } from './fleet.ts';
import { graph } from './graph.ts';
import { deadHost, takeover } from './host-failures.ts';
import { hostLines } from './host-lines.ts';
import { hosts, hostsTasks } from './hosts.ts';
import { line } from './line.ts';
import { loop } from './loop.ts';
import { manyTasks } from './many-tasks.ts';
import { merge } from './merge.ts';
import { page } from './page.ts';
import { machineDescription, type Row, rowOf, tableOf } from './report.ts';
import { restart } from './restart.ts';
import { sandbox } from './sandbox.ts';
import { save } from './save.ts';
import { streams } from './streams.ts';
import { tasks, tasksInSandbox } from './tasks.ts';
import { serveToolEcho } from './tool-echo.ts';
import { tools } from './tools.ts';
import { trace } from './trace.ts';
import { vast } from './vast.ts';
import { watch } from './watch.ts';
import { workspace } from './workspace.ts';

const BENCHMARKS: readonly Benchmark[] = [
  tasks,
  tasksInSandbox,
  manyTasks,
  bulk,
  bulkGrowth,
  graph,
  fleet,
  hosts,
  hostsTasks,
  hostLines,
  takeover,
  deadHost,
  cycle,
  watch,
  events,
  line,
  restart,
  clone,
  pool,
  workspace,
  dependencies,
  merge,
  save,
  loop,
  trace,
  sandbox,
  streams,
  tools,
  page,
  vast,
  cli,
];

const OPTION = /^--(quick|json|rounds=[1-9]\d*)$/;

const [mode = '', folder = ''] = process.argv.slice(2);
if (mode === '--bare-events') serveBareEvents();
else if (mode === '--tool-echo') serveToolEcho(folder);
else await measureSelected(process.argv.slice(2));

async function measureSelected(args: readonly string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return void process.stdout.write(usage());
  const selected = args.filter((arg) => !arg.startsWith('-'));
  const isKnown = (arg: string) => OPTION.test(arg) || BENCHMARKS.some(({ name }) => name === arg);
  const unknown = args.find((arg) => !isKnown(arg));
  if (unknown !== undefined) return refuse(unknown);
  const rounds = roundsIn(args);
  const rows: Row[] = [];
  for (const benchmark of BENCHMARKS.filter(({ name }) => selected.length === 0 || selected.includes(name))) {
    process.stderr.write(`${benchmark.name}: ${benchmark.summary} …\n`);
    try {
      rows.push(rowOf(benchmark, await benchmark.measure(args.includes('--quick'), rounds)));
    } catch (error) {
      // The figures of the other rows took minutes and are still printed.
      console.error(error);
      process.exitCode = 1;
    }
  }
  process.stderr.write(`${machineDescription()}\n`);
  process.stdout.write(args.includes('--json') ? `${JSON.stringify(rows, undefined, 2)}\n` : `${tableOf(rows)}\n`);
}

function usage(): string {
  const width = Math.max(...BENCHMARKS.map(({ name }) => name.length));
  const rows = BENCHMARKS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `npm run bench -- [row ...] [--quick] [--rounds=N] [--json]; without a row, all:\n${rows.join('\n')}\n`;
}

/** `--rounds=3`; only rows that take many minutes use it. */
function roundsIn(args: readonly string[]): number | undefined {
  const value = Number(args.find((arg) => arg.startsWith('--rounds='))?.slice('--rounds='.length));
  return Number.isInteger(value) && value > 0 ? value : undefined;
}

function refuse(name: string): void {
  process.stderr.write(`There is no row or option "${name}".\n${usage()}`);
  process.exitCode = 2;
}
