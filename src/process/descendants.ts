import { readFileSync } from 'node:fs';
import type { ProcessIdentity } from './identity.ts';
import type { ProcessEntry } from './proc-stat.ts';

/** How to recognize the processes of a launched program. */
export type OwnershipMarks = {
  /** The shim, if its pid is valid here: same boot, same pid namespace. */
  shim: ProcessIdentity | undefined;
  hasToken: (entry: ProcessEntry) => boolean;
  /** The pids in its cgroup. */
  contained: ReadonlySet<number>;
  /** Processes found before, by `keyOf`: their children are found even without any other mark. */
  found: ReadonlySet<string>;
};

/** Distinguishes a process from a later one with the same pid. */
export function keyOf(entry: ProcessEntry): string {
  return `${entry.pid} ${entry.startTime}`;
}

/**
 * The running processes that a launched program has started, and its shim. A session or group counts only while it is
 * proven to be the shim's: its number may have been reused.
 */
export function selectDescendants(table: readonly ProcessEntry[], marks: OwnershipMarks): ProcessEntry[] {
  const living = table.filter((entry) => !entry.isEnded && entry.pid !== process.pid && entry.pid !== 1);
  const tokenHolders = new Set(living.filter(marks.hasToken));
  const shimPid = provenShim(table, tokenHolders, marks.shim);
  const roots = living.filter(
    (entry) =>
      tokenHolders.has(entry) ||
      marks.contained.has(entry.pid) ||
      marks.found.has(keyOf(entry)) ||
      (shimPid !== undefined && [entry.pid, entry.session, entry.group].includes(shimPid)),
  );
  return withChildren(roots, living);
}

function provenShim(
  table: readonly ProcessEntry[],
  tokenHolders: ReadonlySet<ProcessEntry>,
  shim: ProcessIdentity | undefined,
): number | undefined {
  if (shim === undefined) return undefined;
  const holder = table.find((entry) => entry.pid === shim.pid);
  if (holder !== undefined) return holder.startTime === shim.startTime ? shim.pid : undefined;
  const isPinned = [...tokenHolders].some((entry) => entry.session === shim.pid || entry.group === shim.pid);
  return isPinned ? shim.pid : undefined;
}

function withChildren(roots: readonly ProcessEntry[], living: readonly ProcessEntry[]): ProcessEntry[] {
  const children = Map.groupBy(living, (entry) => entry.parent);
  const selected = new Set(roots);
  for (const entry of selected) {
    for (const child of children.get(entry.pid) ?? []) selected.add(child);
  }
  return [...selected];
}

/** A test for the token in a process's environment; only processes that started after the shim can have it. Linux only. */
export function tokenTest(token: string, shim: ProcessIdentity): (entry: ProcessEntry) => boolean {
  if (process.platform !== 'linux') return () => false;
  const value = `=${token}\0`;
  const earliest = Number(shim.startTime);
  return (entry) => {
    if (Number(entry.startTime) < earliest) return false;
    try {
      return readFileSync(`/proc/${entry.pid}/environ`, 'latin1').includes(value);
    } catch {
      // It has ended or belongs to another user: not ours to signal in either case.
      return false;
    }
  };
}
