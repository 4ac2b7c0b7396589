import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { identify, liveness, ProcessIdentity } from '../../../src/process/identity.ts';
import { ending } from '../../../src/process/launch.ts';
import { probeProc } from '../../../src/process/proc-stat.ts';
import { Spawner } from '../../../src/process/spawner/spawner.ts';
import { sweep } from '../../../src/process/terminate.ts';
import { realWorld } from '../../../src/world.ts';
import { until } from '../../support/until.ts';
import { launchIn, temporaryFolder } from '../launching.ts';

const ENGINE = join(import.meta.dirname, '..', 'fixtures', 'engine.ts');

function output(folder: string): string {
  return readFileSync(join(folder, 'stdout'), 'utf8');
}

function lineOf(pid: number) {
  const found = probeProc(pid);
  return found.kind === 'found' ? found.entry : undefined;
}

test('a shim of the spawner has its own session, files and environment, and waits for go', async () => {
  const spawner = new Spawner({ after: 0 });
  const stdin = join(import.meta.dirname, 'spawned-shim.test.ts');
  const { identity, go, target } = await launchIn(
    ['sh', '-c', 'head -1; echo "$MINE $(pwd)"; echo err >&2; exit 7'],
    { env: { MINE: 'a b' }, stdin },
    { spawner },
  );
  expect(lineOf(identity.pid)).toMatchObject({ parent: spawner.pid, session: identity.pid, group: identity.pid });
  expect(output(target.folder)).toBe('');
  go();
  expect(await ending(target.folder, identity)).toEqual({ kind: 'exited', code: 7 });
  const [first, second] = output(target.folder).split('\n');
  expect([first, second]).toEqual([readFileSync(stdin, 'utf8').split('\n')[0], `a b ${target.folder}`]);
  expect(readFileSync(join(target.folder, 'stderr'), 'utf8')).toBe('err\n');
  expect(statSync(join(target.folder, 'stdout')).mode & 0o777).toBe(0o600);
});

test('a program has the same descriptors, whoever started its shim', async () => {
  const lists = [];
  for (const spawner of [new Spawner({ after: 0 }), new Spawner({ after: 1 })]) {
    const { identity, go, target } = await launchIn(['ls', '/proc/self/fd'], {}, { spawner });
    go();
    await ending(target.folder, identity);
    // This process may have inherited others, which the spawner closes.
    lists.push(output(target.folder).match(/^\d$/gm));
  }
  expect(lists[0]).toEqual(lists[1]);
});

test('a program of the spawner inherits nothing that the caller of the engine had open', async () => {
  const folder = temporaryFolder();
  const token = realWorld.token();
  const script = 'for n in 4 20; do ls /proc/$$/fd/$n; done; echo ended';
  const args = [process.execPath, ENGINE, folder, token, script, 'go', 'spawner'];
  const engine = spawn('bash', ['-c', 'exec "$@" 4</ 20</', 'bash', ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const reported = await new Promise<string>((resolve) => engine.stdout.once('data', (data) => resolve(String(data))));
  const { spawner: _, ...identity } = Reported.parse(JSON.parse(reported));
  expect(await ending(folder, identity)).toEqual({ kind: 'exited', code: 0 });
  engine.kill('SIGKILL');
  await sweep({ identity, folder, token });
  expect(output(folder)).toBe('ended\n');
});

test('a spawner that dies before go, or while the program runs, changes nothing for it', async () => {
  for (const moment of ['before go', 'after go']) {
    const spawner = new Spawner({ after: 0 });
    const { identity, go, target } = await launchIn(['sh', '-c', 'sleep 0.3; echo done; exit 5'], {}, { spawner });
    if (moment === 'after go') go();
    process.kill(spawner.pid ?? 0, 'SIGKILL');
    await until(() => spawner.pid === undefined, 'its death is known');
    if (moment === 'before go') go();
    expect(await ending(target.folder, identity)).toEqual({ kind: 'exited', code: 5 });
    expect(output(target.folder)).toBe('done\n');
  }
});

test('a program starts once, at whatever moment of its start the spawner is killed', async () => {
  const spawner = new Spawner({ after: 0 });
  let kills = 0;
  for (let delay = 0; delay < 30; delay += 1) {
    const launching = launchIn(['sh', '-c', 'echo once'], {}, { spawner });
    for (let turn = 0; turn < delay; turn += 1) await new Promise(setImmediate);
    if (spawner.pid !== undefined) {
      kills += 1;
      process.kill(spawner.pid, 'SIGKILL');
    }
    const { identity, go, target } = await launching;
    go();
    expect(await ending(target.folder, identity)).toEqual({ kind: 'exited', code: 0 });
    expect(output(target.folder)).toBe('once\n');
    // So that a spawner is tried again, however many have died.
    if (spawner.pid !== undefined) await launchIn(['true'], {}, { spawner }).then(({ abandon }) => abandon());
  }
  expect(kills).toBeGreaterThan(1);
});

test('an abandoned shim of the spawner never starts its program', async () => {
  const spawner = new Spawner({ after: 0 });
  const { identity, abandon, target } = await launchIn(['sh', '-c', 'echo started'], {}, { spawner });
  expect(lineOf(identity.pid)?.parent).toBe(spawner.pid);
  await abandon();
  expect(liveness(identity)).toBe('gone');
  expect(output(target.folder)).toBe('');
});

test('what cannot be started reports the error of the system', async () => {
  const spawner = new Spawner({ after: 0 });
  const missing = join(temporaryFolder(), 'missing');
  await expect(launchIn(['true'], { cwd: missing }, { spawner })).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(launchIn(['true'], {}, { spawner, shell: missing })).rejects.toMatchObject({ code: 'ENOENT' });
});

test('without perl this process starts the shim', async () => {
  const spawner = new Spawner({ after: 0, program: '/nowhere/perl' });
  const { identity, go, target } = await launchIn(['true'], {}, { spawner });
  expect(lineOf(identity.pid)?.parent).toBe(process.pid);
  go();
  expect(await ending(target.folder, identity)).toEqual({ kind: 'exited', code: 0 });
});

test('whoever connects without the key of a launch gets nothing', async () => {
  const spawner = new Spawner({ after: 0 });
  const before = listenerNames();
  await launchIn(['true'], {}, { spawner }).then(({ abandon }) => abandon());
  const names = listenerNames().filter((each) => !before.includes(each));
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) {
    const socket = connect(`\0${name}`);
    socket.end('wrong\n');
    socket.resume();
    await new Promise((resolve) => socket.on('close', resolve).on('error', () => {}));
  }
  const { identity, go, target } = await launchIn(['true'], {}, { spawner });
  go();
  expect(await ending(target.folder, identity)).toEqual({ kind: 'exited', code: 0 });
});

test('many that connect and name no key neither stay nor hinder a launch', async () => {
  const spawner = new Spawner({ after: 0 });
  const before = listenerNames();
  await launchIn(['true'], {}, { spawner }).then(({ abandon }) => abandon());
  const [name = ''] = listenerNames().filter((each) => !before.includes(each));
  let open = 0;
  const sockets = Array.from({ length: 200 }, () => connect(`\0${name}`));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (const socket of sockets) {
    socket.on('connect', () => (open += 1)).on('close', () => (open -= 1));
    socket.on('error', () => {}).resume();
  }
  await until(() => open > 0 && open <= 64, 'at most 64 of them are open');
  const { identity, go, target } = await launchIn(['true'], {}, { spawner });
  expect(lineOf(identity.pid)?.parent).toBe(spawner.pid);
  go();
  expect(await ending(target.folder, identity)).toEqual({ kind: 'exited', code: 0 });
});

test('a shim that a stopped spawner was to start is started by this process', async () => {
  const spawner = new Spawner({ after: 0, connectMs: 300 });
  await launchIn(['true'], {}, { spawner }).then(({ abandon }) => abandon());
  process.kill(spawner.pid ?? 0, 'SIGSTOP');
  const { identity, go, target } = await launchIn(['sh', '-c', 'echo once'], {}, { spawner });
  expect(lineOf(identity.pid)?.parent).toBe(process.pid);
  go();
  expect(await ending(target.folder, identity)).toEqual({ kind: 'exited', code: 0 });
  expect(output(target.folder)).toBe('once\n');
});

function listenerNames(): string[] {
  return [...readFileSync('/proc/net/unix', 'utf8').matchAll(/@(manyhands-\S+)/g)].map(([, name = '']) => name);
}

const Reported = ProcessIdentity.extend({ spawner: z.number() });

test.each(['go', 'wait'])('after SIGKILL of engine and spawner together, mode %s', async (mode) => {
  const folder = temporaryFolder();
  const token = realWorld.token();
  const script = 'sleep 0.5; echo survived; exit 3';
  const engine = spawn(process.execPath, [ENGINE, folder, token, script, mode, 'spawner'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const reported = await new Promise<string>((resolve) => engine.stdout.once('data', (data) => resolve(String(data))));
  const { spawner, ...identity } = Reported.parse(JSON.parse(reported));
  expect(identify(spawner)).toBeDefined();
  process.kill(spawner, 'SIGKILL');
  engine.kill('SIGKILL');
  const end = await ending(folder, identity);
  await sweep({ identity, folder, token });
  if (mode === 'go') expect([end, output(folder)]).toEqual([{ kind: 'exited', code: 3 }, 'survived\n']);
  else expect([end, output(folder)]).toEqual([{ kind: 'interrupted' }, '']);
});
