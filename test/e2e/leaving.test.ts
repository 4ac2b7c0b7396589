import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openCaller } from '../../src/access/open-caller.ts';
import { RunDocument } from '../../src/schema/document.ts';
import { begun, HELD_JOB, isAlive, letGo, makeHeldScene, untilBegun, waitForExit } from '../crash/held-agent.ts';
import { checkInvariants } from '../crash/invariants.ts';
import { GOAL, makeScene, PAID_ATTEMPTS } from '../crash/scenario.ts';
import { mirrorOf, runGit, seenCommits } from '../crash/seen-commits.ts';
import type { Scratch } from '../support/scratch.ts';

/** Asks the engine that works there, whichever process it is, to end. */
async function stopEngine(scratch: Scratch, agents: 'leave' | 'stop'): Promise<number> {
  const env = { HOME: scratch.root, MANYHANDS_HOME: scratch.home, PATH: process.env.PATH };
  await using caller = await openCaller({ env });
  return (await caller.call('stop-engine', { agents })).pid;
}

/** Goes on with the one run that was left, to its end. */
async function resume(scratch: Scratch, during: () => Promise<void> | void = () => {}): Promise<RunDocument> {
  const resumed = scratch.start(['resume', '--json']);
  await during();
  const { code, json, stderr } = await resumed.done;
  expect(code, stderr).toBe(0);
  const [document] = RunDocument.array().parse(json);
  if (document === undefined) throw new Error('Nothing was resumed');
  return document;
}

it('keeps agents running when the engine is stopped, and the next engine adopts them', async () => {
  await using scratch = await makeHeldScene();
  letGo(scratch, 'checks');
  const first = scratch.start(HELD_JOB);
  const [agent = ''] = await untilBegun(scratch, 'agents', 1);
  expect(await stopEngine(scratch, 'leave')).toBe(first.pid);
  const left = await first.done;
  expect([left.code, left.stderr]).toEqual([
    130,
    expect.stringMatching(/has ended; no work is lost.*manyhands resume/),
  ]);
  expect(isAlive(scratch, agent)).toBe(true);
  const document = await resume(scratch, () => letGo(scratch, 'agents'));
  expect(document).toMatchObject({ status: 'done', cost: 0.01, tasks: [{ attempts: 1 }] });
  expect(begun(scratch, 'agents')).toEqual([agent]);
});

it('collects what an agent finished while no engine was running', async () => {
  await using scratch = await makeHeldScene();
  letGo(scratch, 'checks');
  const first = scratch.start(HELD_JOB);
  const [agent = ''] = await untilBegun(scratch, 'agents', 1);
  await stopEngine(scratch, 'leave');
  await first.done;
  letGo(scratch, 'agents');
  await waitForExit(scratch, agent);
  expect(await resume(scratch)).toMatchObject({ status: 'done', cost: 0.01, tasks: [{ attempts: 1 }] });
});

it('ends a running check, and the next engine runs it again', async () => {
  await using scratch = await makeHeldScene();
  letGo(scratch, 'agents');
  const first = scratch.start(HELD_JOB);
  const [check = ''] = await untilBegun(scratch, 'checks', 1);
  await stopEngine(scratch, 'leave');
  expect((await first.done).code).toBe(130);
  expect(isAlive(scratch, check)).toBe(false);
  const document = await resume(scratch, async () => {
    await untilBegun(scratch, 'checks', 2);
    letGo(scratch, 'checks');
  });
  expect(document.status).toBe('done');
  expect(await scratch.leftovers()).toEqual([]);
});

it('also stops the agents on request, and saves their work', async () => {
  await using scratch = await makeHeldScene();
  letGo(scratch, 'checks');
  const first = scratch.start(HELD_JOB);
  const [agent = ''] = await untilBegun(scratch, 'agents', 1);
  await stopEngine(scratch, 'stop');
  expect((await first.done).code).toBe(130);
  expect(isAlive(scratch, agent)).toBe(false);
  letGo(scratch, 'agents');
  const document = await resume(scratch);
  expect(document).toMatchObject({ status: 'done', tasks: [{ attempts: 2 }] });
  expect(runGit(mirrorOf(scratch), ['show', `refs/manyhands/attempts/${document.run}-1-1/1:work.txt`])).toBe('half\n');
});

it('loses nothing and pays nothing twice, wherever in a run engine after engine is stopped', {
  timeout: 300_000,
}, async () => {
  await using scratch = await makeScene();
  const before = await scratch.fingerprint();
  const ledger = join(scratch.root, 'ledger');
  const paid = () => (existsSync(ledger) ? readFileSync(ledger, 'utf8').split('\n').length - 1 : 0);
  const seen = new Set<string>();
  let args: readonly string[] = GOAL;
  for (const attempts of [1, 2, 4, 5, 6]) {
    const engine = scratch.start(args);
    const over = engine.done.then(() => true);
    while (paid() < attempts && !(await Promise.race([over, pause(5, false)])));
    await stopEngine(scratch, 'leave').catch(() => {});
    const { code, stderr } = await engine.done;
    expect([0, 130], stderr).toContain(code);
    for (const commit of seenCommits(scratch)) seen.add(commit);
    args = ['resume', '--json'];
  }
  const { code, stderr } = await scratch.mh(args);
  expect(code, stderr).toBe(0);
  await checkInvariants(scratch, { before, seen, paid: PAID_ATTEMPTS, movesBase: false });
});

it('reports that there is no engine to stop, and starts none', async () => {
  await using scratch = await makeHeldScene();
  await expect(stopEngine(scratch, 'leave')).rejects.toMatchObject({ code: 'ENGINE_NONE' });
});
