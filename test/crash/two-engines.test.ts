import { expect, it } from 'vitest';
import { begun, HELD_JOB, letGo, makeHeldScene, untilBegun } from './held-agent.ts';

it('lets a second command use the running engine', { timeout: 300_000 }, async () => {
  await using scratch = await makeHeldScene();
  letGo(scratch, 'checks');
  const first = scratch.start(HELD_JOB);
  await untilBegun(scratch, 'agents', 1);
  const second = scratch.start(HELD_JOB);
  await untilBegun(scratch, 'agents', 2);
  expect((await scratch.mh(['ls', '--json'])).json).toMatchObject([{ status: 'running' }, { status: 'running' }]);
  letGo(scratch, 'agents');
  const ends = await Promise.all([first.done, second.done]);
  expect(ends.map(({ code, json }) => ({ code, json }))).toMatchObject([
    { code: 0, json: { status: 'done' } },
    { code: 0, json: { status: 'done' } },
  ]);
  expect(begun(scratch, 'agents')).toHaveLength(2);
  expect(await scratch.leftovers()).toEqual([]);
});

it('becomes the engine and adopts the running agent when the engine is killed', {
  timeout: 300_000,
}, async () => {
  await using scratch = await makeHeldScene();
  letGo(scratch, 'checks');
  const engine = scratch.start(HELD_JOB);
  await untilBegun(scratch, 'agents', 1);
  const second = scratch.start(HELD_JOB);
  await untilBegun(scratch, 'agents', 2);
  engine.kill('SIGKILL');
  await engine.done;
  letGo(scratch, 'agents');
  const { code, json, stderr } = await second.done;
  expect({ code, json }, stderr).toMatchObject({ code: 0, json: { status: 'done', tasks: [{ attempts: 1 }] } });
  const resumed = await scratch.mh(['resume', '--json']);
  expect(resumed.json, resumed.stderr).toMatchObject([{ status: 'done', tasks: [{ attempts: 1 }] }]);
  expect(begun(scratch, 'agents')).toHaveLength(2);
  expect(await scratch.leftovers()).toEqual([]);
});
