import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { isIP, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Caller } from '../access/caller.ts';
import { agentOverHttp, requirePerson } from '../access/caller-origin.ts';
import type { OwnServer, ServerHandle, ServerRequest } from '../access/server-handle.ts';
import { loadConfig } from '../config/load.ts';
import { AppError } from '../errors.ts';
import { type Home, prepareHome, resolveHome } from '../home.ts';
import { notifyUser } from '../notify/notifier.ts';
import { spareMemory } from '../process/memory/spare-memory.ts';
import type { Origin } from '../schema/actor.ts';
import { DEFAULT_PORT, type ServerConfig } from '../schema/config/server.ts';
import { acquireLock } from '../store/lock.ts';
import type { World } from '../world.ts';
import { OrderTokens } from './git/order-tokens.ts';
import { asHost, isLoopback } from './hosts.ts';
import { type HttpOptions, type HttpServer, openHttp } from './server.ts';
import { recordAddress, runningServer, serverAt, serverLock } from './server-folder.ts';

export type OpenServerOptions = { env: NodeJS.ProcessEnv; caller: Caller; version: string; world: World };

/** Retries while another process is opening or closing its server. */
const TRIES = 100;
const PAUSE_MS = 50;

/** Opens the one server of the data directory, or finds the one that another process has open. */
export async function openServer(
  request: ServerRequest,
  options: OpenServerOptions,
): Promise<OwnServer | ServerHandle> {
  const { env, world } = options;
  requirePerson(env, 'This command was called inside an attempt; agents may not open a server');
  const home = resolveHome(env);
  await prepareHome(home);
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const lock = await acquireLock(serverLock(home), world);
    if (lock === undefined) {
      const running = await runningServer(home, world);
      if (running !== undefined && !isClosing(running, options.caller)) return running;
      await world.sleep(PAUSE_MS);
      continue;
    }
    try {
      const orders = new OrderTokens({ folder: home.server, database: env.MANYHANDS_DATABASE_URL, world });
      const { server, notes } = await bindServer(request, options, orders);
      spareMemory({ isServer: request.kind === 'serve' });
      const address = { url: server.url, pid: process.pid, kind: request.kind };
      await recordAddress(home, address, world);
      const closing = new AbortController();
      const notifying = notifyUser(
        {
          caller: options.caller,
          world,
          file: join(home.server, 'notified.json'),
          base: server.url,
          targets: async () => (await loadConfig({ env })).notify,
        },
        closing.signal,
      );
      const close = async () => {
        closing.abort();
        await notifying;
        await server[Symbol.asyncDispose]();
        await orders[Symbol.asyncDispose]();
        await rm(join(home.server, 'address.json'), { force: true });
        await lock[Symbol.asyncDispose]();
      };
      return { ...serverAt(home, address, world), notes, [Symbol.asyncDispose]: close };
    } catch (error) {
      await lock[Symbol.asyncDispose]();
      throw error;
    }
  }
  throw new AppError(
    'ENGINE_BUSY',
    `Another process holds the server lock of ${home.root} but has recorded no address`,
    {
      home: home.root,
    },
  );
}

/** Only the engine opens a server with a run: if this process is now the engine, the other server is about to close. */
function isClosing({ kind }: ServerHandle, caller: Caller): boolean {
  return kind === 'run' && caller.engine() === 'own';
}

async function bindServer(
  request: ServerRequest,
  { env, caller, version, world }: OpenServerOptions,
  orders: OrderTokens,
): Promise<{ server: HttpServer; notes: string[] }> {
  const home = resolveHome(env);
  const { server: settings } = await loadConfig({ env });
  const host = request.host ?? settings.host;
  requireAllowed(host, settings);
  const requested = request.port ?? portOf(env);
  const port = requested ?? settings.port;
  const options: HttpOptions = {
    caller,
    version,
    world,
    host,
    port,
    names: [...settings.names, ...(isLoopback(host) || isIP(host) !== 0 ? [] : [host])],
    folder: home.server,
    exchange: home.exchange,
    assets: dashboardFolder(),
    orderOf: (token) => orders.accessOf(token),
    agentOf: ({ socket }) => agentBehind(home, socket),
  };
  try {
    return { server: await openHttp(options), notes: [] };
  } catch (error) {
    const isTaken = error instanceof AppError && error.code === 'PORT_TAKEN';
    if (!isTaken || requested !== undefined) throw error;
    return {
      server: await openHttp({ ...options, port: 0 }),
      notes: [`Port ${port} is in use; a free one was selected.`],
    };
  }
}

/** Programs of attempts run on this machine only; which of its addresses they connect from is their choice. */
function agentBehind(
  home: Home,
  { remoteAddress = '', localAddress = '', localPort, remotePort }: Socket,
): Origin | undefined {
  if (localPort === undefined || remotePort === undefined) return undefined;
  const isLocal = isLoopback(asHost(remoteAddress)) || remoteAddress === localAddress;
  return agentOverHttp(home, { address: localAddress, port: localPort, remoteAddress, remotePort, isLocal });
}

/** Next to the built program; when run from sources, in the build folder. */
function dashboardFolder(): string {
  const places = ['./dashboard', '../../dist/dashboard'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return places.find((path) => existsSync(join(path, 'index.html'))) ?? places[0] ?? '';
}

/** Other machines may connect only if the user's settings allow it. */
function requireAllowed(host: string, { allowRemote }: ServerConfig): void {
  if (isLoopback(host) || allowRemote) return;
  throw new AppError(
    'REMOTE_REFUSED',
    `${host} can be reached from other machines, where anyone with a token could control every agent`,
    { host },
  );
}

function portOf(env: NodeJS.ProcessEnv): number | undefined {
  const given = env.MANYHANDS_PORT;
  if (given === undefined || given === '') return undefined;
  const port = Number(given);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new AppError('USAGE', `MANYHANDS_PORT must be a port such as ${DEFAULT_PORT}, not ${given}`);
}
