import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import type { Caller } from '../access/caller.ts';
import { AppError, errorCode, fromSystemError } from '../errors.ts';
import { OPERATIONS } from '../operations/all.ts';
import type { AccessRole } from '../operations/authorize.ts';
import type { World } from '../world.ts';
import { operationRoutes } from './api/operation-routes.ts';
import { problemText, sendProblem } from './api/problem.ts';
import { openAssets } from './assets.ts';
import { COMMON_HEADERS } from './headers.ts';
import { asHost, type Hosts, isLoopback } from './hosts.ts';
import { type Access, type Identity, openAccess } from './login/access.ts';
import { isPublic, sendLoginPage } from './login/login-routes.ts';
import { acts, pathOf, refusalOf, refusalOfCookieAct } from './request-guard.ts';
import { createRouter } from './router.ts';

type ActingRoute = { method: string; pattern: RegExp; allow: readonly AccessRole[] };

/** Everybody who is logged in may log out. */
const LOGOUT: ActingRoute = { method: 'POST', pattern: /^\/logout$/, allow: ['viewer', 'operator'] };

/** Nothing acts on a path that does not exist, and only an operator gets that answer. */
const UNKNOWN: readonly AccessRole[] = ['operator'];

let routes: ActingRoute[] | undefined;

export type HttpOptions = {
  caller: Caller;
  host: string;
  /** 0 takes any free one. */
  port: number;
  /** Names besides those of loopback by which it may be called. */
  names: readonly string[];
  /** Where tokens, sessions and login codes lie. */
  folder: string;
  /** Where the built dashboard lies. */
  assets: string;
  version: string;
  world: World;
};

/** The door by HTTP; disposing of it ends every stream with a word and closes at once. */
export interface HttpServer extends AsyncDisposable {
  readonly port: number;
  /** Its address without any secret. */
  readonly url: string;
}

const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;
const KEEP_ALIVE_MS = 5_000;
const MOST_CONNECTIONS = 1_000;
/** Streams say farewell in this time, then they are cut. */
const FAREWELL_MS = 500;

/** Opens the server; a port that is taken is PORT_TAKEN. */
export async function openHttp(options: HttpOptions): Promise<HttpServer> {
  const { host, world, names } = options;
  const access = await openAccess(options.folder, world);
  const closing = new AbortController();
  const identities = new WeakMap<IncomingMessage, Identity>();
  const router = createRouter({
    ...options,
    access,
    assets: openAssets(options.assets),
    identityOf: (incoming) => identities.get(incoming),
    closing: closing.signal,
  });
  const route = getRequestListener(router.fetch, { overrideGlobalObjects: false });
  const hosts: Hosts = { names: [...names], port: options.port, isRemote: !isLoopback(host) };

  const server = createServer({
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.on('request', (incoming, outgoing) => {
    for (const [name, value] of Object.entries(COMMON_HEADERS)) outgoing.setHeader(name, value);
    void admit(incoming, { access, hosts }).then(
      (identity) => {
        if (identity !== undefined) identities.set(incoming, identity);
        return route(incoming, outgoing);
      },
      (error: unknown) => turnAway(incoming, outgoing, error),
    );
  });
  refuseUpgrades(server);
  hosts.port = await listen(server, options);
  return {
    port: hosts.port,
    url: `http://${asHost(host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host)}:${hosts.port}`,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      closing.abort();
      server.closeIdleConnections();
      const cancel = world.alarm(world.now() + FAREWELL_MS, () => server.closeAllConnections());
      await closed;
      cancel();
    },
  };
}

/** Lets a request pass, as whom; everything, whatever its path, comes through here. */
async function admit(
  incoming: IncomingMessage,
  { access, hosts }: { access: Access; hosts: Hosts },
): Promise<Identity | undefined> {
  const refusal = refusalOf(incoming, hosts);
  if (refusal !== undefined) throw refusal;
  const path = pathOf(incoming);
  if (isPublic(incoming.method ?? '', path)) return undefined;
  const identity = await access.identify(incoming);
  if (identity === undefined) throw new AppError('LOGIN_NEEDED', 'Log in first');
  if (!acts(incoming)) return identity;
  const foreign = identity.via === 'cookie' ? refusalOfCookieAct(incoming) : undefined;
  if (foreign !== undefined) throw foreign;
  if (!rolesFor(incoming.method ?? '', path).includes(identity.role))
    throw new AppError('VIEWERS_ONLY_LOOK', `A ${identity.role} may not ask for ${incoming.method} ${path}`);
  return identity;
}

/** A person who comes without a login is told how to get in; a program gets the problem. */
function turnAway(incoming: IncomingMessage, outgoing: ServerResponse, error: unknown): void {
  const isPerson = incoming.method === 'GET' && incoming.headers.accept?.includes('text/html') === true;
  if (isPerson && error instanceof AppError && error.code === 'LOGIN_NEEDED') sendLoginPage(outgoing);
  else sendProblem(outgoing, error);
}

/** Nothing here speaks another protocol. */
function refuseUpgrades(server: Server): void {
  const refuse = (_: IncomingMessage, socket: Duplex) => {
    // The other end may be gone; there is nobody to tell.
    socket.on('error', () => {});
    socket.end(problemText(new AppError('REQUEST_FOREIGN', 'This server does not change protocols')));
  };
  server.on('upgrade', refuse);
  server.on('connect', refuse);
  server.on('clientError', (_, socket) => {
    if (socket.writable) socket.end(problemText(new AppError('REQUEST_INVALID', 'This is not HTTP')));
    else socket.destroy();
  });
}

async function listen(server: Server, { host, port }: HttpOptions): Promise<number> {
  const listening = once(server, 'listening');
  server.listen({ host: host.replaceAll(/[[\]]/g, ''), port, exclusive: true });
  try {
    await listening;
  } catch (error) {
    if (errorCode(error) === 'EADDRINUSE')
      throw new AppError('PORT_TAKEN', `Port ${port} of ${host} is taken`, { host, port }, { cause: error });
    throw fromSystemError(error, `listening on ${host}:${port}`);
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

/** The roles that may send an acting request to this path, before anything of the request is read. */
function rolesFor(method: string, path: string): readonly AccessRole[] {
  routes ??= [LOGOUT, ...operationRoutes().flatMap(actingRoute)];
  const found = routes.find((route) => route.method === method && route.pattern.test(path));
  return found?.allow ?? UNKNOWN;
}

function actingRoute(route: ReturnType<typeof operationRoutes>[number]): ActingRoute[] {
  if (route.kind !== 'operation' || route.method === 'GET') return [];
  const pattern = new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  return [{ method: route.method, pattern, allow: OPERATIONS[route.name].allow }];
}
