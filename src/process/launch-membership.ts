import { readFileSync, statSync } from 'node:fs';
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

/** Whether the environment with which a process started marks it as one of an attempt; a process can evade this. */
export function hasAttemptToken(pid: number): boolean {
  try {
    return /(?:^|\0)MANYHANDS_TOKEN=/.test(readFileSync(`/proc/${pid}/environ`, 'latin1'));
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
  const wanted = fileOf(root);
  for (let path = folder; wanted !== undefined; path = dirname(path)) {
    if (fileOf(path) === wanted || path === join(root)) return true;
    if (path === dirname(path)) return false;
  }
  return false;
}

function fileOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev} ${found.ino}`;
}
