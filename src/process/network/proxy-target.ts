import type { IncomingMessage } from 'node:http';
import { type Destination, normalHost } from './destination.ts';
import { headerWithKey, pathWithKey } from './key-route.ts';
import type { KeyRoute } from './session-rules.ts';

/** Where a request goes. */
export type Target = Destination & { isSecure: boolean; path: string; route?: KeyRoute };

/** The address at which a sandbox reaches its proxy; outside of the range that systems choose ports from. */
export const BRIDGE_PORT = 61_080;
/** How a client names the proxy itself: by this address or, where sandboxes share a loopback, by another port. */
const OWN_URL = `http://127.0.0.1:${BRIDGE_PORT}/`;
const OWN_ADDRESS = /^http:\/\/(?:127\.0\.0\.1|localhost):\d{1,5}(?=\/)/;
/** Headers that belong to one connection and not to the message. */
export const HOP_BY_HOP = new Set([
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

/** The destination of a message: a whole address, or the path below a key route. */
export function targetOf({ url = '' }: IncomingMessage, routes: readonly KeyRoute[]): Target | undefined {
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
  const path = pathWithKey(rest, route.keys);
  const target = path === undefined ? undefined : addressed(upstream, `${upstream.pathname.replace(/\/$/, '')}${path}`);
  return target === undefined ? undefined : { ...target, route };
}

function addressed(address: URL, path: string): Target | undefined {
  const host = normalHost(address.hostname);
  const isSecure = address.protocol === 'https:';
  if (host === undefined) return undefined;
  return { host, port: Number(address.port || (isSecure ? 443 : 80)), isSecure, path };
}

/** The headers that are passed on; the host is that of the address, whatever the message claims. */
export function headersFor(message: IncomingMessage, { host, port, isSecure, route }: Target): string[] {
  const usual = isSecure ? 443 : 80;
  const name = host.includes(':') ? `[${host}]` : host;
  const named = new Set((message.headers.connection ?? '').toLowerCase().split(/\s*,\s*/));
  const headers = ['Host', port === usual ? name : `${name}:${port}`];
  for (let at = 0; at + 1 < message.rawHeaders.length; at += 2) {
    const [header = '', value = ''] = message.rawHeaders.slice(at, at + 2);
    const lower = header.toLowerCase();
    if (lower === 'host' || HOP_BY_HOP.has(lower) || named.has(lower)) continue;
    // A key that the server repeats is found only in an answer that is not compressed.
    if (route !== undefined && lower === 'accept-encoding') continue;
    headers.push(header, route === undefined ? value : headerWithKey(lower, value, route.keys));
  }
  return headers;
}
