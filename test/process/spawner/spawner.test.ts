import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identify, liveness } from '../../../src/process/identity.ts';
import { run } from '../../../src/process/run.ts';
import { Spawner } from '../../../src/process/spawner/spawner.ts';
import { realWorld } from '../../../src/world.ts';
import { until } from '../../support/until.ts';
import { PATH, temporaryFolder, waitForOutput } from '../launching.ts';

const options = { env: { PATH }, timeoutMs: 20_000, isRepeatable: true };

/** A spawner that has started a program already. */
async function startedSpawner(): Promise<Spawner & { pid: number }> {
  const spawner = new Spawner({ after: 0 });
  await run(['true'], { ...options, spawner });
  return spawner as Spawner & { pid: number };
}

test('is the parent of programs that may run twice, and of no others', async () => {
  const spawner = await startedSpawner();
  const parent = ['sh', '-c', 'echo $PPID'];
  expect((await run(parent, { ...options, spawner })).stdout.toString()).toBe(`${spawner.pid}\n`);
  const own = await run(parent, { ...options, isRepeatable: false, spawner });
  expect(own.stdout.toString()).toBe(`${process.pid}\n`);
});

test('is not started for a process that starts few programs', async () => {
  const spawner = new Spawner({ after: 2 });
  for (let count = 0; count < 2; count += 1) await run(['true'], { ...options, spawner });
  expect(spawner.pid).toBeUndefined();
  await run(['true'], { ...options, spawner });
  expect(spawner.pid).toBeGreaterThan(0);
});

test('is not needed: without perl this process starts its programs', async () => {
  const spawner = new Spawner({ after: 0, program: '/nowhere/perl' });
  expect((await run(['echo', 'one'], { ...options, spawner })).stdout.toString()).toBe('one\n');
});

test('runs many programs at once, each with its own output and input', async () => {
  const spawner = await startedSpawner();
  const numbers = Array.from({ length: 250 }, (_, index) => index);
  const results = await Promise.all(
    numbers.map((number) =>
      run(['sh', '-c', `cat; echo ${number} >&2; exit ${number % 7}`], { ...options, input: `in ${number}`, spawner }),
    ),
  );
  for (const [number, { code, stdout, stderr }] of results.entries())
    expect([code, stdout.toString(), stderr]).toEqual([number % 7, `in ${number}`, `${number}\n`]);
});

test('reports the ends of programs in different turns of the event loop', async () => {
  const spawner = await startedSpawner();
  let turn = 0;
  const count = () => {
    turn += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const turns = await Promise.all(
    Array.from({ length: 50 }, () => run(['true'], { ...options, spawner }).then(() => turn)),
  );
  clearImmediate(next);
  expect(new Set(turns).size).toBe(50);
});

test('passes on megabytes of output unchanged, and any bytes', async () => {
  const spawner = await startedSpawner();
  const file = join(temporaryFolder(), 'bytes');
  const bytes = Buffer.alloc(3_000_000, Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)));
  writeFileSync(file, bytes);
  const { stdout } = await run(['cat', file], { ...options, spawner });
  expect(stdout.equals(bytes)).toBe(true);
  const input = bytes.subarray(0, 20_000);
  expect((await run(['cat'], { ...options, input, spawner })).stdout.equals(input)).toBe(true);
});

test('leaves input to this process that it could not pass on without waiting', async () => {
  const spawner = await startedSpawner();
  const input = Buffer.alloc(1_000_000, 'x');
  expect((await run(['cat'], { ...options, input, spawner })).stdout.equals(input)).toBe(true);
});

test('when it is killed, its programs end, then run again, and another spawner takes its place', async () => {
  const spawner = await startedSpawner();
  const { pid } = spawner;
  const folder = temporaryFolder();
  const [file, go] = [join(folder, 'starts'), join(folder, 'go')];
  const script = `echo $$ >>${file}; until [ -e ${go} ]; do sleep 0.05; done; echo end >>${file}; echo done`;
  const running = Array.from({ length: 5 }, () => run(['sh', '-c', script], { ...options, spawner }));
  await until(() => lines(file).length === 5, 'all five run');
  process.kill(pid, 'SIGKILL');
  await until(() => spawner.pid === undefined, 'its death is noticed');
  appendFileSync(go, '');
  for (const { code, stdout } of await Promise.all(running)) expect([code, stdout.toString()]).toEqual([0, 'done\n']);
  // Each of the first ones ended before its second one started.
  expect(lines(file).filter((line) => line === 'end')).toHaveLength(10);
  await run(['true'], { ...options, spawner });
  expect(spawner.pid).not.toBe(pid);
  expect(spawner.pid).toBeGreaterThan(0);
});

test('who reads the output of a program as it comes learns that it begins again', async () => {
  const spawner = await startedSpawner();
  const folder = temporaryFolder();
  const [file, go] = [join(folder, 'starts'), join(folder, 'go')];
  const script = `echo first; echo $$ >>${file}; until [ -e ${go} ]; do sleep 0.05; done; echo last`;
  let read = '';
  const onStart = () => {
    read = '';
  };
  const onStdout = (chunk: Buffer) => {
    read += chunk.toString();
  };
  const running = run(['sh', '-c', script], { ...options, maxOutputBytes: 0, onStart, onStdout, spawner });
  await until(() => lines(file).length === 1 && read === 'first\n', 'it has printed something');
  process.kill(spawner.pid, 'SIGKILL');
  await until(() => spawner.pid === undefined, 'its death is noticed');
  appendFileSync(go, '');
  expect(await running).toMatchObject({ code: 0 });
  expect([read, lines(file).length]).toEqual(['first\nlast\n', 2]);
});

test('a program whose effect is there does not run again', async () => {
  const spawner = await startedSpawner();
  const folder = temporaryFolder();
  const [file, go] = [join(folder, 'starts'), join(folder, 'go')];
  const script = `echo start >>${file}; until [ -e ${go} ]; do sleep 0.05; done; echo end >>${file}`;
  const isDone = async () => lines(file).includes('end');
  const running = run(['sh', '-c', script], { ...options, isDone, spawner });
  await until(() => lines(file).length === 1, 'it runs');
  process.kill(spawner.pid, 'SIGKILL');
  await until(() => spawner.pid === undefined, 'its death is noticed');
  appendFileSync(go, '');
  expect(await running).toMatchObject({ code: 0 });
  expect(lines(file)).toEqual(['start', 'end']);
});

test('is given up when it dies three times before a program has ended', async () => {
  const spawner = new Spawner({ after: 0, program: '/bin/true' });
  for (let count = 0; count < 5; count += 1)
    expect((await run(['echo', 'one'], { ...options, spawner })).stdout.toString()).toBe('one\n');
  expect(spawner.start({ command: ['true'], env: {} }, { stdout: () => {}, stderr: () => {} })).toBeUndefined();
});

test('a stopped spawner does not hold a program beyond its time', async () => {
  const spawner = await startedSpawner();
  const { pid } = spawner;
  const file = join(temporaryFolder(), 'pid');
  writeFileSync(file, '');
  const running = run(['sh', '-c', `echo $$ >${file}; exec sleep 60`], { ...options, timeoutMs: 500, spawner });
  await waitForOutput(file, /\d+/);
  process.kill(pid, 'SIGSTOP');
  expect(await running).toMatchObject({ timedOut: true, code: null });
  const identity = identify(pid);
  if (identity) await until(() => liveness(identity) === 'gone', 'it was stopped');
});

test('a spawner that was stopped before a request does not hold it beyond its time, and is replaced', async () => {
  const spawner = await startedSpawner();
  const { pid } = spawner;
  process.kill(pid, 'SIGSTOP');
  const limited = run(['true'], { ...options, timeoutMs: 200, spawner });
  const other = run(['echo', 'one'], { ...options, spawner });
  expect(await limited).toMatchObject({ timedOut: true, code: null });
  expect((await other).stdout.toString()).toBe('one\n');
  await run(['true'], { ...options, spawner });
  expect(spawner.pid).not.toBe(pid);
});

test('a program of a killed spawner that exceeds its time does not end the next spawner', async () => {
  const spawner = await startedSpawner();
  const file = join(temporaryFolder(), 'pid');
  writeFileSync(file, '');
  const output = { stdout: () => {}, stderr: () => {} };
  const program = spawner.start({ command: ['sh', '-c', `echo $$ >${file}; exec sleep 60`], env: { PATH } }, output);
  await waitForOutput(file, /\d+/);
  process.kill(spawner.pid, 'SIGKILL');
  await until(() => spawner.pid === undefined, 'its death is noticed');
  await run(['true'], { ...options, spawner });
  const { pid } = spawner;
  program?.signal('SIGKILL');
  await expect(program?.closed).rejects.toThrow('died');
  await realWorld.sleep(5_500);
  expect(spawner.pid).toBe(pid);
}, 20_000);

const MODULE = new URL('../../../src/process/spawner/spawner.ts', import.meta.url).href;
const OTHER_PROCESS = `const { Spawner } = await import(${JSON.stringify(MODULE)});
  const spawner = new Spawner({ after: 0 });
  const start = (...command) => spawner.start({ command, env: { PATH: '${PATH}' } }, { stdout() {}, stderr() {} }).closed;
  await start('true');
  console.log(spawner.pid);`;

/** A process with a spawner, and what it then does. */
async function otherProcess(script: string): Promise<{ child: ChildProcess; pid: number }> {
  const args = ['--input-type=module', '-e', `${OTHER_PROCESS}${script}`];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 2] });
  return { child, pid: Number(await new Promise((resolve) => child.stdout?.once('data', resolve))) };
}

test('ends with its process, and does not keep it alive', async () => {
  const { child, pid } = await otherProcess('');
  const identity = identify(pid);
  await new Promise((resolve) => child.once('exit', resolve));
  if (identity) await until(() => liveness(identity) === 'gone', 'the spawner has ended');
});

test('ends with a killed process, and starts nothing more for it', async () => {
  const file = join(temporaryFolder(), 'made');
  const { child, pid } = await otherProcess(
    `process.stdin.once('data', () => { void start('touch', ${JSON.stringify(file)}); console.log('requested'); });`,
  );
  const identity = identify(pid);
  process.kill(pid, 'SIGSTOP');
  child.stdin?.write('go');
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  process.kill(pid, 'SIGCONT');
  if (identity) await until(() => liveness(identity) === 'gone', 'the spawner has ended');
  expect(existsSync(file)).toBe(false);
});

function lines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}
