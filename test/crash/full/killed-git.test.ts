import { join } from 'node:path';
import { expect, it } from 'vitest';
import { retryTasks } from '../../../src/core/run/decide-run.ts';
import { documentWithOutputs } from '../../../src/core/view/document.ts';
import { RunControl } from '../../../src/engine/loop/control-runs.ts';
import { makeRunProject } from '../../engine/run-project.ts';
import { CONTAINS_ALL, expectContainment, SHARED_FOLDER } from '../../support/contained.ts';
import { killGit } from '../../support/killed-git.ts';

const COMMANDS = [
  '*',
  '*\\ add\\ *',
  '*\\ write-tree\\ *',
  '*\\ update-ref\\ *',
  '*\\ cat-file\\ *',
  '*\\ merge-tree\\ *',
  '*\\ push\\ *',
];
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8].map((offset) => (Number(process.env.MANYHANDS_SEED ?? 0) || 100) + offset);
const ORIGIN = { actor: { kind: 'person', name: 'Ann' }, via: 'cli' } as const;

it.each(SEEDS)('an agent that ended is paid once, whatever git calls are killed afterwards (seed %i)', async (seed) => {
  const kills = 1 + ((seed * 7) % 9);
  const pattern = COMMANDS[seed % COMMANDS.length] ?? '*';
  const script = `cat >/dev/null; echo run >>"$HOME/${SHARED_FOLDER}/agents"; echo 1 >made.txt; echo ${kills} >"$HOME/${SHARED_FOLDER}/kills"; echo '{"usage":{"costUsd":0.25}}'`;
  await using project = await makeRunProject({
    contained: CONTAINS_ALL,
    agent: { kind: 'command', command: '../programs/agent.sh', env: {} },
    files: { '../programs/agent.sh': `#!/bin/sh\n${script}\n` },
    config: { checks: ['true'], limits: { attempts: 2, retryDelaySeconds: 0, freeDiskMb: 0, freeMemoryMb: 0 } },
  });
  using _ = killGit(join(project.root, SHARED_FOLDER, 'kills'), pattern);
  const engine = project.newEngine();
  const control = new RunControl(engine, () => {});
  const active = await project.open(engine, 'Make a file');
  engine.run(active);
  await engine.idle();
  for (let tries = 0; tries < 12 && project.stateOf(active.id).status.kind !== 'ended'; tries += 1) {
    await control.submit(active.id, (state) => retryTasks(state, { reason: 'test' }), ORIGIN);
    await engine.idle();
  }
  await engine.stop();
  const state = project.stateOf(active.id);
  expectContainment(CONTAINS_ALL, documentWithOutputs(state));
  expect([state.status, state.spent.costUsd]).toMatchObject([{ kind: 'ended', status: 'done' }, 0.25]);
  expect(project.lines(`${SHARED_FOLDER}/agents`)).toEqual(['run']);
});
