import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tracedCommand, tracingProblem } from '../src/process/trace.ts';
import type { Benchmark } from './benchmark.ts';
import { makeScratch, runTool } from './scratch.ts';
import { alternate, listed, median, timed } from './timing.ts';

const ROUNDS = 5;
const TESTS = 20;

/** The cost of tracing a check, once for each base and command. */
export const trace: Benchmark = {
  name: 'trace',
  summary: 'a check of 20 tests of node --test under the tracer, against the same check without it',
  target: { is: 'at most', ratio: 2.5 },
  async measure() {
    await using scratch = await makeScratch();
    const problem = await tracingProblem(process.env, scratch.path);
    if (problem !== undefined) throw new Error(`Nothing can be traced here: ${problem}`);
    const root = join(scratch.path, 'project');
    await mkdir(root);
    const tests = Array.from({ length: TESTS }, (_, number) => `test('test ${number}', () => {});`);
    await writeFile(join(root, 'all.test.mjs'), `import test from 'node:test';\n${tests.join('\n')}\n`);
    const check = [process.execPath, '--test'];
    const times = await alternate(
      ROUNDS,
      (round) =>
        timed(async () => {
          await runTool(await tracedCommand(check, join(scratch.path, `trace-${round}`)), root);
        }),
      () =>
        timed(async () => {
          await runTool(check, root);
        }),
    );
    const [value, ceiling] = [median(times.ours), median(times.ceiling)];
    const note = `ms: ${listed(times.ours, 1)} against ${listed(times.ceiling, 1)}`;
    return { value, unit: 'ms', ceiling, ratio: times.ratio, note };
  },
};
