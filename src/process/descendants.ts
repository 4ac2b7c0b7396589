import { readFileSync } from 'node:fs';
import type { ProcessIdentity } from './identity.ts';
import type { ProcessEntry } from './proc-stat.ts';

/** What tells that a process belongs to a launched program. */
export type Marks = {
  /** The shim, if its number can mean it here: same boot, same pid namespace. */
  shim: ProcessIdentity | undefined;
  carriesToken: (entry: ProcessEntry) => boolean;
  /** Those in its cgroup. */
  contained: ReadonlySet<number>;
  /** Those found before, by `keyOf`: their children are found even when they have cut every other tie. */
  found: ReadonlySet<string>;
};

/** Tells a process from a later one with the same number. */
export function keyOf(entry: ProcessEntry): string {
  return `${entry.pid} ${entry.startTime}`;
}

/**
 * The living processes that a launched program has started, and its shim. A session or group counts only while it is
 * proven to be the shim's: its number may have been given to somebody else since.
 */
export function selectDescendants(table: readonly ProcessEntry[], marks: Marks): ProcessEntry[] {
  const living = table.filter((entry) => !entry.isEnded && entry.pid !== process.pid && entry.pid !== 1);
  const bearers = new Set(living.filter(marks.carriesToken));
  const shimPid = provenShim(table, bearers, marks.shim);
  const roots = living.filter(
    (entry) =>
      bearers.has(entry) ||
      marks.contained.has(entry.pid) ||
      marks.found.has(keyOf(entry)) ||
      (shimPid !== undefined && [entry.pid, entry.session, entry.group].includes(shimPid)),
  );
  return withChildren(roots, living);
}

function provenShim(
  table: readonly ProcessEntry[],
  bearers: ReadonlySet<ProcessEntry>,
  shim: ProcessIdentity | undefined,
): number | undefined {
  if (shim === undefined) return undefined;
  const holder = table.find((entry) => entry.pid === shim.pid);
  if (holder !== undefined) return holder.startTime === shim.startTime ? shim.pid : undefined;
  const isPinned = [...bearers].some((entry) => entry.session === shim.pid || entry.group === shim.pid);
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

/** A test for the token in a process's environment; only who started after the shim can have it. Linux only. */
export function tokenTest(token: string, shim: ProcessIdentity): (entry: ProcessEntry) => boolean {
  if (process.platform !== 'linux') return () => false;
  const value = `=${token}\0`;
  const earliest = Number(shim.startTime);
  return (entry) => {
    if (Number(entry.startTime) < earliest) return false;
    try {
      return readFileSync(`/proc/${entry.pid}/environ`, 'latin1').includes(value);
    } catch {
      // Ended meanwhile, or another user's: neither can be ours to signal.
      return false;
    }
  };
}
