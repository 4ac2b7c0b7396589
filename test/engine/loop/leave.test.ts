import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { enginePort } from '../../../src/engine/loop/control-runs.ts';
import type { Engine } from '../../../src/engine/loop/engine.ts';
import { openRun } from '../../../src/engine/start/open-run.ts';
import { runStream } from '../../../src/schema/ids.ts';
import { writeFiles } from '../../support/scratch.ts';
import { makeRunProject } from '../run-project.ts';

/** Writes its process number, and ends when it is let go. */
const AGENT = `#!/bin/sh
echo $$ >"$HOME/agent.new"; mv "$HOME/agent.new" "$HOME/agent"
while [ ! -e "$HOME/go" ]; do sleep 0.02; done
echo whole >work.txt
echo '{"usage":{"costUsd":0.01}}'
touch "$HOME/over"
`;

type Place = Awaited<ReturnType<typeof makeRunProject>>;

async function makeHeldPlace(): Promise<Place> {
  const place = await makeRunProject({ agent: { kind: 'command', command: '../agent.sh', env: {} } });
  writeFiles(place.root, { 'agent.sh': AGENT });
  return place;
}

async function begin(place: Place, engine: Engine): Promise<string> {
  const { state, project } = await place.start(engine, 'Write it');
  engine.run(await openRun(engine, state.start.run, { state, project }));
  await appears(join(place.root, 'agent'));
  return state.start.run;
}

async function appears(file: string): Promise<void> {
  for (let tries = 0; tries < 600 && !existsSync(file); tries += 1) await pause(20);
}

it('does nothing more once it has left, whatever its agents do, and the next engine takes them up', async () => {
  await using place = await makeHeldPlace();
  const engine = place.newEngine();
  const run = await begin(place, engine);
  await engine.leave();
  const before = place.store.read(runStream(run)).map(({ type }) => type);
  expect(before.at(-1)).toBe('attempt.spawned');
  const pid = Number(readFileSync(join(place.root, 'agent'), 'utf8'));
  expect(process.kill(pid, 0)).toBe(true);
  writeFileSync(join(place.root, 'go'), '');
  await appears(join(place.root, 'over'));
  const second = place.newEngine();
  expect(place.store.read(runStream(run)).map(({ type }) => type)).toEqual(before);
  second.run(await openRun(second, run));
  await second.idle();
  await second.stop();
  const state = place.stateOf(run);
  expect(state.tasks['job/1']?.attempts).toHaveLength(1);
  expect([state.status.kind, state.spent.costUsd]).toEqual(['ended', 0.01]);
});

it('refuses what is asked of it while it ends, and waits for what it was doing for somebody', async () => {
  await using place = await makeHeldPlace();
  const engine = place.newEngine();
  const run = await begin(place, engine);
  const port = enginePort(engine, () => {});
  const busy = Promise.withResolvers<void>();
  const order: string[] = [];
  const asked = engine.handle(async () => {
    await busy.promise;
    order.push('asked');
  });
  const left = engine.leave().then(() => order.push('left'));
  await expect(port.send(run, { task: 'job/1', message: 'Use tabs', comments: [] })).rejects.toMatchObject({
    code: 'ENGINE_GONE',
  });
  busy.resolve();
  await Promise.all([asked, left]);
  expect(order).toEqual(['asked', 'left']);
  writeFileSync(join(place.root, 'go'), '');
  await appears(join(place.root, 'over'));
});
