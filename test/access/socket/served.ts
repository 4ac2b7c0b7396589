import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { connectSocket, type SocketClient } from '../../../src/access/socket/client.ts';
import type { Handle } from '../../../src/access/socket/connection.ts';
import { type SocketServer, serveSocket } from '../../../src/access/socket/server.ts';

let folder: string;

/** Where the socket of the running test stands. */
export let path: string;
const opened: AsyncDisposable[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'manyhands-socket-'));
  path = join(folder, 'engine.sock');
});

afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Serves until the test ends. */
export async function serve(handle: Handle): Promise<SocketServer> {
  const server = await serveSocket({ path, handle });
  opened.push(server);
  return server;
}

/** Connects until the test ends. */
export async function connect(): Promise<SocketClient> {
  const client = await connectSocket(path);
  if (client === undefined) throw new Error('Nobody listens');
  opened.push(client);
  return client;
}

/** Both ends of a socket. */
export async function serveAndConnect(handle: Handle): Promise<SocketClient> {
  await serve(handle);
  return connect();
}

/** Everything a stream gives. */
export async function all(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const item of items) seen.push(item);
  return seen;
}
