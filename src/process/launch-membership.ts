import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cgroupMembers, launchGroupsOf } from './cgroup.ts';
import { type ProcessEntry, probeProc } from './proc-stat.ts';
import { shimFolder } from './shim.ts';

/**
 * Whether a process belongs to a program that was launched in a folder below a given one: by its cgroup, its ancestors
 * and their sessions, whatever its environment contains. `unknown`: the process, or the shim of its launch, has ended.
 */
export type Membership = { kind: 'inside'; folder: string } | { kind: 'outside' } | { kind: 'unknown' };

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

/** Both ends of a TCP connection within this machine. */
export type LocalConnection = { port: number; remotePort: number };

/** Whether the other end of a connection within this machine is held by a launched program; `unknown`: no process holds it any more. */
export function holderMembership(connection: LocalConnection, root: string): Membership {
  if (process.platform !== 'linux') return { kind: 'outside' };
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  // Without a running launch there is nothing to search for.
  if (!foldersOf(new Set(pids.map(Number))).some((folder) => isBelow(folder, root))) return { kind: 'outside' };
  const inode = inodeOf(connection);
  if (inode === undefined) return { kind: 'unknown' };
  const holders = pids.filter((pid) => hasDescriptor(pid, `socket:[${inode}]`));
  const found = holders.map((pid) => membershipOf(Number(pid), root));
  return found.find(({ kind }) => kind === 'inside') ?? { kind: 'outside' };
}

/** The inode of the socket at the other end, from the system's table of connections. */
function inodeOf({ port, remotePort }: LocalConnection): string | undefined {
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of linesOf(table)) {
      const [, own = '', other = '', , , , , , , inode] = line.trim().split(/\s+/);
      if (portOf(own) === remotePort && portOf(other) === port && inode !== '0') return inode;
    }
  }
  return undefined;
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'latin1').split('\n').slice(1);
  } catch {
    // A system without IPv6 has no such table.
    return [];
  }
}

function portOf(address: string): number {
  return Number.parseInt(address.slice(address.lastIndexOf(':') + 1), 16);
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
  try {
    const found = /(?:^|\0)MANYHANDS_TOKEN=([^\0]*)/.exec(readFileSync(`/proc/${pid}/environ`, 'latin1'));
    return isAttemptToken(found?.[1]);
  } catch {
    // It has ended, belongs to another user, or the system has no /proc.
    return false;
  }
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
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev} ${found.ino}`;
}
