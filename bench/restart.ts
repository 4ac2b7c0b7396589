import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from '../src/process/run.ts';
import type { Benchmark } from './benchmark.ts';
import { makeRepository, makeScratch, PLAIN_ENVIRONMENT, runTool } from './scratch.ts';
import { alternate, listed, median, timed } from './timing.ts';

const FINISHED = 2_000;
const FEW = 20;
const ROUNDS = 7;
const FILES = 50;

/** How soon after a kill an engine has resumed the unfinished run. */
export const restart: Benchmark = {
  name: 'restart',
  summary: `an engine resumes a run of ${FINISHED} finished tasks and one unfinished after kill -9, against a bare Node start`,
  target: { is: 'at most', ratio: 15 },
  async measure() {
    await using scratch = await makeScratch();
    const many = await leaveUnfinishedRun(join(scratch.path, 'many'), FINISHED);
    const few = await leaveUnfinishedRun(join(scratch.path, 'few'), FEW);
    const short: number[] = [];
    const listing: number[] = [];
    const times = await alternate(
      ROUNDS,
      () => timed(() => resume(many)),
      async () => {
        short.push(await timed(() => resume(few)));
        listing.push(await timed(() => list(many)));
        return timed(() => bareNode());
      },
    );
    const [value, ceiling] = [median(times.ours), median(times.ceiling)];
    const note = `ms: ${listed(times.ours)} against ${listed(times.ceiling)}; with ${FEW} finished tasks ${listed([median(short)])}; mh ls ${listed([median(listing)])}`;
    return { value, unit: 'ms', ceiling, ratio: times.ratio, note };
  },
};

async function leaveUnfinishedRun(folder: string, size: number): Promise<string> {
  await mkdir(join(folder, 'repository'), { recursive: true });
  await makeRepository(join(folder, 'repository'), FILES);
  await runUntilKilled(['--die-during-run', folder, String(size)]);
  return folder;
}

function resume(folder: string): Promise<void> {
  return runUntilKilled(['--resume', folder]);
}

/** Runs the engine of this row, which must end with its own SIGKILL. */
async function runUntilKilled(args: readonly string[]): Promise<void> {
  const command = [process.execPath, join(dirname(process.argv[1] ?? ''), 'bench-engine.js'), ...args];
  const result = await run(command, { env: PLAIN_ENVIRONMENT, timeoutMs: 120_000 });
  if (result.signal !== 'SIGKILL')
    throw new Error(`${args[0]} ended with ${result.code}: ${result.stderr.slice(-2000)}`);
}

async function list(folder: string): Promise<void> {
  const program = [process.execPath, join(process.cwd(), 'bin', 'manyhands.mjs'), 'ls', '--all', '--json'];
  await runTool(program, folder, { env: { ...PLAIN_ENVIRONMENT, MANYHANDS_HOME: join(folder, 'home') } });
}

async function bareNode(): Promise<void> {
  await runTool([process.execPath, '-e', '0'], '/');
}
