import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { identify, liveness } from '../../src/process/identity.ts';
import { type RunOptions, run as runProgram } from '../../src/process/run.ts';
import { Spawner } from '../../src/process/spawner/spawner.ts';
import { until } from '../support/until.ts';
import { PATH, temporaryFolder, waitForOutput } from './launching.ts';

const options = { env: { PATH }, timeoutMs: 20_000 };
const spawner = new Spawner({ after: 0 });

describe.each([
  ['this process', false],
  ['the spawner', true],
])('a program that %s starts', (_, isRepeatable) => {
  const run = (command: readonly string[], given: RunOptions) =>
    runProgram(command, { ...given, isRepeatable, spawner });

  test('returns output, errors and exit code of a program that fails', async () => {
    const result = await run(['sh', '-c', 'echo out; echo err >&2; exit 3'], options);
    expect(result).toEqual({
      code: 3,
      signal: null,
      stdout: Buffer.from('out\n'),
      stderr: 'err\n',
      timedOut: false,
      truncated: false,
    });
  });

  test('names the signal that ended a program', async () => {
    expect(await run(['sh', '-c', 'kill -9 $$'], options)).toMatchObject({ code: null, signal: 'SIGKILL' });
  });

  test("throws the system's error for a missing program", async () => {
    await expect(run(['/nowhere/program'], options)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('passes exactly the given environment, folder, arguments and input', async () => {
    const cwd = temporaryFolder();
    const env = { PATH, 'odd.name': 'a\nb' };
    const script =
      'process.stdin.pipe(process.stdout); console.log(JSON.stringify([process.env, process.argv.slice(1)]))';
    const command = [process.execPath, '-e', script, '--', "it's", '$HOME', ''];
    const result = await run(command, { ...options, env, cwd, input: 'text' });
    expect(result.stdout.toString()).toBe(`${JSON.stringify([env, ["it's", '$HOME', '']])}\ntext`);
  });

  test('a program that does not read its input is not an error', async () => {
    expect(await run(['true'], { ...options, input: Buffer.alloc(1_000_000) })).toMatchObject({ code: 0 });
  });

  test('drops output beyond the limit and reports that', async () => {
    const result = await run(['sh', '-c', 'yes | head -c 1000000'], { ...options, maxOutputBytes: 1000 });
    expect(result).toMatchObject({ code: 0, truncated: true });
    expect(result.stdout.length).toBe(1000);
  });

  test('ends the whole process group at the time limit, also processes that ignore SIGTERM', async () => {
    const file = join(temporaryFolder(), 'pids');
    const script = `trap '' TERM; sleep 60 & echo $! > ${file}; wait`;
    const result = await run(['sh', '-c', script], { ...options, timeoutMs: 300 });
    expect(result).toMatchObject({ timedOut: true, signal: 'SIGKILL' });
    const child = identify(Number(readFileSync(file, 'utf8')));
    if (child) await until(() => liveness(child) === 'gone', 'the child is gone');
  });

  test('ends the program and throws when it is aborted', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'pid');
    await run(['touch', file], options);
    const stop = new AbortController();
    const running = run(['sh', '-c', `echo $$ > ${file}; exec sleep 60`], { ...options, signal: stop.signal });
    const [pid] = await waitForOutput(file, /\d+/);
    const identity = identify(Number(pid));
    stop.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    expect(identity && liveness(identity)).toBe('gone');
    await expect(run(['true'], { ...options, signal: stop.signal })).rejects.toThrow('enough');
  });

  test('does not wait forever for a leftover child that holds the output open', async () => {
    const result = await run(['sh', '-c', 'echo out; sleep 5 &'], options);
    expect(result).toMatchObject({ code: 0, stdout: Buffer.from('out\n'), timedOut: false });
  });
});
