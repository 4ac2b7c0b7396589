import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/** A host that a program may reach: a name, `*.` and a name, or an address; `ports` are 80 and 443 unless given. */
export type AllowedHost = {
  host: string;
  ports?: number[] | undefined;
  /** The person named host and port: it may also be this machine or one of the private network. */
  isPrivate?: boolean | undefined;
  /** Without it the agent of the session cannot work at all, so that no policy rule is about it. */
  isVendor?: boolean | undefined;
};

/** What a client requests a connection to. */
export type Destination = { host: string; port: number };

export type DestinationVerdict = { kind: 'allowed'; isPrivate: boolean } | { kind: 'refused'; reason: string };

const DEFAULT_PORTS: readonly number[] = [80, 443];
const NAME = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/** Nobody's business, whatever the settings say: cloud metadata, link-local, multicast and unspecified addresses. */
const FORBIDDEN = blockList(
  [
    '0.0.0.0/8',
    '169.254.0.0/16',
    '224.0.0.0/4',
    '240.0.0.0/4',
    '100.100.100.200/32',
    '192.0.0.192/32',
    '168.63.129.16/32',
  ],
  ['::/128', 'fe80::/10', 'ff00::/8', 'fd00:ec2::/32', 'fd20:ce::254/128'],
);
/** IPv4 addresses that are written as one of IPv6, and those to which a network may translate one of IPv6. */
const MAPPED = /^::(?:ffff:)?([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;
const TRANSLATED =
  /^(?:64:ff9b:(?:1:)?:|::ffff:0:|2002:(?=[0-9a-f]{1,4}:[0-9a-f]{1,4}:))([0-9a-f]{1,4}):([0-9a-f]{1,4})/;
/** This machine, private networks, and ranges that are translated to other addresses. */
const PRIVATE = blockList(
  [
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
  ],
  // Only 2000::/3 is public.
  ['::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
);

/** The host as it is compared: lower case, ASCII, without the final dot, and each spelling of an address as the address; undefined for what is no host. */
export function normalHost(text: string): string | undefined {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (isIP(bare) === 6) return bare.includes('%') ? undefined : canonicalIpv6(bare);
  if (bare.includes(':')) return undefined;
  // A resolver also reads 127.1, 0x7f.1 and 2130706433 as addresses; this parser turns all of them into the usual form.
  const ascii = domainToASCII(bare.replace(/\.$/, ''));
  const host = URL.parse(`http://${ascii}/`)?.hostname;
  if (ascii === '' || host === undefined || host === '') return undefined;
  return isIP(host) === 4 || NAME.test(host) ? host : undefined;
}

/** `host:port` or `[address]:port`, as CONNECT and settings have it; undefined for anything else. */
export function parseDestination(text: string): Destination | undefined {
  const [, name, digits] = /^(\[[0-9a-fA-F:.]+\]|[^:[\]\s/@?#\\]+):(\d{1,5})$/.exec(text) ?? [];
  const host = name === undefined ? undefined : normalHost(name);
  const port = Number(digits);
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}

/** Whether the rules allow this destination, by its name and port alone; its addresses are judged by `isAddressAllowed`. */
export function judgeDestination({ host, port }: Destination, allowed: readonly AllowedHost[]): DestinationVerdict {
  const matching = allowed.filter((each) => matchesHost(each.host, host));
  if (matching.length === 0) {
    const reason = isIP(host) === 0 ? 'is not listed' : 'is an address that your own settings do not name';
    return { kind: 'refused', reason: `${host} ${reason}` };
  }
  const usable = matching.filter(({ ports = DEFAULT_PORTS }) => ports.includes(port));
  const isPrivate = usable.some((each) => each.isPrivate === true);
  if (usable.length === 0) return { kind: 'refused', reason: `port ${port} of ${host} is not listed` };
  if (!isPrivate && (isIP(host) !== 0 || isLocalName(host)))
    return {
      kind: 'refused',
      reason: `${host} is not a public host; only your own settings can name it, with its port`,
    };
  return { kind: 'allowed', isPrivate };
}

/** Whether a destination is one of the agent's vendor. */
export function isVendorHost({ host, port }: Destination, allowed: readonly AllowedHost[]): boolean {
  return allowed.some(
    (each) => each.isVendor === true && matchesHost(each.host, host) && (each.ports ?? DEFAULT_PORTS).includes(port),
  );
}

/** Whether a resolved address may be connected to: a public one, or a private one where the person named host and port. */
export function isAddressAllowed(address: string, isPrivate: boolean): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  const plain = family === 6 ? embeddedIpv4(address, MAPPED) : address;
  if (plain !== undefined) return !FORBIDDEN.check(plain) && (isPrivate || !PRIVATE.check(plain));
  const translated = embeddedIpv4(address, TRANSLATED);
  if (translated !== undefined && FORBIDDEN.check(translated)) return false;
  return !FORBIDDEN.check(address) && (isPrivate || !PRIVATE.check(address));
}

/** Whether a name means this machine without asking a resolver. */
export function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

function matchesHost(pattern: string, host: string): boolean {
  if (!pattern.startsWith('*.')) return normalHost(pattern) === host;
  const domain = normalHost(pattern.slice(2));
  return domain !== undefined && isIP(host) === 0 && host.endsWith(`.${domain}`);
}

/** The IPv4 address in one of IPv6 of this form. */
function embeddedIpv4(address: string, form: RegExp): string | undefined {
  const [, high, low] = form.exec(canonicalIpv6(address) ?? '') ?? [];
  if (high === undefined || low === undefined) return undefined;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join('.');
}

function canonicalIpv6(address: string): string | undefined {
  return URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1);
}

/** One list for both would take an address of IPv4 for one of IPv6 as well. */
function blockList(ipv4: readonly string[], ipv6: readonly string[]): { check(address: string): boolean } {
  const [own, other] = [listOf(ipv4, 'ipv4'), listOf(ipv6, 'ipv6')];
  return { check: (address) => (isIP(address) === 6 ? other.check(address, 'ipv6') : own.check(address)) };
}

function listOf(subnets: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [net = '', prefix] = subnet.split('/');
    list.addSubnet(net, Number(prefix), family);
  }
  return list;
}
