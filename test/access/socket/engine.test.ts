import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectSocket } from '../../../src/access/socket/client.ts';
import { serveSocket } from '../../../src/access/socket/server.ts';
import { realWorld } from '../../../src/world.ts';
import { all, connect, path, serve, serveAndConnect } from './served.ts';

describe('An engine', () => {
  it('that does not exist gives no client, with or without a stale socket file', async () => {
    expect(await connectSocket(path)).toBeUndefined();
    await writeFile(path, '');
    expect(await connectSocket(path)).toBeUndefined();
  });

  it('killed while a call waits rejects it with ENGINE_GONE, and its socket file is then no engine but can be replaced', async () => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'programs', 'serve.ts'), path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const client = await connect();
    expect(await client.call('ping', {})).toBe('pong');
    const waiting = Promise.allSettled([client.call('wait', {}), all(client.stream('wait', {}))]);
    await once(child.stdout, 'data');
    const exited = once(child, 'close');
    child.kill('SIGKILL');
    for (const result of await waiting) expect(result).toMatchObject({ reason: { code: 'ENGINE_GONE' } });
    await client.closed;
    await expect(client.call('ping', {})).rejects.toMatchObject({ code: 'ENGINE_GONE' });
    await exited;
    expect((await stat(path)).isSocket()).toBe(true);
    expect(await connectSocket(path)).toBeUndefined();
    const next = await serveAndConnect(async () => 'new engine');
    expect(await next.call('x', {})).toBe('new engine');
  });

  it('detects that a client disconnected, and counts the connected ones', async () => {
    const received = Promise.withResolvers<AbortSignal>();
    const server = await serve((_, { signal }) => {
      received.resolve(signal);
      return once(signal, 'abort');
    });
    const client = await connect();
    const call = client.call('wait', {});
    const signal = await received.promise;
    expect(server.connections()).toBe(1);
    const aborted = once(signal, 'abort');
    await client[Symbol.asyncDispose]();
    await expect(call).rejects.toMatchObject({ code: 'ENGINE_GONE' });
    await aborted;
    expect(server.connections()).toBe(0);
  });

  it('that stops aborts its requests, responds with ENGINE_GONE, and removes its socket', async () => {
    const received = Promise.withResolvers<void>();
    const server = await serve(async (_, { signal }) => {
      received.resolve();
      await once(signal, 'abort');
      signal.throwIfAborted();
    });
    const client = await connect();
    const call = client.call('wait', {}).catch((reason: unknown) => reason);
    await received.promise;
    await server[Symbol.asyncDispose]();
    expect(await call).toMatchObject({ code: 'ENGINE_GONE' });
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('that stops does not wait for ever for work that ignores its signal', async () => {
    const received = Promise.withResolvers<void>();
    const impatient = {
      ...realWorld,
      alarm: (_: number, ring: () => void) => realWorld.alarm(realWorld.now() + 10, ring),
    };
    const server = await serveSocket(
      {
        path,
        handle: () => {
          received.resolve();
          return new Promise(() => {});
        },
      },
      impatient,
    );
    const client = await connect();
    const call = client.call('wait', {}).catch((reason: unknown) => reason);
    await received.promise;
    await server[Symbol.asyncDispose]();
    expect(await call).toMatchObject({ code: 'ENGINE_GONE' });
  });

  it('keeps its socket for its owner only', async () => {
    await serve(async () => 'x');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('does not change the rights of folders that are created while it opens', async () => {
    let isOpening = true;
    const folders: string[] = [];
    const createFolders = async () => {
      while (isOpening) {
        const folder = join(dirname(path), `folder-${folders.length}`);
        folders.push(folder);
        await mkdir(folder);
      }
    };
    const created = Promise.all(Array.from({ length: 8 }, createFolders));
    for (let round = 0; round < 200; round += 1) {
      const server = await serveSocket({ path, handle: async () => 'x' });
      await server[Symbol.asyncDispose]();
    }
    isOpening = false;
    await created;
    const modes = await Promise.all(folders.map(async (folder) => (await stat(folder)).mode & 0o700));
    expect(new Set(modes)).toEqual(new Set([0o700]));
  });

  it('does not replace a file that is not a socket', async () => {
    await writeFile(path, 'precious');
    await expect(serveSocket({ path, handle: async () => 'x' })).rejects.toMatchObject({ code: 'ENGINE_BUSY' });
    expect((await stat(path)).size).toBe(8);
  });
});
