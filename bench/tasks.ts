import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Benchmark } from './benchmark.ts';
import { makeRepository, makeScratch, PLAIN_ENVIRONMENT, runTool, type Scratch } from './scratch.ts';
import { tasksByShell } from './tasks-by-shell.ts';
import { alternate, listed, median, timed } from './timing.ts';

const TASKS = 200;
const PARALLEL = 16;
const ROUNDS = 5;
const FILES = 100;
/** With no check at all a result is unverified, which a person must look at. */
const UNVERIFIED_EXIT = 4;

const Result = z.object({ tasks: z.array(z.object({ status: z.string() })) });

/** What a task costs besides its agent, from the command line to the landed branch. */
export const tasks: Benchmark = {
  name: 'tasks',
  summary: `a run of ${TASKS} no-op tasks, ${PARALLEL} at once, against a shell script with xargs`,
  target: { is: 'at most', ratio: 1.3 },
  async measure() {
    await using scratch = await makeScratch();
    const times = await alternate(
      ROUNDS,
      (round) => byManyhands(scratch, round),
      (round) => byShell(scratch, round),
    );
    const [value, ceiling] = [median(times.ours) / TASKS, median(times.ceiling) / TASKS];
    const note = `${TASKS} tasks, ${FILES} files, ${PARALLEL} at once; totals in ms: ${listed(times.ours)} against ${listed(times.ceiling)}; ratios ${listed(times.ratios, 2)}`;
    return { value, unit: 'ms a task', ceiling, ratio: times.ratio, note };
  },
};

async function byManyhands(scratch: Scratch, round: number): Promise<number> {
  const { repository, agent, folder } = await prepare(scratch, `ours-${round}`);
  const program = join(process.cwd(), 'bin', 'manyhands.mjs');
  const env = { ...PLAIN_ENVIRONMENT, MANYHANDS_HOME: join(folder, 'home') };
  const args = [
    'do',
    'Append a line to each file',
    '--agent',
    `command:${agent}`,
    '--max-parallel',
    String(PARALLEL),
    '--json',
  ];
  let output = '';
  const time = await timed(async () => {
    output = await runTool([process.execPath, program, ...args], repository, { env, allow: [UNVERIFIED_EXIT] });
  });
  const done = Result.parse(JSON.parse(output)).tasks.filter((task) => task.status === 'done').length;
  if (done !== TASKS + 1) throw new Error(`Only ${done} tasks of ${TASKS + 1} got done`);
  await requireLanded(repository, 'mh/*');
  return time;
}

async function byShell(scratch: Scratch, round: number): Promise<number> {
  const { repository, agent, folder } = await prepare(scratch, `shell-${round}`);
  const time = await timed(() =>
    tasksByShell({ folder, repository, agent, tasks: TASKS, parallel: PARALLEL }, PLAIN_ENVIRONMENT),
  );
  await requireLanded(repository, 'run');
  return time;
}

async function prepare(scratch: Scratch, name: string): Promise<{ folder: string; repository: string; agent: string }> {
  const folder = join(scratch.path, name);
  const repository = join(folder, 'repository');
  await mkdir(join(repository, '.manyhands'), { recursive: true });
  await writeFile(join(repository, '.manyhands', 'config.yaml'), 'review: { rounds: 0 }\n');
  await makeRepository(repository, FILES);
  const plan = { tasks: Array.from({ length: TASKS }, (_, index) => plannedTask(index + 1)) };
  await writeFile(join(folder, 'plan.json'), `${JSON.stringify(plan)}\n`);
  const agent = join(folder, 'agent.sh');
  await writeFile(agent, agentText(join(folder, 'plan.json')), { mode: 0o755 });
  return { folder, repository, agent };
}

function plannedTask(number: number): { id: string; title: string; description: string } {
  return {
    id: `t${number}`,
    title: `Append line ${number}`,
    description: `Append a line to a file of task ${number}.`,
  };
}

function agentText(plan: string): string {
  return `#!/bin/sh
if [ "$MANYHANDS_ROLE" = plan ]; then exec cat '${plan}'; fi
echo "a line" >>"task-\${MANYHANDS_TASK##*/}.txt"
`;
}

async function requireLanded(repository: string, branch: string): Promise<void> {
  const [head] = (
    await runTool(['git', 'for-each-ref', '--format=%(refname)', `refs/heads/${branch}`], repository)
  ).split('\n');
  const listed = await runTool(['git', 'ls-tree', '--name-only', head ?? '', '--', ...names()], repository);
  const landed = listed.split('\n').filter((name) => name !== '').length;
  if (landed !== TASKS) throw new Error(`${landed} of ${TASKS} files landed on ${head}`);
}

function names(): string[] {
  return Array.from({ length: TASKS }, (_, index) => `task-1.${index + 1}.txt`);
}
