import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { realWorld } from '../../world.ts';
import { type AllowedHost, type Destination, isAddressAllowed, isLocalName, judgeDestination } from './destination.ts';

/** Finds all addresses of a name. */
export type Resolve = (host: string) => Promise<string[]>;

/** A connection that the rules forbid. */
export class Refused extends Error {}

const CONNECT_MS = 20_000;

/** The addresses that the system knows for a name. */
const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

/**
 * Connects to a destination that the rules allow. A name is resolved once and the connection goes to the address that was
 * judged, so that a name which changes its address between two questions gains nothing.
 */
export async function connectTo(
  destination: Destination,
  allow: readonly AllowedHost[],
  { resolve = systemResolve, via }: { resolve?: Resolve; via?: URL | undefined },
): Promise<Socket> {
  const verdict = judgeDestination(destination, allow);
  if (verdict.kind === 'refused') throw new Refused(verdict.reason);
  const { host, port } = destination;
  // A proxy of the person resolves names itself; their private hosts are reached directly.
  if (via !== undefined && !verdict.isPrivate) return connectThrough(via, destination);
  const addresses = await addressesOf(host, resolve);
  const allowed = addresses.filter((address) => isAddressAllowed(address, verdict.isPrivate));
  if (allowed.length === 0)
    throw new Refused(`${host} has no public address (${addresses.slice(0, 4).join(', ') || 'none at all'})`);
  let failure: unknown;
  for (const address of allowed.slice(0, 4)) {
    try {
      return await openSocket(address, port);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** TLS on a connection, with the certificate of the name. */
export function secure(socket: Socket, host: string): TLSSocket {
  return connectTls({ socket, ...(isIP(host) === 0 ? { servername: host } : {}), ALPNProtocols: ['http/1.1'] });
}

async function addressesOf(host: string, resolve: Resolve): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  return isLocalName(host) ? ['127.0.0.1', '::1'] : resolve(host);
}

function openSocket(host: string, port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ host, port, noDelay: true });
  const cancel = realWorld.alarm(realWorld.now() + CONNECT_MS, () =>
    socket.destroy(new Error(`no answer from ${host} within ${CONNECT_MS / 1000} s`)),
  );
  socket.once('connect', () => {
    socket.removeListener('error', reject);
    resolve(socket);
  });
  socket.once('error', reject);
  return promise.finally(cancel);
}

/** Through the HTTP proxy that the person's environment names. */
async function connectThrough(proxy: URL, { host, port }: Destination): Promise<Socket> {
  const socket = await openSocket(proxy.hostname.replace(/^\[|\]$/g, ''), Number(proxy.port || 80));
  const target = isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
  const login = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const header = proxy.username === '' ? '' : `Proxy-Authorization: Basic ${Buffer.from(login).toString('base64')}\r\n`;
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${header}\r\n`);
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  let head = Buffer.alloc(0);
  const onEnd = () => reject(new Error(`the proxy ${proxy.host} closed the connection`));
  const onData = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0 && head.length < 16_384) return;
    for (const [event, listener] of [
      ['data', onData],
      ['end', onEnd],
      ['error', reject],
    ] as const) {
      socket.removeListener(event, listener);
    }
    socket.pause();
    if (!/^HTTP\/1\.[01] 2\d\d/.test(head.toString('latin1'))) {
      socket.destroy();
      reject(new Error(`the proxy ${proxy.host} refused: ${head.toString('latin1').split('\r\n')[0]}`));
      return;
    }
    if (head.length > end + 4) socket.unshift(head.subarray(end + 4));
    resolve(socket);
  };
  socket.on('data', onData).once('end', onEnd).once('error', reject);
  return promise;
}
