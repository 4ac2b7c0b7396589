import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { expectContainment } from '../support/contained.ts';
import { SANDBOX } from '../support/sandbox.ts';
import { runCrashCase } from './crash-case.ts';
import { begun, HELD_JOB, isAlive, letGo, makeHeldScene, untilBegun, untilPassed } from './held-agent.ts';
import { GOAL, PAID_ATTEMPTS } from './scenario.ts';

/** MANYHANDS_TEST_SANDBOX=require runs the whole crash suite like this. */
describe.skipIf(SANDBOX.missing)(`${SANDBOX.title}, after a kill of the engine, a restart`, () => {
  it('settles, and every attempt was contained', { timeout: 300_000 }, async () => {
    await runCrashCase({ args: GOAL, paid: PAID_ATTEMPTS, crash: { point: 'attempt.going', hit: 4 }, contained: true });
  });

  it('adopts the agent that works', { timeout: 300_000 }, async () => {
    await using scratch = await makeHeldScene(true);
    letGo(scratch, 'checks');
    const first = scratch.start(HELD_JOB);
    const [agent = ''] = await untilBegun(scratch, 'agents', 1);
    first.kill('SIGKILL');
    await first.done;
    expect(isAlive(scratch, agent)).toBe(true);
    const trace = join(scratch.root, 'trace');
    const resumed = scratch.start(['resume', '--json'], { env: { MANYHANDS_CRASH_TRACE: trace } });
    await untilPassed(trace, 'attempt.adopting');
    letGo(scratch, 'agents');
    const { json, stderr } = await resumed.done;
    const [run] = RunDocument.array().parse(json);
    expect(run, stderr).toMatchObject({ status: 'done', cost: 0.01, tasks: [{ attempts: 1 }] });
    expectContainment(true, { tasks: run?.tasks ?? [] });
    expect(begun(scratch, 'agents')).toEqual([agent]);
    expect(await scratch.leftovers()).toEqual([]);
  });
});
