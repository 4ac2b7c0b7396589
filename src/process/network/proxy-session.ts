import { createServer, type IncomingMessage, request, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { decidePolicy, refusalText } from '../../core/policy/decide-policy.ts';
import { connectTo, Refused, type Resolve, secure } from './connect.ts';
import { type Destination, isVendorHost, parseDestination } from './destination.ts';
import { bodyWithoutKeys, withoutKeys } from './key-route.ts';
import { HOP_BY_HOP, headersFor, type Target, targetOf } from './proxy-target.ts';
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

/** The bridge of a sandbox keeps a connection to this destination open, as long as the sandbox exists. */
export const HOLD = 'hold.manyhands.invalid:1';
const MAX_CONNECTIONS = 512;
/** Names beyond these are counted together: a program can invent any number of them. */
const MAX_HOSTS = 200;
const OTHERS = '(others)';
/**
 * Serves one session: CONNECT, requests with a whole address, and requests below the name of a key route. Node's parser
 * reads every message and Node writes it again, so that a message which two programs could read differently is refused.
 */
export function openProxySession(initial: SessionRules, options: SessionOptions): ProxySession {
  let rules = initial;
  const counts = new Map((options.earlier ?? []).map((each) => [each.host, { ...each }]));
  const sockets = new Set<Duplex>();
  let isClosed = false;
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
      if (isClosed) {
        socket.destroy();
        throw new Refused('the session has ended');
      }
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
    reach(to)
      .then((socket) => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        join(client, socket, head);
      })
      .catch((error: unknown) => refuseSocket(client, statusOf(error), reasonOf(error)));
  });
  server.on('upgrade', (message, client, head) => {
    const to = targetOf(message, rules.routes);
    if (to === undefined) return refuseSocket(client, 400, 'the request has no host');
    reach(to)
      .then((socket) => upgrade(message, { to, socket, client, head }))
      .catch((error: unknown) => refuseSocket(client, statusOf(error), reasonOf(error)));
  });
  server.on('request', (message, response) => {
    const to = targetOf(message, rules.routes);
    if (to === undefined) return refuse(response, 400, 'the request has no host');
    reach(to)
      .then((socket) => forward(message, response, { to, socket }))
      .catch((error: unknown) => refuse(response, statusOf(error), reasonOf(error)));
  });
  return {
    server,
    setRules: (next) => {
      rules = next;
    },
    use: () => [...counts.values()].map((entry) => ({ ...entry })),
    close: () => {
      isClosed = true;
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
    if (!isPassable(answer)) return void sent.destroy(new Error(`${to.host} answered with a status that is none`));
    const keys = to.route?.keys ?? [];
    const passed = answer.rawHeaders.flatMap((header, at) =>
      at % 2 === 1 || HOP_BY_HOP.has(header.toLowerCase())
        ? []
        : [header, withoutKeys(answer.rawHeaders[at + 1] ?? '', keys)],
    );
    response.writeHead(answer.statusCode ?? 502, withoutKeys(answer.statusMessage ?? '', keys), passed);
    if (keys.length === 0) answer.pipe(response);
    else answer.pipe(bodyWithoutKeys(keys)).pipe(response);
    answer.on('error', () => response.destroy());
  });
  sent.on('upgrade', (_answer, upstream) => {
    upstream.destroy();
    refuse(response, 502, `${to.host} changed the protocol without being asked to`);
  });
  sent.on('error', (error) => refuse(response, 502, error.message));
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
  const keys = to.route?.keys ?? [];
  const messageOf = ({ statusMessage = '' }: IncomingMessage) => withoutKeys(statusMessage, keys);
  const answerWith = (answer: IncomingMessage) => {
    const lines = answer.rawHeaders.flatMap((header, at) =>
      at % 2 === 1 ? [] : [`${header}: ${withoutKeys(answer.rawHeaders[at + 1] ?? '', keys)}`],
    );
    client.write(`HTTP/1.1 ${answer.statusCode} ${messageOf(answer)}\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  };
  sent.on('upgrade', (answer, upstream, first) => {
    answerWith(answer);
    client.write(first);
    join(client, upstream, head);
  });
  sent.on('response', (answer) => refuseSocket(client, answer.statusCode ?? 502, messageOf(answer) || 'refused'));
  sent.on('error', (error) => refuseSocket(client, 502, error.message));
  sent.end();
}

/** Whether Node writes the status of an answer again; it reads more than it writes. */
function isPassable({ statusCode = 0, statusMessage = '' }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode <= 999 && !/[^\t\x20-\x7e\x80-\xff]/.test(statusMessage);
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
  if (response.headersSent) return void response.destroy();
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
