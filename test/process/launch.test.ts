import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { liveness, ProcessIdentity } from '../../src/process/identity.ts';
import { ending } from '../../src/process/launch.ts';
import { sweep } from '../../src/process/terminate.ts';
import { realWorld } from '../../src/world.ts';
import { until } from '../support/until.ts';
import { launchIn, PATH, start, temporaryFolder, waitForOutput } from './launching.ts';

const ENGINE = join(import.meta.dirname, 'fixtures', 'engine.ts');
const PRINT = 'console.log(JSON.stringify([process.env, process.argv.slice(1), process.cwd()]))';

function output(folder: string): string {
  return readFileSync(join(folder, 'stdout'), 'utf8');
}

test('the program starts only at go, when the identity of its shim is known', async () => {
  const { identity, go, target } = await launchIn(['sh', '-c', 'echo started; exit 7']);
  expect(liveness(identity)).toBe('alive');
  expect(readFileSync(join(target.folder, 'identity'), 'utf8')).toBe(`${identity.pid} ${identity.startTime}\n`);
  expect(output(target.folder)).toBe('');
  go();
  expect(await ending(target.folder, identity)).toEqual({ kind: 'exited', code: 7 });
  expect(output(target.folder)).toBe('started\n');
});

test('output and exit code are readable only by the user', async () => {
  const target = await start('echo out');
  await ending(target.folder, target.identity);
  for (const name of ['stdout', 'stderr', 'exit', 'identity', 'alive']) {
    expect([name, statSync(join(target.folder, name)).mode & 0o777]).toEqual([name, 0o600]);
  }
});

test('an abandoned launch never starts its program and counts as interrupted', async () => {
  const { identity, abandon, target } = await launchIn(['sh', '-c', 'echo started']);
  await abandon();
  expect(liveness(identity)).toBe('gone');
  expect(output(target.folder)).toBe('');
  expect(await ending(target.folder, identity)).toEqual({ kind: 'interrupted' });
});

test('a second launch in the folder of an abandoned one is not confused with the first', async () => {
  const first = await launchIn(['true']);
  await first.abandon();
  writeFileSync(join(first.target.folder, 'exit'), '0\n');
  const second = await launchIn(['sh', '-c', 'kill -9 $PPID'], { folder: first.target.folder });
  second.go();
  expect(await ending(first.target.folder, second.identity)).toEqual({ kind: 'interrupted' });
});

test('a missing program ends with 127 and an error message', async () => {
  const { identity, go, target } = await launchIn(['/nowhere/program']);
  go();
  expect(await ending(target.folder, identity)).toEqual({ kind: 'exited', code: 127 });
  expect(readFileSync(join(target.folder, 'stderr'), 'utf8')).toContain('/nowhere/program');
});

test('a missing working folder is refused with the error of the system', async () => {
  await expect(launchIn(['true'], { cwd: '/nowhere' })).rejects.toMatchObject({ code: 'ENOENT' });
});

for (const shell of ['dash', 'bash']) {
  for (const pipeOutput of [false, true]) {
    const real = ['/bin', '/usr/bin'].map((folder) => join(folder, shell)).find(existsSync);
    const how = `${shell}${pipeOutput ? ' and pipes' : ''}`;
    test.skipIf(real === undefined)(
      `passes odd arguments, paths and exactly the environment through ${how}`,
      async () => {
        const sh = join(temporaryFolder(), 'sh');
        symlinkSync(real ?? '', sh);
        const folder = join(temporaryFolder(), `it's "odd" $HOME \n *`);
        mkdirSync(folder);
        const args = ['', ' ', "it's", '"', '$HOME', '`id`', '\\', '*', 'a\nb', '-n', 'ä€', 'a=b'];
        const env = { PATH, x: '$(id)\n', code: '1', folder: "'", EMPTY: '' };
        const spec = { folder, cwd: folder, env, pipeOutput };
        const { identity, go, target } = await launchIn([process.execPath, '-e', PRINT, '--', ...args], spec, {
          shell: sh,
        });
        go();
        expect(await ending(folder, identity)).toEqual({ kind: 'exited', code: 0 });
        expect(JSON.parse(output(folder))).toEqual([{ ...env, MANYHANDS_TOKEN: target.token }, args, folder]);
      },
    );
  }
}

test('a command with the name of a shell builtin is the program of that name', async () => {
  const { identity, go, target } = await launchIn(['echo', '--version']);
  go();
  await ending(target.folder, identity);
  expect(output(target.folder)).not.toBe('--version\n');
});

test('a variable that a shell would lose is refused', async () => {
  await expect(launchIn(['true'], { env: { 'odd.name': '1' } })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
});

test('the program reads the given file as its input, and nothing without one', async () => {
  const stdin = join(temporaryFolder(), 'prompt');
  writeFileSync(stdin, 'the prompt');
  const given = await start('cat', { stdin });
  await ending(given.folder, given.identity);
  expect(output(given.folder)).toBe('the prompt');
  const none = await start('cat');
  expect(await ending(none.folder, none.identity)).toEqual({ kind: 'exited', code: 0 });
});

test('the program ignores no signal and inherits none of our descriptors, whatever our parent ignored', async () => {
  const folder = temporaryFolder();
  const token = realWorld.token();
  writeFileSync(join(folder, 'stdout'), '');
  const script =
    'grep SigIgn /proc/self/status; for n in 3 8 9; do ls /proc/$$/fd/$n; done; echo umask $(umask); exit 1';
  const args = ['-c', `trap '' HUP INT QUIT TERM; exec "$@"`, 'sh', process.execPath, ENGINE, folder, token, script];
  const engine = spawn('sh', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const [chunk] = await once(engine.stdout, 'data');
  const identity = ProcessIdentity.parse(JSON.parse(String(chunk)));
  await ending(folder, identity);
  engine.kill('SIGKILL');
  await once(engine, 'exit');
  await sweep({ identity, folder, token });
  const umask = process.umask().toString(8).padStart(4, '0');
  expect(output(folder)).toBe(`SigIgn:\t${'0'.repeat(16)}\numask ${umask}\n`);
});

test('a program that truncates its output through /dev/stdout loses nothing when it is piped', async () => {
  const target = await start('echo one; echo two > /dev/stdout; echo three; echo oops > /dev/stderr; exit 4', {
    pipeOutput: true,
  });
  expect(await ending(target.folder, target.identity)).toEqual({ kind: 'exited', code: 4 });
  expect(output(target.folder)).toBe('one\ntwo\nthree\n');
  expect(readFileSync(join(target.folder, 'stderr'), 'utf8')).toBe('oops\n');
});

test('everything that was piped is in the file at the ending', async () => {
  const target = await start('yes | head -c 5000000', { pipeOutput: true });
  await ending(target.folder, target.identity);
  expect(statSync(join(target.folder, 'stdout')).size).toBe(5_000_000);
});

test('a program that closes its output early still ends with its own code', async () => {
  for (const pipeOutput of [false, true]) {
    const target = await start('echo out; exec >&- 2>&-; exit 5', { pipeOutput });
    expect(await ending(target.folder, target.identity)).toEqual({ kind: 'exited', code: 5 });
    expect(output(target.folder)).toBe('out\n');
  }
});

test('a daemon that keeps the piped output open does not keep the program from ending', async () => {
  const target = await start('echo out; sleep 60 & exit 0', { pipeOutput: true });
  expect(await ending(target.folder, target.identity)).toEqual({ kind: 'exited', code: 0 });
  expect(output(target.folder)).toBe('out\n');
});

test('a flood of output stops at the limit, and the program with it', async () => {
  for (const pipeOutput of [false, true]) {
    const target = await start('yes', { maxFileBytes: 100_000, pipeOutput });
    const end = await ending(target.folder, target.identity);
    expect(end.kind === 'exited' && end.code).toBeGreaterThan(0);
    expect(statSync(join(target.folder, 'stdout')).size).toBeLessThanOrEqual(100_352);
  }
});

test('a program that removes its folder is interrupted, not lost', async () => {
  const { identity, go, target } = await launchIn(['sh', '-c', 'rm -r "$0"', temporaryFolder()], {});
  rmSync(join(target.folder, 'alive'));
  go();
  expect(await ending(target.folder, identity)).toEqual({ kind: 'exited', code: 0 });
  const second = await launchIn(['sh', '-c', 'rm -r "$PWD"'], { env: { PWD: '' } });
  second.go();
  expect(await ending(second.target.folder, second.identity)).toEqual({ kind: 'interrupted' });
});

test('waiting for an ending can be aborted, and the program continues', async () => {
  const { identity, go, target } = await launchIn(['sleep', '60']);
  go();
  const stop = new AbortController();
  const waiting = ending(target.folder, identity, stop.signal);
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  expect(liveness(identity)).toBe('alive');
});

test('a shim that has ended before its FIFO is opened counts as gone, even if another process holds the FIFO', async () => {
  const target = await start('sleep 60 5<>alive & exit 2');
  await until(() => liveness(target.identity) === 'gone', 'the shim is gone');
  expect(await ending(target.folder, target.identity)).toEqual({ kind: 'exited', code: 2 });
});

test('a shim that fails is reported with its error output', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'bin'));
  const shell = join(folder, 'bin', 'sh');
  writeFileSync(shell, '#!/bin/sh\necho no room >&2\nexit 125\n', { mode: 0o755 });
  await expect(launchIn(['true'], { folder }, { shell })).rejects.toThrow('did not start: no room');
});

test('the exit code of a program that filled the disk is recorded', async () => {
  const disk = temporaryFolder();
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=128k', 'tmpfs', disk]).status !== 0) return;
  try {
    const command = ['sh', '-c', 'cat /dev/zero >fill 2>/dev/null; exit 7'];
    const { identity, go, target } = await launchIn(command, { folder: join(disk, 'launch'), cwd: disk });
    go();
    expect(await ending(target.folder, identity)).toMatchObject({ kind: 'exited', code: 7 });
    writeFileSync(join(target.folder, 'exit'), '');
    expect(await ending(target.folder, identity)).toMatchObject({ kind: 'interrupted', hasEnded: true });
  } finally {
    spawnSync('umount', [disk]);
  }
});

test('a forged exit code does not count while the shim is running', async () => {
  const target = await start('printf "0\\n" > exit; echo planted; sleep 60; exit 9');
  await waitForOutput(join(target.folder, 'stdout'), /planted/);
  let isOver = false;
  const end = ending(target.folder, target.identity).finally(() => {
    isOver = true;
  });
  await until(() => readFileSync(join(target.folder, 'exit'), 'utf8').startsWith('0'), 'the code is there');
  expect(isOver).toBe(false);
  process.kill(-target.identity.pid, 'SIGTERM');
  expect(await end).toMatchObject({ kind: 'exited' });
});
