import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cgroupMembers, launchGroupsOf } from './cgroup.ts';
import { environmentOf, type ProcessEntry, probeProc } from './proc-stat.ts';
import { shimFolder } from './shim.ts';

/**
 * Whether a process belongs to a program that was launched in a folder below a given one: by its cgroup, its ancestors
 * and their sessions, whatever its environment contains. `unknown`: the process, or the shim of its launch, has ended.
 */
export type Membership = { kind: 'inside'; folder: string } | { kind: 'outside' } | { kind: 'unknown' };

/** The program of the network proxy, among the arguments of its process. */
const NETWORK_PROXY = /\0[^\0]*\/(?:network-proxy\.js|proxy-program\.ts)\0/;

/** The membership of a process; one that started after `startedBefore` (in ticks since boot) is not the one in question. */
export function membershipOf(pid: number, root: string, startedBefore = Number.POSITIVE_INFINITY): Membership {
  if (process.platform !== 'linux') return { kind: 'outside' };
  const lineage = lineageOf(pid);
  const own = lineage[0];
  if (own === undefined || own.isEnded || Number(own.startTime) > startedBefore) return { kind: 'unknown' };
  const groups = launchGroupsOf(pid).map((group) => foldersOf(cgroupMembers(group)));
  const leaders = lineage.flatMap((entry) => [entry.pid, entry.session, entry.group]);
  const folder = [...foldersOf(new Set(leaders)), ...groups.flat()].find((each) => isBelow(each, root));
  if (folder !== undefined) return { kind: 'inside', folder };
  return groups.some((folders) => folders.length === 0) ? { kind: 'unknown' } : { kind: 'outside' };
}

/** Both ends of a TCP connection as the end that accepted it sees them; `isLocal`: the other end is certainly of this machine. */
export type TcpConnection = {
  address: string;
  port: number;
  remoteAddress: string;
  remotePort: number;
  isLocal: boolean;
};

/**
 * Whether the other end of a connection is held by a launched program; `unknown`: no process of this user holds it,
 * because it has ended, or has hidden the connection in a message to itself or in a thread of its own.
 */
export function holderMembership(connection: TcpConnection, root: string): Membership {
  if (process.platform !== 'linux') return { kind: 'outside' };
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  // Without a running launch there is nothing to search for.
  if (!foldersOf(new Set(pids.map(Number))).some((folder) => isBelow(folder, root))) return { kind: 'outside' };
  const found = otherEndOf(connection);
  if (found === undefined) return { kind: connection.isLocal ? 'unknown' : 'outside' };
  const holders = pids.filter((pid) => hasDescriptor(pid, `socket:[${found.inode}]`));
  // What a network proxy passes on comes from a contained program, or from one that has opened itself a session.
  if (holders.some(isNetworkProxy)) return { kind: 'inside', folder: join(root, 'network') };
  const memberships = holders.map((pid) => membershipOf(Number(pid), root));
  const inside = memberships.find(({ kind }) => kind === 'inside');
  if (inside !== undefined) return inside;
  if (memberships.some(({ kind }) => kind === 'outside')) return { kind: 'outside' };
  const own = process.getuid?.();
  // Root sees the descriptors of everybody.
  if (found.user === own || own === 0) return { kind: 'unknown' };
  // Those of another user cannot be seen; a launched program may have become that user, for example by sudo.
  const others = pids.filter((pid) => userOf(pid) === found.user).map((pid) => membershipOf(Number(pid), root));
  return others.find(({ kind }) => kind === 'inside') ?? { kind: 'outside' };
}

/** The socket at the other end and its user, from the system's table of connections; undefined where it is not of this machine. */
function otherEndOf({ address, port, remoteAddress, remotePort }: TcpConnection) {
  const [own, other] = [`${plainAddress(remoteAddress)} ${remotePort}`, `${plainAddress(address)} ${port}`];
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of linesOf(table)) {
      const [, local = '', remote = '', , , , , user, , inode = '0'] = line.trim().split(/\s+/);
      if (inode !== '0' && endOf(local) === own && endOf(remote) === other) return { inode, user: Number(user) };
    }
  }
  return undefined;
}

/** An end as that table has it: an address whose groups of four bytes are reversed, and a port. */
function endOf(text: string): string {
  const [digits = '', port = ''] = text.split(':');
  const bytes = (digits.match(/.{8}/g) ?? []).flatMap((group) => (group.match(/../g) ?? []).reverse());
  const numbers = bytes.map((byte) => Number.parseInt(byte, 16));
  const words = (bytes.join('').match(/.{4}/g) ?? []).join(':');
  const address = numbers.length === 4 ? numbers.join('.') : (URL.parse(`http://[${words}]/`)?.hostname ?? '');
  return `${plainAddress(address.replace(/^\[|\]$/g, ''))} ${Number.parseInt(port, 16)}`;
}

/** An IPv4 address is the same in both tables. */
function plainAddress(address: string): string {
  const [, high = '', low = ''] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address) ?? [];
  if (high === '') return address.replace(/^::ffff:(?=\d+\.)/i, '');
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join('.');
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'latin1').split('\n').slice(1);
  } catch {
    // A system without IPv6 has no such table.
    return [];
  }
}

function isNetworkProxy(pid: string): boolean {
  try {
    return NETWORK_PROXY.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
  } catch {
    // It has ended since it was listed.
    return false;
  }
}

function userOf(pid: string): number | undefined {
  try {
    return statSync(`/proc/${pid}`).uid;
  } catch {
    // It has ended since it was listed.
    return undefined;
  }
}

function hasDescriptor(pid: string, target: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((name) => linkTarget(`/proc/${pid}/fd/${name}`) === target);
  } catch {
    // It has ended, or belongs to another user, as no launched program does.
    return false;
  }
}

function linkTarget(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    // The descriptor was closed since it was listed.
    return undefined;
  }
}

/** Whether the variable marks a process of an attempt: the tokens with which people use a server begin with `mht_`. */
export function isAttemptToken(token: string | undefined): boolean {
  return token !== undefined && !token.startsWith('mht_');
}

/** Whether the environment with which a process started marks it as one of an attempt; a process can evade this. */
export function hasAttemptToken(pid: number): boolean {
  return isAttemptToken(/(?:^|\0)MANYHANDS_TOKEN=([^\0]*)/.exec(environmentOf(pid))?.[1]);
}

/** The process and its ancestors, nearest first. */
function lineageOf(pid: number): ProcessEntry[] {
  const lineage: ProcessEntry[] = [];
  for (let next = pid; next > 0 && lineage.every((entry) => entry.pid !== next); ) {
    const found = probeProc(next);
    if (found.kind !== 'found') break;
    lineage.push(found.entry);
    next = found.entry.parent;
  }
  return lineage;
}

/** The launch folders of those processes that are shims. */
function foldersOf(pids: ReadonlySet<number>): string[] {
  return [...pids].flatMap((pid) => {
    try {
      return shimFolder(readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? [];
    } catch {
      // It has ended, or belongs to another user.
      return [];
    }
  });
}

/** Compares files and not paths, so that a link or a mount to the same folder is recognized. */
function isBelow(folder: string, root: string): boolean {
  const target = fileOf(root);
  for (let path = folder; target !== undefined; path = dirname(path)) {
    if (fileOf(path) === target || path === join(root)) return true;
    if (path === dirname(path)) return false;
  }
  return false;
}

function fileOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path);
    return `${dev} ${ino}`;
  } catch {
    // There is no such file, or it is in the data directory of another user.
    return undefined;
  }
}
