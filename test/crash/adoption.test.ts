import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { RunDocument } from '../../src/schema/document.ts';
import { expectContainment, SHARED_FOLDER } from '../support/contained.ts';
import type { Scratch } from '../support/scratch.ts';
import { begun, HELD_JOB, isAlive, letGo, makeHeldScene, untilBegun, untilPassed, waitForExit } from './held-agent.ts';
import { mirrorOf, runGit } from './seen-commits.ts';

it('adopts an agent that outlived its killed engine, without starting it again', {
  timeout: 300_000,
}, async () => {
  await using scratch = await makeHeldScene();
  const agent = await killWhileAgentWorks(scratch);
  expect(isAlive(scratch, agent)).toBe(true);
  const trace = join(scratch.root, 'trace');
  const resumed = scratch.start(['resume', '--json'], { env: { MANYHANDS_CRASH_TRACE: trace } });
  await untilPassed(trace, 'attempt.adopting');
  letGo(scratch, 'agents');
  expectDone(scratch, await resumed.done, { attempts: 1, cost: 0.01 });
  expect(begun(scratch, 'agents')).toEqual([agent]);
});

it('collects the work of an agent that finished while there was no engine', { timeout: 300_000 }, async () => {
  await using scratch = await makeHeldScene();
  const agent = await killWhileAgentWorks(scratch);
  letGo(scratch, 'agents');
  await waitForExit(scratch, agent);
  expectDone(scratch, await scratch.mh(['resume', '--json']), { attempts: 1, cost: 0.01 });
  expect(begun(scratch, 'agents')).toEqual([agent]);
});

it('does not wait for an agent that has put a pipe in place of its output, and says so', {
  timeout: 300_000,
}, async () => {
  await using scratch = await makeHeldScene();
  await killWhileAgentWorks(scratch);
  const [folder = ''] = readdirSync(join(scratch.home, 'attempts')).map((name) => join(scratch.home, 'attempts', name));
  rmSync(join(folder, 'stdout'));
  execFileSync('mkfifo', [join(folder, 'stdout')]);
  letGo(scratch, 'agents');
  const { json, stderr } = await scratch.mh(['resume', '--json']);
  const reason = expect.stringContaining('stdout was replaced by something that is not a plain file');
  expect(json, stderr).toMatchObject([{ status: 'blocked', tasks: [{ status: 'blocked', attempts: 1, reason }] }]);
});

it('saves the work of a killed agent and lets the next attempt continue from it, without counting a failure', {
  timeout: 300_000,
}, async () => {
  await using scratch = await makeHeldScene();
  await killWhileAgentWorks(scratch);
  await scratch.endAll();
  letGo(scratch, 'agents');
  const { run } = expectDone(scratch, await scratch.mh(['resume', '--json']), { attempts: 2, cost: 0.01 });
  expect(runGit(mirrorOf(scratch), ['show', `refs/manyhands/attempts/${run}-1-1/1:work.txt`])).toBe('half\n');
});

it('adopts an agent although the database has lost what followed the start of its run', {
  timeout: 300_000,
}, async () => {
  await using scratch = await makeHeldScene();
  letGo(scratch, 'checks');
  await scratch.mh(HELD_JOB, { env: { MANYHANDS_CRASH: 'gate.starting:1' } });
  const before = join(scratch.root, 'before');
  const [data, log] = [join(scratch.home, 'manyhands.db'), join(scratch.home, 'manyhands.db-wal')] as const;
  mkdirSync(before);
  for (const file of [data, log]) copyFileSync(file, join(before, basename(file)));
  const first = scratch.start(['resume', '--json']);
  const [agent = ''] = await untilBegun(scratch, 'agents', 1);
  first.kill('SIGKILL');
  await first.done;
  rmSync(`${data}-shm`, { force: true });
  for (const file of [data, log]) copyFileSync(join(before, basename(file)), file);
  const trace = join(scratch.root, 'trace');
  const resumed = scratch.start(['resume', '--json'], { env: { MANYHANDS_CRASH_TRACE: trace } });
  await untilPassed(trace, 'attempt.adopting');
  letGo(scratch, 'agents');
  expectDone(scratch, await resumed.done, { attempts: 1, cost: 0.01 });
  expect(begun(scratch, 'agents')).toEqual([agent]);
});

it('ends an agent of a run that the database has lost, and keeps its work', { timeout: 300_000 }, async () => {
  await using scratch = await makeHeldScene();
  const agent = await killWhileAgentWorks(scratch);
  for (const end of ['-wal', '-shm']) rmSync(join(scratch.home, `manyhands.db${end}`), { force: true });
  expect((await scratch.mh(['resume', '--json'])).json).toEqual([]);
  expect(isAlive(scratch, agent)).toBe(false);
  const { stdout } = await scratch.mh(['doctor']);
  expect(stdout).toContain('no known run');
  expect(await scratch.leftovers()).toEqual([]);
});

it('ends a check that a killed engine left running, and runs it again', { timeout: 300_000 }, async () => {
  await using scratch = await makeHeldScene();
  const first = scratch.start(HELD_JOB);
  const [abandoned = ''] = await untilBegun(scratch, 'checks', 1);
  first.kill('SIGKILL');
  await first.done;
  const resumed = scratch.start(['resume', '--json']);
  await untilBegun(scratch, 'checks', 2);
  expect(isAlive(scratch, abandoned)).toBe(false);
  letGo(scratch, 'checks');
  letGo(scratch, 'agents');
  expectDone(scratch, await resumed.done, { attempts: 1, cost: 0.01 });
  expect(await scratch.leftovers()).toEqual([]);
});

async function killWhileAgentWorks(scratch: Scratch): Promise<string> {
  letGo(scratch, 'checks');
  const first = scratch.start(HELD_JOB);
  const [agent = ''] = await untilBegun(scratch, 'agents', 1);
  first.kill('SIGKILL');
  await first.done;
  return agent;
}

function expectDone(
  scratch: Scratch,
  { code, json, stderr }: { code: number | null; json: unknown; stderr: string },
  expected: { attempts: number; cost: number },
): RunDocument {
  expect(code, stderr).toBe(0);
  const [document] = z.array(RunDocument).parse(json);
  if (document === undefined) throw new Error('Nothing was resumed');
  expectContainment(scratch.isContained, document);
  expect(document).toMatchObject({ status: 'done', cost: expected.cost, tasks: [{ attempts: expected.attempts }] });
  return document;
}

it('lands work whose commit was lost with its mirror from the kept workspace, without paying for it again', {
  timeout: 300_000,
}, async () => {
  await using scratch = await makeHeldScene();
  const running = scratch.start(HELD_JOB);
  // The check on the base, then the one on the candidate.
  await untilBegun(scratch, 'checks', 1);
  letGo(scratch, 'checks');
  await untilBegun(scratch, 'agents', 1);
  rmSync(join(scratch.root, SHARED_FOLDER, 'checks-go'));
  letGo(scratch, 'agents');
  await untilBegun(scratch, 'checks', 2);
  running.kill('SIGKILL');
  await running.done;
  rmSync(join(scratch.home, 'mirrors'), { recursive: true });
  letGo(scratch, 'checks');
  const resumed = await scratch.mh(['resume', '--json']);
  expect(resumed.json, resumed.stderr).toMatchObject([{ status: 'done', tasks: [{ attempts: 1 }] }]);
  expect(begun(scratch, 'agents')).toHaveLength(1);
  expect(scratch.git('show', `mh/${RunDocument.array().parse(resumed.json)[0]?.run}:work.txt`)).toBe('whole');
});
