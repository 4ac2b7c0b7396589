import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireLock, readLockHolder } from '../../src/store/lock.ts';
import { realWorld } from '../../src/world.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'manyhands-lock-'));
  file = join(folder, 'engine.lock');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('The lock', () => {
  it('is refused to a second caller in the same process, until the first releases it', async () => {
    const first = await acquireLock(file);
    expect(first).toBeDefined();
    expect(await acquireLock(file)).toBeUndefined();
    expect(await acquireLock(file)).toBeUndefined();
    await first?.[Symbol.asyncDispose]();
    const second = await acquireLock(file);
    expect(second).toBeDefined();
    await first?.[Symbol.asyncDispose]();
    expect(await acquireLock(file)).toBeUndefined();
    await second?.[Symbol.asyncDispose]();
  });

  it('is refused to another process, also after a second caller in this one was refused', async () => {
    await using lock = await acquireLock(file);
    expect(lock).toBeDefined();
    expect(await acquireLock(file)).toBeUndefined();
    const child = await startHolder();
    expect(child.output).toBe('refused');
    await child.kill();
  });

  it('is held by a process without a reference to it, and is free at once after kill -9', async () => {
    const child = await startHolder();
    expect(child.output).toBe('held');
    expect(await acquireLock(file)).toBeUndefined();
    expect((await readLockHolder(file))?.pid).toBe(child.pid);
    await child.kill();
    await using lock = await acquireLock(file);
    expect(lock).toBeDefined();
    expect((await readLockHolder(file))?.pid).toBe(process.pid);
  });

  it('names its holder while it is held, in files for their owner only', async () => {
    const lock = await acquireLock(file, { ...realWorld, now: () => 1234 });
    expect(await readLockHolder(file)).toEqual({ pid: process.pid, start: 1234 });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(`${file}.json`)).mode & 0o777).toBe(0o600);
    await lock?.[Symbol.asyncDispose]();
    expect(await readLockHolder(file)).toBeUndefined();
  });
});

async function startHolder() {
  const program = join(import.meta.dirname, 'programs', 'hold-lock.ts');
  const child = spawn(process.execPath, ['--expose-gc', program, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [chunk] = await once(child.stdout, 'data');
  const kill = async () => {
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  };
  return { output: String(chunk).trim(), pid: child.pid, kill };
}
