import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ending } from '../../src/process/launch.ts';
import { terminate } from '../../src/process/terminate.ts';
import { launchIn, start, temporaryFolder, waitForOutput } from './launching.ts';

/** Kills what copies one stream: the only `cat` that reads its pipe. */
const KILL_COPIER = (pipe: string) => `
for fd in /proc/[0-9]*/fd/0; do
  [ "$(readlink "$fd")" = "$LAUNCH/${pipe}" ] && pid=\${fd#/proc/} && kill -9 "\${pid%%/*}"
done; `;

describe('output that is piped', () => {
  test('is complete after a usual end, and after a program that ended with an error', async () => {
    for (const script of ['echo out; echo oops >&2', 'echo out; exit 3']) {
      const target = await start(script, { pipeOutput: true });
      expect(await ending(target.folder, target.identity)).not.toHaveProperty('lost');
    }
  });

  test.each([
    ['stdout', 'stdout.pipe'],
    ['stderr', 'stderr.pipe'],
  ] as const)('is lost where the copier of %s is killed, although the program ends well', async (file, pipe) => {
    const folder = temporaryFolder();
    const env = { LAUNCH: folder };
    const target = await start(`trap '' PIPE; echo one; ${KILL_COPIER(pipe)} echo two 2>&- || exit 0`, {
      ...{ folder, env, pipeOutput: true },
    });
    expect(await ending(target.folder, target.identity)).toEqual({
      kind: 'exited',
      code: 0,
      lost: [{ file, because: 'ended' }],
    });
  });

  test('is lost where what waits for the copiers is killed too', async () => {
    const script =
      'trap "" PIPE; for pid in $(cat /proc/$PPID/task/$PPID/children); do [ $pid = $$ ] || kill -9 $pid; done; exit 0';
    const target = await start(script, { pipeOutput: true });
    const end = await ending(target.folder, target.identity);
    expect(end.lost?.map(({ because }) => because)).toEqual(['ended', 'ended']);
  });

  test('is complete while a leftover child still holds it', async () => {
    const target = await start('echo out; sleep 60 & exit 0', { pipeOutput: true });
    expect(await ending(target.folder, target.identity)).toEqual({ kind: 'exited', code: 0 });
  });

  test('is complete where the program was asked to exit, although what it wrote last was long', async () => {
    const script = 'trap "head -c 60000 /dev/zero; exit 4" TERM; echo ready; while :; do sleep 0.05; done';
    const target = await start(script, { pipeOutput: true });
    await waitForOutput(join(target.folder, 'stdout'), /ready/);
    await terminate(target, { graceMs: 5_000 });
    expect(await ending(target.folder, target.identity)).toEqual({ kind: 'exited', code: 4 });
    expect(readFileSync(join(target.folder, 'stdout')).length).toBe(60_006);
  });

  test('says that the limit of its file is why it is not complete', async () => {
    const target = await start('yes', { maxFileBytes: 100_000, pipeOutput: true });
    const { lost } = await ending(target.folder, target.identity);
    expect(lost).toEqual([{ file: 'stdout', because: 'limit' }]);
  });
});

describe('output on a disk that is full', () => {
  test.each([
    ['through a pipe', true],
    ['to its file', false],
  ])('is noticed where it is written %s and the program ignores it', async (_, pipeOutput) => {
    const disk = temporaryFolder();
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=128k', 'tmpfs', disk]).status !== 0) return;
    try {
      const command = ['sh', '-c', 'cat /dev/zero >fill 2>&-; trap "" PIPE; head -c 200000 /dev/zero 2>&-; exit 0'];
      const { identity, go, target } = await launchIn(command, { folder: join(disk, 'launch'), cwd: disk, pipeOutput });
      go();
      const end = await ending(target.folder, identity);
      expect(end).toEqual({ kind: 'exited', code: 0, lost: [{ file: 'stdout', because: 'disk-full' }] });
    } finally {
      spawnSync('umount', ['--lazy', disk]);
    }
  });
});
