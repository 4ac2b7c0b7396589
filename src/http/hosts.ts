import { isIP } from 'node:net';

/** By which names the server may be called: DNS rebinding comes with any other. */
export type Hosts = {
  /** Names besides those of loopback, each with its port or for any. */
  names: readonly string[];
  port: number;
  /** Whether other machines may call: then the address at which they reached us is a name too. */
  isRemote: boolean;
};

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** Whether a Host header names this server, as it was reached at a local address. */
export function isOurHost(host: string | undefined, hosts: Hosts, localAddress: string | undefined): boolean {
  if (host === undefined) return false;
  const { name, port } = split(host.toLowerCase());
  if (hosts.names.some((own) => own.toLowerCase() === host.toLowerCase())) return true;
  if (port !== hosts.port) return false;
  if (LOOPBACK.includes(name) || hosts.names.some((own) => own.toLowerCase() === name)) return true;
  return hosts.isRemote && localAddress !== undefined && name === asHost(localAddress);
}

/** Whether an Origin header is that of a page of ours, which has the host of the request itself; a name that was allowed may be behind TLS. */
export function isOurOrigin(origin: string, host: string, hosts: Hosts): boolean {
  const own = host.toLowerCase();
  if (origin === `http://${own}`) return true;
  return origin === `https://${own}` && hosts.names.some((name) => own === name.toLowerCase());
}

/** Whether only programs of this machine can reach an address. */
export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address);
}

/** An address as it stands in a URL. */
export function asHost(address: string): string {
  const plain = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
  return isIP(plain) === 6 ? `[${plain}]` : plain;
}

function split(host: string): { name: string; port: number } {
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(host);
  return { name: match?.[1] ?? '', port: Number(match?.[2] ?? 80) };
}
