import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { Benchmark } from './benchmark.ts';
import { bulkByManyhands, bulkByShell, prepareBulk } from './bulk-setup.ts';
import { makeScratch } from './scratch.ts';
import { listed, median } from './timing.ts';

/** `ofShell`: how many of the tasks the script does; it costs the same for each, or more for later ones. */
type Size = { tasks: number; ofShell: number; files: number; early: number; rounds: number };
type Round = { perTask: number; ceiling: number; memory: number; slowdown: number; deletionMs: number };

const WHOLE: Size = { tasks: 3_000, ofShell: 600, files: 3_000, early: 300, rounds: 5 };
const QUICK: Size = { tasks: 200, ofShell: 100, files: 3_000, early: 50, rounds: 1 };
const PARALLEL = 16;
/** As long as a usual description of a task. */
const PROMPT_BYTES = 4_000;
/** What the memory at the end may be of the memory after the first tasks. */
const MEMORY_ALLOWED = 1.3;
/** Times of a quarter vary by some percent on any machine. */
const SLOWDOWN_ALLOWED = 1.1;
const Samples = z.array(z.object({ at: z.number(), rss: z.number(), started: z.number() }));

/** Loaded into the engine's process: its memory and the number of started attempts, four times a second. */
const OBSERVER = `import { readdirSync, writeFileSync } from 'node:fs';
const samples = [];
const started = () => {
  try {
    return readdirSync(process.env.ATTEMPTS).length;
  } catch {
    return 0;
  }
};
setInterval(() => samples.push({ at: Date.now(), rss: process.memoryUsage.rss(), started: started() }), 250).unref();
process.on('exit', () => writeFileSync(process.env.SAMPLES, JSON.stringify(samples)));
`;

/**
 * Whether a task costs the same, in time and memory, when thousands of others have ended. Each changes a file of its own:
 * tasks that add files would make the repository, and with it every later workspace, twice as large.
 */
export const manyTasks: Benchmark = {
  name: 'tasks-3000',
  summary: `${WHOLE.tasks} no-op tasks with ${PROMPT_BYTES / 1_000} kB of description each, in a repository of ${WHOLE.files} files, against the same script: the worst share of what is allowed of time (1), memory (${MEMORY_ALLOWED} of that after ${WHOLE.early} tasks) and the last quarter (${SLOWDOWN_ALLOWED} of the second)`,
  target: { is: 'at most', ratio: 1 },
  async measure(isQuick, requested) {
    const size = { ...(isQuick ? QUICK : WHOLE), ...(requested === undefined ? {} : { rounds: requested }) };
    await using scratch = await makeScratch();
    const rounds: Round[] = [];
    for (let round = 0; round < size.rounds; round += 1)
      rounds.push(await measureRound(join(scratch.path, 'stage'), size));
    const of = (pick: (round: Round) => number) => rounds.map(pick);
    const ratios = of(({ perTask, ceiling }) => perTask / ceiling);
    const [memory, slowdown] = [of((round) => round.memory), of((round) => round.slowdown)];
    const ratio = Math.max(median(ratios), median(memory) / MEMORY_ALLOWED, median(slowdown) / SLOWDOWN_ALLOWED);
    const note = [
      `${isQuick ? 'quick, so only a hint: ' : ''}${size.tasks} tasks, ${size.files} files, rounds: ${size.rounds}${size.rounds < WHOLE.rounds ? ` instead of ${WHOLE.rounds}` : ''}`,
      `ms a task: ${listed(of((round) => round.perTask))} against ${listed(of((round) => round.ceiling))}, ratios ${listed(ratios, 2)}`,
      `memory at the end against ${size.early} tasks: ${listed(memory, 2)}`,
      `last quarter against the second: ${listed(slowdown, 2)}`,
      `ms for which the deletion went on afterwards: ${listed(of((round) => round.deletionMs))}`,
    ].join('; ');
    return {
      value: median(of((round) => round.perTask)),
      unit: 'ms a task',
      ceiling: median(of((round) => round.ceiling)),
      ratio,
      note,
    };
  },
};

async function measureRound(folder: string, size: Size): Promise<Round> {
  const bulk = { parallel: PARALLEL, files: size.files, promptBytes: PROMPT_BYTES, edits: true };
  const byShell = await bulkByShell(await prepareBulk(folder, { ...bulk, items: size.ofShell }));
  const ceiling = byShell.wallMs / size.ofShell;
  await rm(folder, { recursive: true, force: true });
  const setup = await prepareBulk(folder, { ...bulk, items: size.tasks });
  const [observer, samplesFile] = [join(folder, 'observer.mjs'), join(folder, 'samples.json')];
  await writeFile(observer, OBSERVER);
  const spent = await bulkByManyhands(setup, {
    options: ['--import', pathToFileURL(observer).href],
    env: { ATTEMPTS: join(folder, 'home', 'attempts'), SAMPLES: samplesFile },
  });
  const samples = Samples.parse(JSON.parse(await readFile(samplesFile, 'utf8')));
  await rm(folder, { recursive: true, force: true });
  const reached = (count: number) => samples.find(({ started }) => started >= count) ?? samples.at(-1);
  const quarter = (number: number) =>
    (reached((number * size.tasks) / 4)?.at ?? 0) - (reached(((number - 1) * size.tasks) / 4)?.at ?? 0);
  return {
    perTask: spent.wallMs / size.tasks,
    ceiling,
    memory: (reached(size.tasks)?.rss ?? Number.NaN) / (reached(size.early)?.rss ?? Number.NaN),
    slowdown: quarter(4) / quarter(2),
    deletionMs: spent.deletionMs,
  };
}
