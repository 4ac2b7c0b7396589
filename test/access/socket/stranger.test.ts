import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectSocket } from '../../../src/access/socket/client.ts';
import type { Handle } from '../../../src/access/socket/connection.ts';
import { type SocketServer, serveSocket } from '../../../src/access/socket/server.ts';

let folder: string;
let path: string;
let server: SocketServer;
let calls: string[];

const answer: Handle = async ({ operation }) => {
  calls.push(operation);
  return operation === 'big' ? 'x'.repeat(1_000_000) : operation;
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'manyhands-stranger-'));
  path = join(folder, 'engine.sock');
  calls = [];
  server = await serveSocket({ path, handle: answer });
});

afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe('A client of another version', () => {
  it('learns it from the first line, and its requests are not executed', async () => {
    const socket = await connectRaw();
    socket.write('{"manyhands":99}\n{"type":"ask","id":1,"operation":"cancel"}\n');
    socket.resume();
    await closing(socket);
    expect(calls).toEqual([]);
  });

  it('throws ENGINE_VERSION when it meets an engine of another version', async () => {
    const other = createServer((socket) => void socket.end('{"manyhands":99,"more":true}\n'));
    other.listen(join(folder, 'other.sock'));
    await once(other, 'listening');
    await expect(connectSocket(join(folder, 'other.sock'))).rejects.toMatchObject({
      code: 'ENGINE_VERSION',
      details: { engine: 99, program: 1 },
    });
    other.close();
  });

  it('gets no client from an engine that ends before its first line', async () => {
    const other = createServer((socket) => void socket.destroy());
    other.listen(join(folder, 'other.sock'));
    await once(other, 'listening');
    expect(await connectSocket(join(folder, 'other.sock'))).toBeUndefined();
    other.close();
  });

  it('can stop waiting for an engine that never sends its first line', async () => {
    const controller = new AbortController();
    const other = createServer(() => controller.abort(new Error('enough')));
    other.listen(join(folder, 'other.sock'));
    await once(other, 'listening');
    await expect(connectSocket(join(folder, 'other.sock'), controller.signal)).rejects.toThrow('enough');
    other.close();
  });
});

describe('A client that misbehaves', () => {
  it.each(['not json\n', '{"type":"ask"}\n', '{"type":"ask","id":-1,"operation":"x"}\n', '[]\n', '\n'])(
    'is cut off when it says %j',
    async (line) => {
      const socket = await connectRaw();
      socket.write(`{"manyhands":1}\n${line}`);
      socket.resume();
      await closing(socket);
      await expectServed();
    },
  );

  it('is disconnected when its line is longer than 64 MB', async () => {
    const socket = await connectRaw();
    socket.write('{"manyhands":1}\n');
    socket.write(Buffer.alloc(65 * 1024 * 1024, 'x'));
    socket.resume();
    await closing(socket);
    await expectServed();
  });

  it('is disconnected when 32 MB are unread, while others are served', async () => {
    const socket = await connectRaw();
    const closed = closing(socket);
    socket.pause();
    const requests = Array.from({ length: 60 }, (_, n) => `{"type":"ask","id":${n + 1},"operation":"big"}\n`);
    socket.write(`{"manyhands":1}\n${requests.join('')}`);
    await expectServed();
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    socket.resume();
    await closed;
    expect(calls.filter((operation) => operation === 'big').length).toBe(60);
    expect(received).toBeLessThan(40_000_000);
    await expectServed();
  });

  it('that reads 60 MB of responses as they arrive is not disconnected', async () => {
    await using client = await connectSocket(path);
    const sizes: unknown[] = [];
    for (let n = 0; n < 60; n++) sizes.push(String(await client?.call('big', {})).length);
    expect(sizes).toEqual(Array(60).fill(1_000_000));
  });
});

async function connectRaw(): Promise<Socket> {
  const socket = createConnection(path);
  await once(socket, 'connect');
  return socket;
}

/** Resolves at the close, also when the cut came as an error. */
function closing(socket: Socket): Promise<void> {
  socket.on('error', () => undefined);
  return new Promise((resolve) => socket.on('close', () => resolve()));
}

async function expectServed(): Promise<void> {
  await using client = await connectSocket(path);
  expect(await client?.call('ping', {})).toBe('ping');
}
