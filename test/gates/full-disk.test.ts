import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../src/process/run.ts';

/** Only root may mount a file system that is small enough to be filled. */
const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const PROGRAM = `
  import { mkdirSync } from 'node:fs';
  import { commandGate } from ${JSON.stringify(new URL('../../src/gates/command.ts', import.meta.url).href)};
  const [disk, command] = process.argv.slice(1);
  mkdirSync(disk + '/checkout');
  const result = await commandGate.check({ gate: 'command', name: 'check', run: command, timeoutMs: 30000 }, {
    changed: [], folder: disk + '/output', env: { PATH: process.env.PATH }, signal: new AbortController().signal,
    checkout: async () => ({ path: disk + '/checkout', setup: '', [Symbol.asyncDispose]: async () => {} }),
  });
  console.log(JSON.stringify(result));`;

let disk: string;
beforeAll(async () => {
  disk = await mkdtemp(join(tmpdir(), 'disk-'));
});
afterAll(() => rm(disk, { recursive: true }));

async function checkOnSmallDisk(command: string): Promise<unknown> {
  const script = 'mount -t tmpfs -o size=2m,mode=0700 tmpfs "$0" && exec "$@"';
  const node = [process.execPath, '--input-type=module', '-e', PROGRAM, disk, command];
  const env = { PATH: process.env.PATH ?? '' };
  const result = await run(['unshare', '-m', 'sh', '-c', script, disk, ...node], { env, timeoutMs: 30_000 });
  return JSON.parse(result.stdout.toString());
}

describe('on a full disk', () => {
  it.runIf(isRoot)('a failing check is no verdict on the work', async () => {
    const result = await checkOnSmallDisk('head -c 9000000 /dev/zero >big; exit 1');
    expect(result).toMatchObject({ verdict: 'error', summary: expect.stringContaining('the disk is full') });
  });

  it.runIf(isRoot)('a check whose success cannot be written down has not passed', async () => {
    const result = await checkOnSmallDisk('head -c 9000000 /dev/zero >big; exit 0');
    expect(result).toMatchObject({ verdict: 'error', summary: expect.stringContaining('the disk is full') });
  });
});
