import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cancelRun } from '../../../src/core/run/decide-run.ts';
import { RunControl } from '../../../src/engine/loop/control-runs.ts';
import type { Engine } from '../../../src/engine/loop/engine.ts';
import { openRun } from '../../../src/engine/start/open-run.ts';
import { AppError } from '../../../src/errors.ts';
import { BY_ENGINE } from '../../../src/schema/actor.ts';
import { runStream } from '../../../src/schema/ids.ts';
import { appears } from '../../support/appears.ts';
import { writeFiles } from '../../support/scratch.ts';
import { makeRunProject } from '../run-project.ts';

/** Writes its process id, and ends when the file `go` exists. */
const AGENT = `#!/bin/sh
echo $$ >"$HOME/agent.new"; mv "$HOME/agent.new" "$HOME/agent"
while [ ! -e "$HOME/go" ]; do sleep 0.02; done
echo whole >work.txt
echo '{"usage":{"costUsd":0.01}}'
touch "$HOME/over"
`;

type HeldProject = Awaited<ReturnType<typeof makeRunProject>>;

async function makeHeldProject(): Promise<HeldProject> {
  const project = await makeRunProject({ agent: { kind: 'command', command: '../agent.sh', env: {} } });
  writeFiles(project.root, { 'agent.sh': AGENT });
  return project;
}

async function begin(project: HeldProject, engine: Engine): Promise<string> {
  const { state, project: opened } = await project.start(engine, 'Write it');
  engine.run(await openRun(engine, state.start.run, { state, project: opened }));
  await appears(join(project.root, 'agent'));
  return state.start.run;
}

it('does nothing after it left, whatever its agents do, and the next engine adopts them', async () => {
  await using project = await makeHeldProject();
  const engine = project.newEngine();
  const run = await begin(project, engine);
  await engine.leave();
  const before = project.store.read(runStream(run)).map(({ type }) => type);
  expect(before.at(-1)).toBe('attempt.spawned');
  const pid = Number(readFileSync(join(project.root, 'agent'), 'utf8'));
  expect(process.kill(pid, 0)).toBe(true);
  writeFileSync(join(project.root, 'go'), '');
  await appears(join(project.root, 'over'));
  const second = project.newEngine();
  expect(project.store.read(runStream(run)).map(({ type }) => type)).toEqual(before);
  second.run(await openRun(second, run));
  await second.idle();
  await second.stop();
  const state = project.stateOf(run);
  expect(state.tasks['job/1']?.attempts).toHaveLength(1);
  expect([state.status.kind, state.spent.costUsd]).toEqual(['ended', 0.01]);
});

it('refuses requests while it ends, and waits for requests in progress', async () => {
  await using project = await makeHeldProject();
  const engine = project.newEngine();
  const run = await begin(project, engine);
  const control = new RunControl(engine, () => {});
  const busy = Promise.withResolvers<void>();
  const order: string[] = [];
  const request = engine.handle(async () => {
    await busy.promise;
    order.push('request');
  });
  const left = engine.leave().then(() => order.push('left'));
  await expect(
    control.send(run, { task: 'job/1', message: 'Use tabs', comments: [] }, BY_ENGINE),
  ).rejects.toMatchObject({
    code: 'ENGINE_GONE',
  });
  busy.resolve();
  await Promise.all([request, left]);
  expect(order).toEqual(['request', 'left']);
  writeFileSync(join(project.root, 'go'), '');
  await appears(join(project.root, 'over'));
});

it('names the run in the hint of every request that is refused', async () => {
  await using project = await makeRunProject({});
  const engine = project.newEngine();
  const { id } = await project.open(engine, 'Fix it');
  const control = new RunControl(engine, () => {});
  const refuse = () => {
    throw new AppError('REFUSED', 'There is no such hold', { hold: 'h1' });
  };
  const hint = `Show the state of the run: manyhands show ${id}`;
  await expect(control.record(id, refuse, BY_ENGINE)).rejects.toMatchObject({ hint, details: { hold: 'h1', run: id } });
  await engine.stop();
});

it('retries a cancelled run while what its end removes is still being removed', async () => {
  await using project = await makeHeldProject();
  const engine = project.newEngine();
  const run = await begin(project, engine);
  const control = new RunControl(engine, () => {});
  const retried = Promise.withResolvers<unknown>();
  // The listener is called by the commit of the end, before anything that waits for it.
  const stop = project.store.onAppend((events) => {
    if (!events.some(({ stream, type }) => stream === runStream(run) && type === 'run.ended')) return;
    stop();
    writeFileSync(join(project.root, 'go'), '');
    const request = { reason: 'a test', requeue: false, changes: undefined, change: { scopeAllow: [] } };
    retried.resolve(control.retry(run, { request }, BY_ENGINE));
  });
  await control.cancel(run, (state) => cancelRun(state, 'a test'), BY_ENGINE);
  await retried.promise;
  await engine.idle();
  await engine.stop();
  const state = project.stateOf(run);
  expect(state.tasks['job/1']?.attempts.map(({ ended }) => ended?.failure?.kind)).toEqual(['interrupted', undefined]);
  expect(state.status).toMatchObject({ kind: 'ended', status: 'unverified' });
});

describe('a run that cannot be cancelled because its data is gone', () => {
  it('is dropped after a few tries, so that the engine becomes idle', async () => {
    await using project = await makeRunProject({});
    const engine = project.newEngine();
    const { state, project: opened } = await project.start(engine, 'Fix it');
    const run = await openRun(engine, state.start.run, { state, project: opened });
    await engine.submit(run, (current) => cancelRun(current, 'a test')).committed;
    await rm(project.home.mirrors, { recursive: true });
    run.endCommit = { commit: 'a commit that is not there', reason: 'a test' };
    engine.run(run);
    await engine.idle();
    expect([...engine.runs.keys()]).toEqual([]);
    expect(project.stateOf(state.start.run).status.kind).toBe('cancelling');
    await engine.stop();
  });
});
