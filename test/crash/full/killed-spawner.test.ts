import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { documentWithOutputs } from '../../../src/core/view/document.ts';
import { git } from '../../../src/git/git.ts';
import { processSpawner } from '../../../src/process/spawner/spawner.ts';
import { makeRunProject } from '../../engine/run-project.ts';
import { CONTAINS_ALL, expectContainment, SHARED_FOLDER } from '../../support/contained.ts';

/** After so many programs a process starts them by its spawner. */
const PROGRAMS = 30;

let kills = 0;
afterAll(() => expect(kills).toBeGreaterThan(2));

it.each([11, 7, 5, 4, 3, 2, 1])(
  'a run ends as ever when its spawner is killed while every %i. program runs',
  async (every) => {
    for (let count = 0; count < PROGRAMS; count += 1) await git(['version']);
    const script = `cat >/dev/null; echo run >>"$HOME/${SHARED_FOLDER}/agents"; echo 1 >made.txt; echo '{"usage":{"costUsd":0.25}}'`;
    await using project = await makeRunProject({
      contained: CONTAINS_ALL,
      agent: { kind: 'command', command: '../programs/agent.sh', env: {} },
      files: { '../programs/agent.sh': `#!/bin/sh\n${script}\n` },
      config: { checks: ['true'], limits: { attempts: 1, retryDelaySeconds: 0, freeDiskMb: 0, freeMemoryMb: 0 } },
    });
    const engine = project.newEngine();
    const active = await project.open(engine, 'Make a file');
    using _ = killSpawner(every);
    engine.run(active);
    await engine.idle();
    await engine.stop();
    const state = project.stateOf(active.id);
    expectContainment(CONTAINS_ALL, documentWithOutputs(state));
    expect([state.status, state.spent.costUsd]).toMatchObject([{ kind: 'ended', status: 'done' }, 0.25]);
    expect(project.lines(`${SHARED_FOLDER}/agents`)).toEqual(['run']);
  },
);

/** Kills the spawner of this process while every nth of its programs runs. */
function killSpawner(every: number): Disposable {
  const seen = new Set<string>();
  const timer = setInterval(() => {
    const { pid } = processSpawner;
    const known = seen.size;
    for (const child of pid === undefined ? [] : childrenOf(pid)) seen.add(child);
    if (pid === undefined || seen.size === known || seen.size % every !== 0) return;
    kills += 1;
    process.kill(pid, 'SIGKILL');
  }, 1);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function childrenOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  } catch {
    // It was killed, and this process does not know yet.
    return [];
  }
}
