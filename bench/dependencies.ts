import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Benchmark } from './benchmark.ts';
import { makeRepository, makeScratch, PLAIN_ENVIRONMENT, runTool, writeDependencies } from './scratch.ts';
import { alternate, listed, median } from './timing.ts';

const FILES = 100;
const DEPENDENCY_FILES = 4_000;
const DEPENDENCY_BYTES = 50_000;
const ROUNDS = 15;
const QUICK_ROUNDS = 5;

const Result = z.object({ status: z.string(), startedAt: z.string(), endedAt: z.string() });

/** What installed dependencies cost a task that only reads. */
export const dependencies: Benchmark = {
  name: 'dependencies',
  summary: `an attempt of a read-only task beside ${(DEPENDENCY_FILES * DEPENDENCY_BYTES) / 1e6} MB of dependencies, against the same without them`,
  target: { is: 'at most', ratio: 1.1 },
  async measure(isQuick) {
    await using scratch = await makeScratch();
    const [full, plain] = [join(scratch.path, 'full'), join(scratch.path, 'plain')];
    for (const folder of [full, plain]) await prepare(folder);
    const size = { files: DEPENDENCY_FILES, fileBytes: DEPENDENCY_BYTES, packages: 200 };
    await writeDependencies(join(full, 'repository', 'node_modules'), size);
    const rounds = isQuick ? QUICK_ROUNDS : ROUNDS;
    // The first run of each creates its mirror.
    for (const folder of [full, plain]) await attemptMs(folder);
    const times = await alternate(
      rounds,
      () => attemptMs(full),
      () => attemptMs(plain),
    );
    const note = `ms: ${listed(times.ours)} against ${listed(times.ceiling)}, ratios ${listed(times.ratios, 2)}`;
    return { value: median(times.ours), unit: 'ms', ceiling: median(times.ceiling), ratio: times.ratio, note };
  },
};

async function prepare(folder: string): Promise<void> {
  const repository = join(folder, 'repository');
  await mkdir(repository, { recursive: true });
  await writeFile(join(repository, '.gitignore'), 'node_modules/\n');
  await makeRepository(repository, FILES);
  await writeFile(join(folder, 'agent.sh'), `#!/bin/sh\ncat >/dev/null\necho read\n`, { mode: 0o755 });
}

/** The time from the start to the end of a run of one attempt, without the start of the program. */
async function attemptMs(folder: string): Promise<number> {
  const program = [process.execPath, join(process.cwd(), 'bin', 'manyhands.mjs')];
  const job = [
    'job',
    'Read the files',
    '--role',
    'research',
    '--agent',
    `command:${join(folder, 'agent.sh')}`,
    '--json',
  ];
  const env = { ...PLAIN_ENVIRONMENT, MANYHANDS_HOME: join(folder, 'home') };
  const output = await runTool([...program, ...job], join(folder, 'repository'), { env });
  const { status, startedAt, endedAt } = Result.parse(JSON.parse(output));
  if (status !== 'done') throw new Error(`The run is ${status}`);
  return Date.parse(endedAt) - Date.parse(startedAt);
}
