import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { liveness, ProcessIdentity } from '../../src/process/identity.ts';
import { ending } from '../../src/process/launch.ts';
import { thisMachine } from '../../src/process/machine.ts';
import { sweep, type Target } from '../../src/process/terminate.ts';
import { realWorld } from '../../src/world.ts';
import { until } from '../support/until.ts';
import { readIfThere, temporaryFolder, waitForOutput } from './launching.ts';

const ENGINE = join(import.meta.dirname, 'fixtures', 'engine.ts');

type Started = { engine: ChildProcess; target: Target };

/** Launches a script by another engine, which stays. */
async function startElsewhere(script: string, mode = 'go'): Promise<Started> {
  const folder = temporaryFolder();
  const token = realWorld.token();
  const engine = spawn(process.execPath, [ENGINE, folder, token, script, mode], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [chunk] = await once(engine.stdout, 'data');
  const target = { identity: ProcessIdentity.parse(JSON.parse(String(chunk))), folder, token };
  onTestFinished(async () => {
    engine.kill('SIGKILL');
    await sweep(target);
  });
  return { engine, target };
}

async function killNow(engine: ChildProcess): Promise<void> {
  engine.kill('SIGKILL');
  await once(engine, 'exit');
}

/** Waits in the script until the test says so. */
const HOLD = 'mkfifo hold; echo waiting; read x < hold;';

async function release({ folder }: Target): Promise<void> {
  await waitForOutput(join(folder, 'stdout'), /waiting/);
  writeFileSync(join(folder, 'hold'), 'go\n');
}

test('a program outlives its engine, and another one gets its output and exit code', async () => {
  const { engine, target } = await startElsewhere(`${HOLD} echo finished; exit 6`);
  await waitForOutput(join(target.folder, 'stdout'), /waiting/);
  await killNow(engine);
  expect(liveness(target.identity)).toBe('alive');
  const end = ending(target.folder, target.identity);
  await release(target);
  expect(await end).toEqual({ kind: 'exited', code: 6 });
  expect(readFileSync(join(target.folder, 'stdout'), 'utf8')).toBe('waiting\nfinished\n');
});

test('an exit code behind a pipe or a link is not read, so that the end is not known', async () => {
  for (const replace of ['mkfifo', 'echo 0 > other; ln -s other']) {
    const { engine, target } = await startElsewhere(`${HOLD} kill -9 $PPID`);
    await waitForOutput(join(target.folder, 'stdout'), /waiting/);
    await killNow(engine);
    execFileSync('sh', ['-c', `rm -f exit; ${replace} exit`], { cwd: target.folder });
    const end = ending(target.folder, target.identity);
    await release(target);
    expect(await end).toEqual({ kind: 'interrupted' });
  }
});

test('an adopted program whose group is killed was interrupted', async () => {
  const { engine, target } = await startElsewhere(`${HOLD} exit 0`);
  await waitForOutput(join(target.folder, 'stdout'), /waiting/);
  await killNow(engine);
  const end = ending(target.folder, target.identity);
  process.kill(-target.identity.pid, 'SIGKILL');
  expect(await end).toEqual({ kind: 'interrupted' });
});

test('the ending of a program that ended without an engine is reported at once', async () => {
  const { engine, target } = await startElsewhere(`${HOLD} exit 6`);
  await waitForOutput(join(target.folder, 'stdout'), /waiting/);
  await killNow(engine);
  await release(target);
  await until(() => liveness(target.identity) === 'gone', 'the shim is gone');
  expect(await ending(target.folder, target.identity)).toEqual({ kind: 'exited', code: 6 });
});

test('a shim of another pid namespace is gone when no process holds its FIFO', async () => {
  const { target } = await startElsewhere('exit 6');
  const elsewhere = { ...target.identity, pidNamespace: 'pid:[1]' };
  expect(await ending(target.folder, elsewhere)).toEqual({ kind: 'exited', code: 6 });
});

test('a program never starts when its engine dies before go', async () => {
  const { engine, target } = await startElsewhere('echo started', 'stay');
  await killNow(engine);
  expect(await ending(target.folder, target.identity)).toEqual({ kind: 'interrupted' });
  expect(readFileSync(join(target.folder, 'stdout'), 'utf8')).toBe('');
});

for (const [point, isStarted] of [
  ['process.spawning', false],
  ['process.spawned', false],
  ['process.starting', false],
  ['process.started', true],
] as const) {
  test(`an engine that crashes at ${point} leaves ${isStarted ? 'a running program' : 'no program'}`, async () => {
    const folder = temporaryFolder();
    const token = realWorld.token();
    const env = { ...process.env, MANYHANDS_CRASH: `${point}:1` };
    const engine = spawn(process.execPath, [ENGINE, folder, token, 'echo started'], { env, stdio: 'ignore' });
    expect(await once(engine, 'exit')).toEqual([null, 'SIGKILL']);
    if (isStarted) await waitForOutput(join(folder, 'stdout'), /started/);
    const [pid = '', startTime = ''] = readIfThere(join(folder, 'identity')).split(/\s/);
    const machine = thisMachine();
    if (machine === undefined) throw new Error('no machine');
    const identity = { ...machine, pid: Number(pid), startTime };
    await until(() => liveness(identity) === 'gone', 'the shim is gone');
    await sweep({ identity, folder, token });
    expect(readIfThere(join(folder, 'stdout'))).toBe(isStarted ? 'started\n' : '');
    expect(/^\d+/.exec(readIfThere(join(folder, 'exit')))?.[0]).toBe(isStarted ? '0' : undefined);
  });
}
