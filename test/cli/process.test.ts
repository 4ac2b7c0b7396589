import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../../bin/manyhands.mjs', import.meta.url));

async function start(cwd: string, ...args: string[]) {
  const env = { ...process.env, MANYHANDS_HOME: join(cwd, 'data'), XDG_CONFIG_HOME: cwd, NO_COLOR: '1' };
  return spawn(process.execPath, [MAIN, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'mh-main-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('the program as a process', () => {
  it('prints its version and exits', async () => {
    await inFolder(async (folder) => {
      const child = await start(folder, '--version');
      const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    });
  });

  it('exits with 2 for an unknown command', async () => {
    await inFolder(async (folder) => {
      const child = await start(folder, 'shwo');
      const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
      expect(code).toBe(2);
      expect(stderr).toContain('Did you mean show?');
    });
  });

  it('prints no error when the reader of its output has closed it', async () => {
    await inFolder(async (folder) => {
      const child = await start(folder, 'config', 'list');
      child.stdout.destroy();
      const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    });
  });
});
