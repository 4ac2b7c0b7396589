import { createServer, type IncomingMessage, request, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { decidePolicy, refusalText } from '../../core/policy/decide-policy.ts';
import { connectTo, Refused, type Resolve, secure } from './connect.ts';
import { type Destination, isVendorHost, normalHost, parseDestination } from './destination.ts';
import type { HostUse, KeyRoute, SessionRules } from './session-rules.ts';

/** One session of the proxy: what it may reach, and what it has requested. */
export type ProxySession = {
  readonly server: Server;
  /** Rules of the same session that an engine has sent again. */
  setRules(rules: SessionRules): void;
  use(): HostUse[];
  close(): void;
};

type SessionOptions = {
  resolve?: Resolve;
  /** The proxy of the person's environment. */
  via?: URL | undefined;
  /** Counts of the same session before the proxy was restarted. */
  earlier?: readonly HostUse[];
  onUse(): void;
};

/** A connection that a policy rule forbids, whatever hosts are listed. */
class PolicyRefused extends Refused {}

/** Where a request goes. */
type Target = Destination & { isSecure: boolean; path: string; route?: KeyRoute };

/** The address at which a sandbox reaches its proxy; outside of the range that systems choose ports from. */
export const BRIDGE_PORT = 61_080;
/** How a client names the proxy itself: by this address or, where sandboxes share a loopback, by another port. */
const OWN_URL = `http://127.0.0.1:${BRIDGE_PORT}/`;
const OWN_ADDRESS = /^http:\/\/(?:127\.0\.0\.1|localhost):\d{1,5}(?=\/)/;
/** The bridge of a sandbox keeps a connection to this destination open, as long as the sandbox exists. */
export const HOLD = 'hold.manyhands.invalid:1';
const MAX_CONNECTIONS = 512;
/** Names beyond these are counted together: a program can invent any number of them. */
const MAX_HOSTS = 200;
const OTHERS = '(others)';
/** Headers that belong to one connection and not to the message. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Serves one session: CONNECT, requests with a whole address, and requests below the name of a key route. Node's parser
 * reads every message and Node writes it again, so that a message which two programs could read differently is refused.
 */
export function openProxySession(initial: SessionRules, options: SessionOptions): ProxySession {
  let rules = initial;
  const counts = new Map((options.earlier ?? []).map((each) => [each.host, { ...each }]));
  const sockets = new Set<Duplex>();
  const count = (host: string, isRefused: boolean) => {
    const name = counts.has(host) || counts.size < MAX_HOSTS ? host : OTHERS;
    const entry = counts.get(name) ?? { host: name, requests: 0, refused: 0 };
    counts.set(name, entry);
    entry.requests += 1;
    if (isRefused) entry.refused += 1;
    options.onUse();
  };
  const reach = async (to: Destination & { route?: KeyRoute }): Promise<Socket> => {
    const label = to.port === 443 || to.port === 80 ? to.host : `${to.host}:${to.port}`;
    try {
      // The route of a key leads to the vendor.
      if (to.route === undefined) requirePolicy(to, rules);
      const socket = await connectTo(to, rules.allow, options);
      track(sockets, socket);
      count(label, false);
      return socket;
    } catch (error) {
      count(label, error instanceof Refused);
      throw error;
    }
  };

  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 30_000 });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('connection', (socket) => track(sockets, socket));
  server.on('connect', (message, client, head) => {
    // It shows only that the sandbox still exists.
    if (message.url === HOLD) return void client.on('end', () => client.end()).resume();
    const to = parseDestination(message.url ?? '');
    if (to === undefined) return refuseSocket(client, 400, 'the destination is not host:port');
    reach(to).then(
      (socket) => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        join(client, socket, head);
      },
      (error: unknown) => refuseSocket(client, statusOf(error), reasonOf(error)),
    );
  });
  server.on('upgrade', (message, client, head) => {
    const to = targetOf(message, rules.routes);
    if (to === undefined) return refuseSocket(client, 400, 'the request has no host');
    reach(to).then(
      (socket) => upgrade(message, { to, socket, client, head }),
      (error: unknown) => refuseSocket(client, statusOf(error), reasonOf(error)),
    );
  });
  server.on('request', (message, response) => {
    const to = targetOf(message, rules.routes);
    if (to === undefined) return refuse(response, 400, 'the request has no host');
    reach(to).then(
      (socket) => forward(message, response, { to, socket }),
      (error: unknown) => refuse(response, statusOf(error), reasonOf(error)),
    );
  });
  return {
    server,
    setRules: (next) => {
      rules = next;
    },
    use: () => [...counts.values()].map((entry) => ({ ...entry })),
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Refuses what the policy denies, or what a person has not approved yet; the rule engine decides, as for tools. */
function requirePolicy(to: Destination, { policy, allow }: SessionRules): void {
  if (policy === undefined || isVendorHost(to, allow)) return;
  const { role, lists, granted } = policy;
  const decided = decidePolicy(lists, { role, tool: 'WebFetch', kind: 'WebFetch', host: to.host }, granted);
  if (decided.decision !== 'allow') throw new PolicyRefused(refusalText(decided));
}

/** The destination of a message: a whole address, or the path below a key route. */
function targetOf({ url = '' }: IncomingMessage, routes: readonly KeyRoute[]): Target | undefined {
  const path = url.replace(OWN_ADDRESS, '');
  const route = routes.find(({ name }) => path.startsWith(`/${name}/`) || path === `/${name}`);
  if (url.startsWith('/') || url.startsWith(OWN_URL) || route !== undefined) {
    if (route === undefined) return undefined;
    const upstream = URL.parse(route.upstream);
    const rest = path.slice(route.name.length + 1) || '/';
    return upstream === null ? undefined : withRoute(upstream, rest, route);
  }
  const address = URL.parse(url);
  if (address === null || address.protocol !== 'http:' || address.username !== '') return undefined;
  return addressed(address, `${address.pathname}${address.search}`);
}

function withRoute(upstream: URL, rest: string, route: KeyRoute): Target | undefined {
  const path = `${upstream.pathname.replace(/\/$/, '')}${rest}`;
  const target = addressed(upstream, withSecrets(path, route, encodeURIComponent));
  return target === undefined ? undefined : { ...target, route };
}

function withSecrets(text: string, { keys }: KeyRoute, encode: (secret: string) => string): string {
  return keys.reduce((result, { placeholder, secret }) => result.replaceAll(placeholder, () => encode(secret)), text);
}

function addressed(address: URL, path: string): Target | undefined {
  const host = normalHost(address.hostname);
  const isSecure = address.protocol === 'https:';
  if (host === undefined) return undefined;
  return { host, port: Number(address.port || (isSecure ? 443 : 80)), isSecure, path };
}

/** The headers that are passed on; the host is that of the address, whatever the message claims. */
function headersFor(message: IncomingMessage, { host, port, isSecure, route }: Target): string[] {
  const usual = isSecure ? 443 : 80;
  const name = host.includes(':') ? `[${host}]` : host;
  const named = new Set((message.headers.connection ?? '').toLowerCase().split(/\s*,\s*/));
  const headers = ['Host', port === usual ? name : `${name}:${port}`];
  for (let at = 0; at + 1 < message.rawHeaders.length; at += 2) {
    const [header = '', value = ''] = message.rawHeaders.slice(at, at + 2);
    const lower = header.toLowerCase();
    if (lower === 'host' || HOP_BY_HOP.has(lower) || named.has(lower)) continue;
    headers.push(header, route === undefined ? value : withSecrets(value, route, String));
  }
  return headers;
}

function forward(
  message: IncomingMessage,
  response: ServerResponse,
  { to, socket }: { to: Target; socket: Socket },
): void {
  const headers = headersFor(message, to);
  // Node frames the body again; without a length it is sent in chunks.
  const isChunked = message.headers['transfer-encoding'] !== undefined;
  const sent = request({
    createConnection: () => (to.isSecure ? secure(socket, to.host) : socket),
    method: message.method,
    path: to.path,
    headers: [...headers, 'Connection', 'close', ...(isChunked ? ['Transfer-Encoding', 'chunked'] : [])],
    setHost: false,
  });
  sent.on('response', (answer) => {
    const passed = answer.rawHeaders.flatMap((header, at) =>
      at % 2 === 1 || HOP_BY_HOP.has(header.toLowerCase()) ? [] : [header, answer.rawHeaders[at + 1] ?? ''],
    );
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, passed);
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  sent.on('error', (error) => (response.headersSent ? response.destroy() : refuse(response, 502, error.message)));
  response.on('close', () => sent.destroy());
  message.pipe(sent);
}

function upgrade(
  message: IncomingMessage,
  { to, socket, client, head }: { to: Target; socket: Socket; client: Duplex; head: Buffer },
): void {
  const sent = request({
    createConnection: () => (to.isSecure ? secure(socket, to.host) : socket),
    method: message.method,
    path: to.path,
    headers: [...headersFor(message, to), 'Connection', 'Upgrade', 'Upgrade', message.headers.upgrade ?? ''],
    setHost: false,
  });
  const answerWith = (answer: IncomingMessage) => {
    const lines = answer.rawHeaders.flatMap((header, at) =>
      at % 2 === 1 ? [] : [`${header}: ${answer.rawHeaders[at + 1] ?? ''}`],
    );
    client.write(`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  };
  sent.on('upgrade', (answer, upstream, first) => {
    answerWith(answer);
    client.write(first);
    join(client, upstream, head);
  });
  sent.on('response', (answer) => refuseSocket(client, answer.statusCode ?? 502, answer.statusMessage ?? 'refused'));
  sent.on('error', (error) => refuseSocket(client, 502, error.message));
  sent.end();
}

/** Passes bytes in both directions until both sides have ended. */
function join(client: Duplex, upstream: Duplex, head: Buffer): void {
  if (head.length > 0) upstream.write(head);
  client.pipe(upstream).pipe(client);
  for (const [one, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
}

function track(sockets: Set<Duplex>, socket: Duplex): void {
  sockets.add(socket);
  // What fails is reported where it is used; without a listener the whole proxy would end.
  socket.on('error', () => {});
  socket.once('close', () => sockets.delete(socket));
}

function statusOf(error: unknown): number {
  return error instanceof Refused ? 403 : 502;
}

function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  const isUnlisted = error instanceof Refused && !(error instanceof PolicyRefused);
  return isUnlisted ? `${reason}; network.allow in your own settings names further hosts` : reason;
}

function refuse(response: ServerResponse, status: number, reason: string): void {
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    Connection: 'close',
    'X-Manyhands': 'refused',
  });
  response.end(`Manyhands: ${reason}\n`);
}

function refuseSocket(client: Duplex, status: number, reason: string): void {
  const body = `Manyhands: ${reason}\n`;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}`,
    'Content-Type: text/plain; charset=utf-8',
    'X-Manyhands: refused',
    'Connection: close',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  client.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
