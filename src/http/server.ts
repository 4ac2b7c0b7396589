import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import type { Caller } from '../access/caller.ts';
import { AppError, errorCode, fromSystemError } from '../errors.ts';
import { OPERATIONS } from '../operations/all.ts';
import type { AccessRole } from '../operations/authorize.ts';
import type { Origin } from '../schema/actor.ts';
import type { OrderAccess } from '../store/credentials/order-token.ts';
import { ToolToken } from '../store/credentials/tool-tokens.ts';
import type { World } from '../world.ts';
import { operationRoutes } from './api/operation-routes.ts';
import { problemOf, problemText, sendProblem } from './api/problem.ts';
import { openAssets } from './assets.ts';
import { BodyMemory } from './body-memory.ts';
import { GitEndpoint, isGitPath } from './git/git-endpoint.ts';
import { COMMON_HEADERS } from './headers.ts';
import { asHost, type Hosts, isLoopback } from './hosts.ts';
import { type Access, type Identity, openAccess, tokenIn } from './login/access.ts';
import { isPublic, sendLoginPage } from './login/login-routes.ts';
import { isChange, pathOf, refusalOf, refusalOfCookieChange } from './request-guard.ts';
import { createRouter } from './router.ts';

/** Beyond this number of connections without a login, the oldest is closed. */
const MAX_ANONYMOUS = 100;

/** How long a connection without a login may stay open. */
const ANONYMOUS_MS = 15_000;

const MAX_IDENTIFIED = 1_000;

/** Keeps clients that have not logged in from using up the connections that logged-in clients need. */
class ConnectionLimits {
  readonly #anonymous = new Map<Socket, () => void>();
  readonly #world: World;

  constructor(server: Server, world: World) {
    this.#world = world;
    // More than the sum: a connection that is being closed still counts.
    server.maxConnections = MAX_IDENTIFIED + 2 * MAX_ANONYMOUS;
    server.on('connection', (socket: Socket) => this.#add(socket));
  }

  /** Removes the limits of a connection whose client has logged in. */
  release(socket: Socket): void {
    this.#anonymous.get(socket)?.();
    this.#anonymous.delete(socket);
  }

  #add(socket: Socket): void {
    const [oldest] = this.#anonymous.keys();
    if (oldest !== undefined && this.#anonymous.size >= MAX_ANONYMOUS) this.#close(oldest);
    this.#anonymous.set(
      socket,
      this.#world.alarm(this.#world.now() + ANONYMOUS_MS, () => this.#close(socket)),
    );
    socket.once('close', () => this.release(socket));
  }

  #close(socket: Socket): void {
    this.release(socket);
    socket.destroy();
  }
}

type ActingRoute = { method: string; pattern: RegExp; allow: readonly AccessRole[] };

/** Every role may log out. */
const LOGOUT: ActingRoute = { method: 'POST', pattern: /^\/logout$/, allow: ['guest', 'viewer', 'operator'] };

/** A viewer has the tools that read. */
const MCP: ActingRoute = { method: 'POST', pattern: /^\/mcp$/, allow: ['viewer', 'operator'] };

/** The roles of the repository are checked there, also for reading. */
const GIT: ActingRoute = { method: 'POST', pattern: /^\/git\//, allow: ['guest', 'viewer', 'operator'] };

/** Only an operator is answered that a path does not exist. */
const UNKNOWN: readonly AccessRole[] = ['operator'];

let routes: ActingRoute[] | undefined;

export type HttpOptions = {
  caller: Caller;
  host: string;
  /** 0 selects a free one. */
  port: number;
  /** Accepted host names besides those of loopback. */
  names: readonly string[];
  /** The folder of tokens, sessions and login codes. */
  folder: string;
  /** The bare repository through which clients pass commits; created when it is first used. */
  exchange: string;
  /** The folder of the built dashboard. */
  assets: string;
  version: string;
  world: World;
  /** What a token allows that was made for the host of an order; undefined for any other token. */
  orderOf?(token: string): Promise<OrderAccess | undefined>;
  /** The origin of a request that a program of an attempt sent; undefined for any other sender. */
  agentOf?(incoming: IncomingMessage): Origin | undefined;
};

/** The HTTP server; disposing it ends every stream with an event and closes all connections. */
export interface HttpServer extends AsyncDisposable {
  readonly port: number;
  /** Its address, without a secret. */
  readonly url: string;
}

const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;
const KEEP_ALIVE_MS = 5_000;
/** How long streams may take to send their last event. */
const CLOSING_MS = 500;

/** Opens the server; throws PORT_TAKEN if the port is in use. */
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
  const repository = new GitEndpoint({ dir: options.exchange, world, closing: closing.signal });
  const route = getRequestListener(router.fetch, { overrideGlobalObjects: false });
  const hosts: Hosts = { names: [...names], port: options.port, isRemote: !isLoopback(host) };

  const server = createServer({
    headersTimeout: HEADERS_MS,
    // A pack of commits may take longer; every other request is limited below.
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  const connections = new ConnectionLimits(server, world);
  const bodies = new BodyMemory(world);
  server.on('request', (incoming, outgoing) => {
    bodies.observe(incoming, outgoing);
    if (!isGitPath(pathOf(incoming))) limitRequest(incoming, world);
    for (const [name, value] of Object.entries(COMMON_HEADERS)) outgoing.setHeader(name, value);
    void hostOf(incoming, hosts, options)
      .then(async (order) => {
        if (order !== undefined) {
          connections.release(incoming.socket);
          return repository.answer(incoming, outgoing, order);
        }
        const identity = await admit(incoming, { access, hosts, caller: options.caller });
        if (identity !== undefined) {
          identities.set(incoming, identity);
          connections.release(incoming.socket);
        }
        if (identity === undefined || !isGitPath(pathOf(incoming))) return route(incoming, outgoing);
        if (isChange(incoming) && options.agentOf?.(incoming) !== undefined)
          throw new AppError('CALLED_BY_AGENT', 'The repository of the server is not for programs of an attempt');
        const sender = { identity, token: tokenIn(incoming) ?? '' };
        return repository.answer(incoming, outgoing, sender);
      })
      .catch((error: unknown) => refuse(incoming, outgoing, error));
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
      const cancel = world.alarm(world.now() + CLOSING_MS, () => server.closeAllConnections());
      await closed;
      cancel();
      bodies[Symbol.dispose]();
    },
  };
}

/** The order whose host sends a request to the repository; every other sender is identified by `admit`. */
async function hostOf(
  incoming: IncomingMessage,
  hosts: Hosts,
  { orderOf }: Pick<HttpOptions, 'orderOf'>,
): Promise<OrderAccess | undefined> {
  if (!isGitPath(pathOf(incoming)) || refusalOf(incoming, hosts) !== undefined) return undefined;
  return orderOf?.(tokenIn(incoming) ?? '');
}

/** Cuts off a request whose body does not arrive in time. */
function limitRequest(incoming: IncomingMessage, world: World): void {
  const { headers } = incoming;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  const cancel = world.alarm(world.now() + REQUEST_MS, () => void (incoming.complete || incoming.socket.destroy()));
  incoming.once('close', cancel);
}

/** Identifies the sender of a request and refuses what is not allowed; every request passes here. */
async function admit(
  incoming: IncomingMessage,
  { access, hosts, caller }: { access: Access; hosts: Hosts; caller: Caller },
): Promise<Identity | undefined> {
  const refusal = refusalOf(incoming, hosts);
  if (refusal !== undefined) throw refusal;
  const path = pathOf(incoming);
  if (isPublic(incoming.method ?? '', path)) return undefined;
  const identity = await access.identify(incoming);
  if (identity === undefined) {
    await recordToolToken(incoming, caller);
    throw new AppError('LOGIN_NEEDED', 'Log in first');
  }
  if (!isChange(incoming)) return identity;
  const foreign = identity.via === 'cookie' ? refusalOfCookieChange(incoming) : undefined;
  if (foreign !== undefined) throw foreign;
  if (!rolesFor(incoming.method ?? '', path).includes(identity.role))
    throw new AppError('VIEWERS_ONLY_LOOK', `A ${identity.role} may not use ${incoming.method} ${path}`);
  return identity;
}

/** Records in its run that the token of an attempt, which is for tools alone, was sent here. */
async function recordToolToken(incoming: IncomingMessage, caller: Caller): Promise<void> {
  const token = ToolToken.safeParse(incoming.headers.authorization?.replace(/^Bearer /i, '')).data;
  if (token === undefined) return;
  const what = `${incoming.method} ${pathOf(incoming).slice(0, 100)} with the token of its tools`;
  // Without an engine there is no attempt; the request is refused in any case.
  await caller.call('record-refusal', { what, by: { token } }).catch(() => {});
}

/** Answers a browser without a login with the login page, everything else with the problem. */
function refuse(incoming: IncomingMessage, outgoing: ServerResponse, error: unknown): void {
  const isPage = incoming.method === 'GET' && pathOf(incoming) !== '/mcp';
  const isPerson = isPage && incoming.headers.accept?.includes('text/html') === true;
  if (outgoing.headersSent) outgoing.destroy();
  else if (isGitPath(pathOf(incoming))) refuseGit(outgoing, error);
  else if (isPerson && error instanceof AppError && error.code === 'LOGIN_NEEDED') sendLoginPage(outgoing);
  else sendProblem(outgoing, error);
}

/** Git shows a plain text to its user, and asks for a login only where a response names the scheme. */
function refuseGit(outgoing: ServerResponse, error: unknown): void {
  const problem = problemOf(error);
  const login = problem.status === 401 ? { 'www-authenticate': 'Basic realm="Manyhands"' } : {};
  outgoing.writeHead(problem.status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close', ...login });
  outgoing.once('finish', () => outgoing.socket?.destroySoon());
  outgoing.end(`${problem.detail}\n`);
}

/** This server has no other protocol. */
function refuseUpgrades(server: Server): void {
  const refuseUpgrade = (_: IncomingMessage, socket: Duplex) => {
    // The client may have disconnected.
    socket.on('error', () => {});
    socket.end(problemText(new AppError('REQUEST_FOREIGN', 'This server does not change protocols')));
  };
  server.on('upgrade', refuseUpgrade);
  server.on('connect', refuseUpgrade);
  server.on('clientError', (error, socket) => {
    const problem =
      errorCode(error) === 'HPE_HEADER_OVERFLOW'
        ? new AppError('REQUEST_TOO_LARGE', 'The address and the headers of the request are too long')
        : new AppError('REQUEST_INVALID', 'This is not HTTP');
    if (socket.writable) socket.end(problemText(problem));
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
      throw new AppError('PORT_TAKEN', `Port ${port} of ${host} is in use`, { host, port }, { cause: error });
    throw fromSystemError(error, `listening on ${host}:${port}`);
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

/** The roles that may send a changing request to this path; checked before the body is read. */
function rolesFor(method: string, path: string): readonly AccessRole[] {
  routes ??= [LOGOUT, MCP, GIT, ...operationRoutes().flatMap(actingRoute)];
  const found = routes.find((route) => route.method === method && route.pattern.test(path));
  return found?.allow ?? UNKNOWN;
}

function actingRoute(route: ReturnType<typeof operationRoutes>[number]): ActingRoute[] {
  if (route.kind !== 'operation' || route.method === 'GET') return [];
  const pattern = new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  return [{ method: route.method, pattern, allow: OPERATIONS[route.name].allow }];
}
