import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { RunCards } from '../src/access/overviews/run-cards.ts';
import { RunReader } from '../src/access/run-reader.ts';
import { runLedger } from '../src/engine/loop/ledger.ts';
import { projectId } from '../src/git/read/repository.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import { realWorld } from '../src/world.ts';
import { bigRunHistory, storeHistory } from '../test/support/big-run.ts';
import type { Benchmark } from './benchmark.ts';
import { makeRepository, makeScratch, PLAIN_ENVIRONMENT } from './scratch.ts';
import { type Spent, spentBy } from './spent.ts';
import { listed, median } from './timing.ts';

type Command = { args: readonly string[]; allowed: number };
type Figure = { processor: number[]; wall: number[] };

const RUNS = 302;
const TASKS_PER_RUN = 4;
const FILES = 20;
const ROUNDS = 5;
/** One start is shorter than what a clock of the shell shows reliably. */
const STARTS = 10;
const REPEATED = `i=0; while [ $i -lt ${STARTS} ]; do "$@" >/dev/null || exit; i=$((i + 1)); done`;

/** How often the processor time of a bare start of Node each command may take. */
const COMMANDS: readonly Command[] = [
  { args: ['ls'], allowed: 2.5 },
  { args: ['show', runId(RUNS)], allowed: 2.5 },
  { args: ['--version'], allowed: 1.3 },
];

/** The cost of the commands that are called most, against a start of Node that does nothing. */
export const cli: Benchmark = {
  name: 'cli',
  summary: `ls, show and --version with ${RUNS} runs, against a bare start of Node: the worst share of what is allowed (2.5, 2.5 and 1.3 times)`,
  target: { is: 'at most', ratio: 1 },
  async measure(isQuick) {
    await using scratch = await makeScratch();
    const repository = join(scratch.path, 'repository');
    const home = join(scratch.path, 'home');
    await mkdir(repository);
    await makeRepository(repository, FILES);
    await fill(home, repository);
    const env = { ...PLAIN_ENVIRONMENT, MANYHANDS_HOME: home };
    const start = (command: readonly string[]) =>
      spentBy(['sh', '-c', REPEATED, 'sh', ...command], repository, { env });
    const program = [process.execPath, join(process.cwd(), 'bin', 'manyhands.mjs')];
    const bare: Figure = { processor: [], wall: [] };
    const figures = COMMANDS.map((): Figure => ({ processor: [], wall: [] }));
    // The first start of each keeps its compiled code for the others.
    for (const { args } of COMMANDS) await start([...program, ...args]);
    for (let round = 0; round < (isQuick ? 2 : ROUNDS); round += 1) {
      add(bare, await start([process.execPath, '-e', '0']));
      for (const [index, figure] of figures.entries())
        add(figure, await start([...program, ...(COMMANDS[index]?.args ?? [])]));
    }
    return summary(bare, figures);
  },
};

function summary(bare: Figure, figures: readonly Figure[]) {
  const rows = COMMANDS.map(({ args, allowed }, index) => {
    const { processor = [], wall = [] } = figures[index] ?? {};
    const ratios = processor.map((value, round) => value / (bare.processor[round] ?? Number.NaN));
    const wallRatios = wall.map((value, round) => value / (bare.wall[round] ?? Number.NaN));
    const text = `${args[0]} ${listed(processor)} ms, ratios ${listed(ratios, 2)}, of wall time ${listed(wallRatios, 2)}`;
    return { share: median(ratios) / allowed, value: median(processor), text };
  });
  const worst = rows.reduce((one, other) => (other.share > one.share ? other : one));
  return {
    value: worst.value,
    unit: 'ms of processor time',
    ceiling: median(bare.processor),
    ratio: worst.share,
    note: `bare ${listed(bare.processor)} ms; ${rows.map(({ text }) => text).join('; ')}`,
  };
}

function add(figure: Figure, { processorMs, wallMs }: Spent): void {
  figure.processor.push(processorMs / STARTS);
  figure.wall.push(wallMs / STARTS);
}

async function fill(home: string, root: string): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  await using store = await openSqliteStore({ file: join(home, 'manyhands.db'), world: realWorld });
  // As an engine does when a run ends: its card and its state are kept.
  const cards = new RunCards({ store, state: (run) => reader.state(run), keeps: true });
  const project = projectId({ commonDir: join(root, '.git') });
  const reader = new RunReader(store, undefined);
  const first = realWorld.now() - RUNS * 60_000;
  for (let index = 1; index <= RUNS; index += 1) {
    const run = runId(index);
    const history = bigRunHistory({ run, tasks: TASKS_PER_RUN, root, project }, first + index * 60_000);
    await storeHistory(store, run, history);
    cards.at(
      run,
      history.reduce((count, { events }) => count + events.length, 0),
    );
    await runLedger(store, realWorld, reader.state(run)).snapshot();
  }
}

function runId(index: number): string {
  return `bench${String(index).padStart(3, '0')}`;
}
