import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Benchmark, Measurement } from './benchmark.ts';
import { makeRepository, makeScratch, PLAIN_ENVIRONMENT, runTool, type Scratch } from './scratch.ts';
import { type Spent, spentBy } from './spent.ts';
import { tasksByShell } from './tasks-by-shell.ts';
import { alternate, listed, median, timed } from './timing.ts';

type Size = { tasks: number; rounds: number };
type TaskSetup = { folder: string; repository: string; agent: string; tasks: number; sandbox: Sandbox };
type Sandbox = 'off' | 'require';

const WHOLE: Size = { tasks: 200, rounds: 5 };
const QUICK: Size = { tasks: 50, rounds: 3 };
const PARALLEL = 16;
const FILES = 100;
/** Without any check a result is unverified, and the user must review it. */
const UNVERIFIED_EXIT = 4;
const POLL_MS = 20;

const Result = z.object({ tasks: z.array(z.object({ status: z.string() })) });

/** The overhead of a task, from the command line to the landed branch. */
export const tasks: Benchmark = {
  name: 'tasks',
  summary: `a run of ${WHOLE.tasks} no-op tasks, ${PARALLEL} at once, without a sandbox, against a shell script with xargs`,
  target: { is: 'at most', ratio: 1 },
  measure: (isQuick, rounds) => measureTasks(sizeOf(isQuick, rounds), 'off'),
};

/** The same with agents in a sandbox, which the script does not have. */
export const tasksInSandbox: Benchmark = {
  name: 'tasks-sandbox',
  summary: `the same with every agent in a sandbox`,
  target: { is: 'at most', ratio: 1.25 },
  measure: (isQuick, rounds) => measureTasks(sizeOf(isQuick, rounds), 'require'),
};

function sizeOf(isQuick: boolean, rounds: number | undefined): Size {
  const size = isQuick ? QUICK : WHOLE;
  return rounds === undefined ? size : { ...size, rounds };
}

async function measureTasks(size: Size, sandbox: Sandbox): Promise<Measurement> {
  await using scratch = await makeScratch();
  const processor = { ours: [] as number[], shell: [] as number[] };
  const deletions: number[] = [];
  const times = await alternate(
    size.rounds,
    async () => {
      const { wallMs, processorMs, deletionMs } = await withSetup(scratch, { ...size, sandbox }, byManyhands);
      processor.ours.push(processorMs / size.tasks);
      deletions.push(deletionMs);
      return wallMs / size.tasks;
    },
    async () => {
      const { wallMs, processorMs } = await withSetup(scratch, { ...size, sandbox }, byShell);
      processor.shell.push(processorMs / size.tasks);
      return wallMs / size.tasks;
    },
  );
  const [ours, shell] = [median(processor.ours), median(processor.shell)];
  const note = [
    `${size.tasks === QUICK.tasks ? 'quick, so only a hint: ' : ''}${size.tasks} tasks, ${PARALLEL} at once, ${FILES} files`,
    `rounds in ms a task: ${listed(times.ours)} against ${listed(times.ceiling)}, ratios ${listed(times.ratios, 2)}`,
    `processor time in ms a task: ${listed([ours])} against ${listed([shell])}, ratio ${(ours / shell).toFixed(2)}`,
    `ms for which the deletion went on afterwards, whose processor time is not counted: ${listed(deletions)}`,
  ].join('; ');
  return { value: median(times.ours), unit: 'ms a task', ceiling: median(times.ceiling), ratio: times.ratio, note };
}

/** Prepares the repository of a run, measures it and removes everything. */
export async function withSetup<Result extends Spent>(
  scratch: Scratch,
  size: Size & { sandbox: Sandbox },
  measureSetup: (setup: TaskSetup) => Promise<Result>,
): Promise<Result> {
  const setup = await prepareTasks(join(scratch.path, 'stage'), { ...size, files: FILES });
  const spent = await measureSetup(setup);
  await rm(setup.folder, { recursive: true, force: true });
  return spent;
}

/** The tasks by this program; then what it deletes in the background. */
export async function byManyhands({
  folder,
  repository,
  agent,
  tasks: count,
}: TaskSetup): Promise<Spent & { deletionMs: number }> {
  const spent = await spentBy(commandFor(agent), repository, {
    env: taskEnvironment(folder),
    allow: [UNVERIFIED_EXIT],
  });
  const done = Result.parse(JSON.parse(spent.output)).tasks.filter((task) => task.status === 'done').length;
  if (done !== count + 1) throw new Error(`Only ${done} tasks of ${count + 1} got done`);
  const deletionMs = await deletionEnded(folder);
  await requireLanded(repository, 'mh/*', count);
  return { ...spent, deletionMs };
}

/** The command that plans and runs the tasks. */
function commandFor(agent: string): string[] {
  const program = [process.execPath, join(process.cwd(), 'bin', 'manyhands.mjs')];
  const how = ['--agent', `command:${agent}`, '--max-parallel', String(PARALLEL), '--json'];
  return [...program, 'do', 'Append a line to each file', ...how];
}

/** The environment of that command: its own data directory and settings, and the sandbox of this machine. */
export function taskEnvironment(folder: string): Record<string, string> {
  const bubblewrap = process.env.MANYHANDS_TEST_BWRAP;
  return {
    ...PLAIN_ENVIRONMENT,
    MANYHANDS_HOME: join(folder, 'home'),
    XDG_CONFIG_HOME: join(folder, 'config'),
    ...(bubblewrap === undefined ? {} : { MANYHANDS_BWRAP: bubblewrap }),
  };
}

/** Waits until the data directory has nothing more to delete, so that the next measurement is alone; returns how long that took. */
export async function deletionEnded(folder: string): Promise<number> {
  const removing = join(folder, 'home', 'removing');
  return timed(async () => {
    while ((await readdir(removing).catch((): string[] => [])).length > 0) await sleep(POLL_MS);
  });
}

/** The same tasks by the script. */
async function byShell(setup: TaskSetup): Promise<Spent> {
  const spent = await tasksByShell({ ...setup, parallel: PARALLEL });
  await requireLanded(setup.repository, 'run', setup.tasks);
  return spent;
}

/** A repository, an agent that appends a line, and a plan of so many tasks. */
async function prepareTasks(
  folder: string,
  { tasks: count, files, sandbox }: { tasks: number; files: number; sandbox: Sandbox },
): Promise<TaskSetup> {
  const repository = join(folder, 'repository');
  await mkdir(join(repository, '.manyhands'), { recursive: true });
  await writeFile(join(repository, '.manyhands', 'config.yaml'), 'review: { rounds: 0 }\n');
  await writeSandboxMode(folder, sandbox);
  await makeRepository(repository, files);
  const planned = Array.from({ length: count }, (_, index) => plannedTask(index + 1));
  const agent = join(folder, 'agent.sh');
  await writeFile(agent, agentText(JSON.stringify({ tasks: planned })), { mode: 0o755 });
  return { folder, repository, agent, tasks: count, sandbox };
}

/** Writes the settings of a person that `taskEnvironment` names. */
export async function writeSandboxMode(folder: string, sandbox: Sandbox): Promise<void> {
  await mkdir(join(folder, 'config', 'manyhands'), { recursive: true });
  await writeFile(join(folder, 'config', 'manyhands', 'config.yaml'), `sandbox: '${sandbox}'\n`, { mode: 0o600 });
}

function plannedTask(number: number): { id: string; title: string; description: string } {
  return {
    id: `t${number}`,
    title: `Append line ${number}`,
    description: `Append a line to a file of task ${number}.`,
  };
}

/** It contains the plan, because a sandbox shows the script and no file beside it. */
function agentText(plan: string): string {
  return `#!/bin/sh
if [ "$MANYHANDS_ROLE" = plan ]; then exec printf '%s' '${plan}'; fi
echo "a line" >>"task-\${MANYHANDS_TASK##*/}.txt"
`;
}

/** Throws unless the branch has the file of every task. */
async function requireLanded(repository: string, branch: string, count: number): Promise<void> {
  const heads = await runTool(['git', 'for-each-ref', '--format=%(refname)', `refs/heads/${branch}`], repository);
  const [head = ''] = heads.split('\n');
  const names = Array.from({ length: count }, (_, index) => `task-1.${index + 1}.txt`);
  const found = await runTool(['git', 'ls-tree', '--name-only', head, '--', ...names], repository);
  const landed = found.split('\n').filter((name) => name !== '').length;
  if (landed !== count) throw new Error(`${landed} of ${count} files landed on ${head}`);
}
