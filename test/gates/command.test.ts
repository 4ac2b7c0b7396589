import { spawn } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { commandGate } from '../../src/gates/command.ts';
import type { GateInput, GateResult } from '../../src/gates/gate.ts';
import { identify } from '../../src/process/identity.ts';
import { run } from '../../src/process/run.ts';
import { gateContract } from '../contracts/gate.ts';
import { GateBench } from './gate-input.ts';

let bench: GateBench;

beforeAll(async () => {
  bench = await GateBench.make();
});
afterAll(() => bench[Symbol.asyncDispose]());

const spec = (run: string | string[], timeoutMs = 30_000) => ({
  gate: 'command' as const,
  name: 'check',
  run,
  timeoutMs,
});

async function check(
  command: string | string[],
  over: Partial<GateInput> & { timeoutMs?: number; files?: Record<string, string> } = {},
): Promise<GateResult> {
  const { timeoutMs, files, ...input } = over;
  return commandGate.check(spec(command, timeoutMs), await bench.input(files, input));
}

gateContract('command', {
  gate: commandGate,
  spec: spec('test "$(cat answer)" = 42'),
  passing: () => bench.input({ answer: '42' }),
  failing: () => bench.input({ answer: '41' }),
});

describe('the gate command', () => {
  it('passes by exit code 0 only, whatever is printed', async () => {
    expect(await check('echo "Tests: 1 failed"; exit 0')).toMatchObject({
      verdict: 'pass',
      exitCode: 0,
      setup: 'setup-hash',
    });
    expect(await check('echo PASS; exit 1')).toMatchObject({ verdict: 'fail', exitCode: 1, output: 'PASS\n' });
  });

  it('records the command, the number of lines and the file with the complete output', async () => {
    const printed = 'i=0; while [ $i -lt 5000 ]; do echo "line $i"; i=$((i + 1)); done; printf end; exit 1';
    const result = await check(printed);
    expect(result).toMatchObject({ command: printed, exitCode: 1, outputLines: 5_001 });
    const complete = await readFile(result.outputFile ?? '', 'utf8');
    expect(complete.split('\n')).toHaveLength(5_001);
    expect((await stat(result.outputFile ?? '')).mode & 0o777).toBe(0o600);
    expect((await check(['echo', 'it is', 'so'])).command).toBe("echo 'it is' so");
  });

  it('gives arguments of an array to the program as they are, through no shell', async () => {
    const odd = ['a b', '$HOME', '`id`', "it's", '*', '', '-n', 'ü\n'];
    const result = await check([
      process.execPath,
      '-e',
      'console.log(JSON.stringify(process.argv.slice(1)))',
      '--',
      ...odd,
    ]);
    expect(JSON.parse(result.output ?? '')).toEqual(odd);
  });

  it('keeps standard output and standard error in the order in which they came', async () => {
    expect((await check('echo 1; echo 2 >&2; echo 3; echo 4 >&2')).output).toBe('1\n2\n3\n4\n');
  });

  it('runs in the checkout, with nothing to read and exactly the environment it is given', async () => {
    const env = { PATH: process.env.PATH ?? '', GREETING: 'hello' };
    const { output } = await check('cat; ls; env', { files: { 'only-file': '' }, env });
    const lines = (output ?? '').split('\n').filter((line) => !/^(PWD|SHLVL|_|OLDPWD)=/.test(line));
    expect(lines.sort()).toEqual([
      '',
      'GREETING=hello',
      expect.stringMatching(/^MANYHANDS_CHECK=/),
      `PATH=${env.PATH}`,
      'only-file',
    ]);
  });

  it('ends a check that never ends, with all it started, at the time limit', async () => {
    const out = join(bench.folder, 'endless');
    const run = 'echo started; trap "" TERM; sleep 1000 & echo $! >"$OUT"; while :; do sleep 1000; done';
    const result = await check(run, { timeoutMs: 500, env: { PATH: process.env.PATH ?? '', OUT: out } });
    expect(result).toMatchObject({ verdict: 'fail', exitCode: null, output: 'started\n' });
    expect(result.summary).toContain('did not end within 0.5 s');
    expect(identify(Number(await readFile(out, 'utf8')))).toBeUndefined();
  });

  it.each([
    ['in a session of its own', 'setsid sleep 1000 & echo $! >"$OUT"'],
    [
      'by a double fork',
      '( ( setsid sh -c \'echo $$ >"$OUT"; exec sleep 1000\' ) & ) ; while ! test -s "$OUT"; do :; done',
    ],
  ])('ends a daemon that a check leaves %s', async (_how, run) => {
    const out = join(bench.folder, `daemon-${_how.length}`);
    const result = await check(`${run}; exit 0`, { env: { PATH: process.env.PATH ?? '', OUT: out } });
    expect(result.verdict).toBe('pass');
    expect(result.summary).toContain('left running');
    expect(identify(Number(await readFile(out, 'utf8')))).toBeUndefined();
  });

  it('is not passed by a check that is killed by a signal', async () => {
    const result = await check('kill -9 $$');
    expect(result).toMatchObject({ verdict: 'fail', exitCode: 137 });
    expect(result.summary).toContain('SIGKILL');
  });

  it('is not passed by a check that ends its supervisors and writes their exit code itself', async () => {
    const forge = `
      const { readFileSync, writeFileSync, readdirSync } = require('node:fs');
      const parent = (pid) => Number(readFileSync('/proc/' + pid + '/stat', 'utf8').split(') ')[1].split(' ')[1]);
      const wrapper = process.ppid, shim = parent(wrapper);
      const folder = readFileSync('/proc/' + shim + '/cmdline', 'utf8').split('\\0')[4];
      process.kill(shim, 'SIGKILL'); process.kill(wrapper, 'SIGKILL');
      writeFileSync(folder + '/exit', '0\\n');
      for (const name of readdirSync(folder)) if (name === 'proof') writeFileSync(folder + '/proof', readFileSync(folder + '/proof', 'utf8') || 'yes');
      process.exit(1);`;
    const result = await check([process.execPath, '-e', forge]);
    expect(result).toMatchObject({ verdict: 'error', exitCode: 0, summary: expect.stringContaining('not its own') });
  });

  it('says error when the program of an array does not exist, and fail when a script of the candidate does not', async () => {
    expect(await check(['no-such-program', 'x'])).toMatchObject({ verdict: 'error', exitCode: null });
    expect(await check(['./check.sh'])).toMatchObject({ verdict: 'fail', exitCode: 127 });
    expect(await check(['./check.sh'], { files: { 'check.sh': 'not executable' } })).toMatchObject({
      verdict: 'fail',
      exitCode: 126,
    });
    expect((await check('no-such-program')).summary).toContain('not found');
  });

  it('says error when there is no checkout to run in', async () => {
    const checkout = async () => {
      throw new AppError('NO_SPACE', 'No space left while checking out');
    };
    expect(await check('true', { checkout })).toMatchObject({
      verdict: 'error',
      summary: expect.stringContaining('No space left'),
    });
  });

  it('keeps the first and the last lines of a flood, and its verdict', async () => {
    const flood = 'echo first; head -c 20000000 /dev/zero | tr "\\0" x | fold -w 99; echo; echo last; exit 3';
    const result = await check(flood);
    expect(result).toMatchObject({ verdict: 'fail', exitCode: 3 });
    expect(Buffer.byteLength(result.output ?? '')).toBeLessThanOrEqual(16 * 1024);
    expect(result.output).toMatch(/^first\nx+\n[\s\S]*omitted[\s\S]*\nx+\nlast\n$/);
  });

  it('removes the checkout and keeps the raw output', async () => {
    const input = await bench.input();
    await commandGate.check(spec('echo kept'), input);
    expect(await readFile(join(input.folder, 'stdout'), 'utf8')).toBe('kept\n');
    await expect(stat(join(input.folder, '..', 'checkout'))).rejects.toThrow('ENOENT');
  });

  it('leaves nothing behind when it is cancelled under way', async () => {
    const controller = new AbortController();
    const fifo = join(bench.folder, 'started');
    await run(['mkfifo', fifo], { env: { PATH: process.env.PATH ?? '' }, timeoutMs: 10_000 });
    const env = { PATH: process.env.PATH ?? '', FIFO: fifo };
    const input = await bench.input({}, { signal: controller.signal, env });
    const result = commandGate.check(spec('echo $$ >"$FIFO"; sleep 1000'), input);
    const pid = Number(await readFile(fifo, 'utf8'));
    expect(identify(pid)).toBeDefined();
    controller.abort(new Error('cancelled by the test'));
    await expect(result).rejects.toThrow('cancelled by the test');
    expect(identify(pid)).toBeUndefined();
    await expect(stat(join(input.folder, '..', 'checkout'))).rejects.toThrow('ENOENT');
  });

  it('ends what an engine that died had started in the same folder, and runs again', async () => {
    const input = await bench.input();
    const dead = await abandonedCheck(input.folder);
    expect(identify(dead)).toBeDefined();
    expect((await commandGate.check(spec('true'), input)).verdict).toBe('pass');
    expect(identify(dead)).toBeUndefined();
  });
});

it('judges no check whose output was lost, whatever its exit code', async () => {
  const input = await bench.input();
  const kill = `for fd in /proc/[0-9]*/fd/0; do
    [ "$(readlink "$fd")" = '${input.folder}/stdout.pipe' ] && pid=\${fd#/proc/} && kill -9 "\${pid%%/*}"
  done;`;
  for (const code of [0, 1]) {
    const { verdict, summary } = await commandGate.check(spec(`trap '' PIPE; ${kill} exit ${code}`), input);
    expect([verdict, summary]).toEqual(['error', expect.stringContaining('what stores its output was ended')]);
  }
});

/** Starts a check in another engine, which is killed while it runs; gives the number of the check's process. */
async function abandonedCheck(folder: string): Promise<number> {
  const fifo = join(bench.folder, 'abandoned');
  await run(['mkfifo', fifo], { env: { PATH: process.env.PATH ?? '' }, timeoutMs: 10_000 });
  const program = `
    import { runSupervised } from ${JSON.stringify(new URL('../../src/process/supervised.ts', import.meta.url).href)};
    await runSupervised({
      folder: ${JSON.stringify(folder)},
      command: ['sh', '-c', 'echo $$ >"$FIFO"; exec sleep 1000'],
      cwd: '/',
      env: { PATH: process.env.PATH, FIFO: ${JSON.stringify(fifo)} },
      timeoutMs: 60000,
      maxOutputBytes: 1000000,
      signal: new AbortController().signal,
    });`;
  const engine = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' });
  const ended = new Promise((resolve) => engine.once('exit', resolve));
  const pid = Number(await readFile(fifo, 'utf8'));
  engine.kill('SIGKILL');
  await ended;
  return pid;
}
