import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { Scratch } from '../support/scratch.ts';
import { begun, HELD_JOB, letGo, makeHeldScene, untilBegun } from './held-agent.ts';

it('reports why the engine cannot continue, not that an error was suppressed, and a restart continues', {
  timeout: 300_000,
}, async () => {
  await using scratch = await makeHeldScene();
  letGo(scratch, 'checks');
  const running = scratch.start(HELD_JOB);
  await untilBegun(scratch, 'agents', 1);
  inDatabase(scratch, "CREATE TRIGGER refuse BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'refused'); END");
  letGo(scratch, 'agents');
  const { json, stderr } = await running.done;
  expect(JSON.stringify(json), stderr).toContain('refused');
  inDatabase(scratch, 'DROP TRIGGER refuse');
  const resumed = await scratch.mh(['resume', '--json']);
  expect(resumed.json, resumed.stderr).toMatchObject([{ status: 'done', tasks: [{ attempts: 1 }] }]);
  expect(begun(scratch, 'agents')).toHaveLength(1);
});

it('leaves an agent that runs when the engine cannot continue to the next engine, so that it is paid once', {
  timeout: 300_000,
}, async () => {
  await using scratch = await makeHeldScene();
  letGo(scratch, 'checks');
  const running = scratch.start(HELD_JOB);
  await untilBegun(scratch, 'agents', 1);
  inDatabase(scratch, "CREATE TRIGGER refuse BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'refused'); END");
  const refused = await scratch.mh(['limit', '--agents', '2']);
  expect(refused.stdout + refused.stderr).toContain('refused');
  await running.done;
  inDatabase(scratch, 'DROP TRIGGER refuse');
  letGo(scratch, 'agents');
  const resumed = await scratch.mh(['resume', '--json']);
  expect(resumed.json, resumed.stderr).toMatchObject([{ status: 'done', cost: 0.01, tasks: [{ attempts: 1 }] }]);
  expect(begun(scratch, 'agents')).toHaveLength(1);
});

function inDatabase(scratch: Scratch, sql: string): void {
  const database = new DatabaseSync(join(scratch.home, 'manyhands.db'), { timeout: 5_000 });
  database.exec(sql);
  database.close();
}
