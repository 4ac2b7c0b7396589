import { chmod, chown, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configHome, prepareHome, resolveHome } from '../../src/home.ts';

describe('the data directory', () => {
  it('is MANYHANDS_HOME, else the XDG one, else the default of the system', () => {
    const env = { HOME: '/home/a' };
    expect(resolveHome({ ...env, MANYHANDS_HOME: '/x', XDG_DATA_HOME: '/y' }, 'linux').root).toBe('/x');
    expect(resolveHome({ ...env, XDG_DATA_HOME: '/y' }, 'linux').root).toBe('/y/manyhands');
    expect(resolveHome({ ...env, XDG_DATA_HOME: 'relative' }, 'linux').root).toBe('/home/a/.local/share/manyhands');
    expect(resolveHome(env, 'darwin').root).toBe('/home/a/Library/Application Support/manyhands');
    expect(configHome(env)).toBe('/home/a/.config/manyhands');
  });

  it('is made only on request, and closed to other users', async () => {
    const root = await mkdtemp(join(tmpdir(), 'mh-home-'));
    try {
      const home = resolveHome({ MANYHANDS_HOME: join(root, 'data') });
      expect(await readdir(root)).toEqual([]);
      await prepareHome(home);
      expect((await stat(home.root)).mode & 0o777).toBe(0o700);
      expect((await stat(home.logs)).mode & 0o777).toBe(0o700);
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });

  it('is refused when other users can write to it or own it', async () => {
    const root = await mkdtemp(join(tmpdir(), 'mh-home-'));
    try {
      const home = resolveHome({ MANYHANDS_HOME: root });
      await chmod(root, 0o770);
      await expect(prepareHome(home)).rejects.toMatchObject({ code: 'DATA_UNSAFE' });
      await chmod(root, 0o755);
      await prepareHome(home);
      if (process.getuid?.() === 0) {
        await chown(root, 65_534, 65_534);
        await expect(prepareHome(home)).rejects.toMatchObject({ code: 'DATA_UNSAFE' });
      }
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });
});
