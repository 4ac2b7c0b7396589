import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { AppError, errorCode, fromSystemError } from '../../errors.ts';
import { crashpoint, realWorld, type World } from '../../world.ts';
import { type Connection, type ConnectionLimits, type Handle, serveConnection } from './connection.ts';
import { prepareSocketFolder } from './socket-path.ts';

export type SocketServer = AsyncDisposable & { connections(): number };

export type ServeOptions = ConnectionLimits & {
  path: string;
  handle: Handle;
  /** Further clients are disconnected at once. */
  maxConnections?: number;
};

/** The time limit for clients and handlers to stop when the server ends. */
const FAREWELL_MS = 1_000;

/**
 * Serves on a socket that only its owner can open (0600). It replaces an existing socket file:
 * the caller must hold the engine's lock, which proves that no process listens on it.
 */
export async function serveSocket(options: ServeOptions, world: World = realWorld): Promise<SocketServer> {
  const { path, handle, maxConnections, ...limits } = options;
  const connections = new Set<Connection>();
  await prepareSocketFolder(path);
  await removeStaleSocket(path);
  const server = createServer((socket) => {
    const connection = serveConnection(socket, handle, limits);
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
  });
  if (maxConnections !== undefined) server.maxConnections = maxConnections;
  crashpoint('socket.opening');
  await listenPrivately(server, path);
  crashpoint('socket.opened');
  return {
    connections: () => connections.size,
    [Symbol.asyncDispose]: async () => {
      if (server.listening) await closeServer(server, connections, world);
    },
  };
}

async function removeStaleSocket(path: string): Promise<void> {
  try {
    if ((await lstat(path)).isSocket()) await rm(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw fromSystemError(error, `removing the old socket ${path}`);
  }
}

/**
 * The socket is created while `listen` runs, in a folder of its owner, and is restricted in the same turn. The umask
 * would restrict it earlier, but it belongs to the whole process: folders that other threads create then could not be entered.
 */
async function listenPrivately(server: Server, path: string): Promise<void> {
  const listening = once(server, 'listening');
  server.listen(path);
  if (server.listening) chmodSync(path, 0o600);
  try {
    await listening;
  } catch (error) {
    if (errorCode(error) !== 'EADDRINUSE') throw fromSystemError(error, `listening on ${path}`);
    throw new AppError('ENGINE_BUSY', `Another file exists at the socket path ${path}`, { path }, { cause: error });
  }
}

async function closeServer(server: Server, connections: Set<Connection>, world: World): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const stopWaiting = world.alarm(world.now() + FAREWELL_MS, () => {
    for (const connection of connections) connection.destroy();
  });
  for (const connection of connections) void connection.end();
  await closed;
  stopWaiting();
}
