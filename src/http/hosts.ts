import { isIP } from 'node:net';

/** The host names that the server accepts; any other may be DNS rebinding. */
export type Hosts = {
  /** Names besides those of loopback, each with or without a port. */
  names: readonly string[];
  port: number;
  /** Whether other machines may connect: then the local address of the connection is accepted too. */
  isRemote: boolean;
};

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** Whether a Host header names this server, given the local address of the connection. */
export function isOwnHost(host: string | undefined, hosts: Hosts, localAddress: string | undefined): boolean {
  if (host === undefined) return false;
  const { name, port } = split(host.toLowerCase());
  if (hosts.names.some((own) => own.toLowerCase() === host.toLowerCase())) return true;
  if (port !== hosts.port) return false;
  if (LOOPBACK.includes(name) || hosts.names.some((own) => own.toLowerCase() === name)) return true;
  return hosts.isRemote && localAddress !== undefined && name === asHost(localAddress);
}

/** Whether an Origin header belongs to a page of this server: it has the host of the request; an allowed name may be behind TLS. */
export function isOwnOrigin(origin: string, host: string, hosts: Hosts): boolean {
  const own = host.toLowerCase();
  if (origin === `http://${own}`) return true;
  return origin === `https://${own}` && hosts.names.some((name) => own === name.toLowerCase());
}

/** Whether an address can be reached only from this machine. */
export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address);
}

/** An address as a URL contains it. */
export function asHost(address: string): string {
  const plain = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
  return isIP(plain) === 6 ? `[${plain}]` : plain;
}

function split(host: string): { name: string; port: number } {
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(host);
  return { name: match?.[1] ?? '', port: Number(match?.[2] ?? 80) };
}
