import { chmod, mkdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectSocket } from '../../../src/access/socket/client.ts';
import { serveSocket } from '../../../src/access/socket/server.ts';
import { socketPath } from '../../../src/access/socket/socket-path.ts';
import { realWorld } from '../../../src/world.ts';

let home: string;

beforeEach(() => {
  home = join('/', 'long'.repeat(30), realWorld.token());
});

afterEach(async () => {
  await rm(dirname(socketPath(home)), { recursive: true, force: true });
  vi.unstubAllEnvs();
});

describe('The socket', () => {
  it('is in the data directory if its path is short enough', () => {
    expect(socketPath('/home/ada/.local/share/manyhands')).toBe('/home/ada/.local/share/manyhands/engine.sock');
  });

  it('is in a short, private folder for each longer data directory', async () => {
    const path = socketPath(home);
    expect(Buffer.byteLength(path)).toBeLessThanOrEqual(100);
    expect(path.startsWith(tmpdir())).toBe(true);
    expect(socketPath(home)).toBe(path);
    expect(socketPath(`${home}x`)).not.toBe(path);
    expect(Buffer.byteLength(socketPath(`/${'日'.repeat(30)}`))).toBeLessThanOrEqual(100);
    await using server = await serveSocket({ path, handle: async () => 'pong' });
    expect(server.connections()).toBe(0);
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
    await using client = await connectSocket(path);
    expect(await client?.call('ping', {})).toBe('pong');
  });

  it('is in a folder of /tmp if the path of the temporary directory is too long as well', async () => {
    vi.stubEnv('TMPDIR', `/${'deep/'.repeat(20)}tmp`);
    const path = socketPath(home);
    expect(Buffer.byteLength(path)).toBeLessThanOrEqual(100);
    await using server = await serveSocket({ path, handle: async () => 'pong' });
    expect(server.connections()).toBe(0);
    await using client = await connectSocket(path);
    expect(await client?.call('ping', {})).toBe('pong');
    await chmod(dirname(path), 0o755);
    await expect(connectSocket(path)).rejects.toMatchObject({ code: 'NO_PERMISSION' });
    await chmod(dirname(path), 0o700);
  });

  it('is neither created nor connected to in a folder that other users can access', async () => {
    const path = socketPath(home);
    await mkdir(dirname(path));
    await chmod(dirname(path), 0o755);
    await expect(serveSocket({ path, handle: async () => 'x' })).rejects.toMatchObject({ code: 'NO_PERMISSION' });
    await expect(connectSocket(path)).rejects.toMatchObject({ code: 'NO_PERMISSION' });
  });
});
