import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTrace, tracedCommand, tracingProblem } from '../../../src/process/trace.ts';
import { makeLandingRun } from './landing-run.ts';

const scratch = async () => realpath(await mkdtemp(join(tmpdir(), 'mh-trace-')));
const problem = await tracingProblem(process.env, tmpdir());

it('says why nothing can be traced where the tracer is missing', async () => {
  expect(await tracingProblem({ PATH: '/nowhere' }, tmpdir())).toMatch(/strace is not installed|only Linux/);
});

describe.skipIf(problem !== undefined)(`a traced check${problem === undefined ? '' : ` (skipped: ${problem})`}`, () => {
  it('shows a script whose name only running the check shows, which is held; the trace is kept for the next task', async () => {
    // The name of the script is put together at run time.
    const files = {
      'start.sh': 'part=$(printf ste)\nsh "./$part"p.sh\n',
      'step.sh': 'test ! -e bad\n',
      'other.sh': 'true\n',
    };
    await using run = await makeLandingRun({ check: 'sh start.sh', files });
    await run.work('a', { files: { 'step.sh': 'true\n', bad: 'x\n' } });
    await run.work('b', { files: { 'other.sh': 'false\n' } });
    await run.land('a');
    expect(run.task('a').phase).toMatchObject({
      status: 'held',
      hold: { files: ['step.sh'], reason: expect.stringContaining('a check uses it while it runs: sh start.sh') },
    });
    const traces = join(run.engine.home.root, 'traces');
    expect(await readdir(traces)).toHaveLength(1);
    await run.land('b');
    expect([run.status('b'), (await readdir(traces)).length]).toEqual(['done', 1]);
  });

  it('is void when the tracer is killed', async () => {
    const folder = await scratch();
    try {
      const [program = '', ...args] = await tracedCommand(['sh', '-c', 'kill -9 $PPID; sleep 1'], folder);
      spawnSync(program, args, { timeout: 20_000 });
      expect(await readTrace(folder, '/')).toBeUndefined();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
