import { readFileSync, readlinkSync } from 'node:fs';
import { AppError, errorCode } from '../errors.ts';
import { realWorld } from '../world.ts';
import { cgroupBase, cgroupMembers, findCgroup, killCgroup, leaveCgroup } from './cgroup.ts';
import { identify, liveness, type ProcessIdentity, requireToken } from './identity.ts';
import { removeLimits } from './limit-groups.ts';
import { listedAfterNow, listProcesses, type ProcessListing } from './list-processes.ts';
import { waitForDrain } from './lost-output.ts';
import { thisMachine } from './machine.ts';
import { BRIDGE_NAME } from './network/bridge.ts';
import type { ProcessEntry } from './proc-stat.ts';
import { timeLimit } from './time-limit.ts';
import { waitForExit } from './wait-for-exit.ts';

/** How to recognize the processes of a launched program. */
type OwnershipMarks = {
  /** The shim, if its pid is valid here: same boot, same pid namespace. */
  shim: ProcessIdentity | undefined;
  /** Those whose environment has its token. */
  tokenHolders: ReadonlySet<ProcessEntry>;
  /** The pids in its cgroup. */
  contained: ReadonlySet<number>;
  /** Processes found before, by `keyOf`: their children are found even without any other mark. */
  found: ReadonlySet<string>;
};

/** A launch whose processes are to be ended. */
export type Target = { identity: ProcessIdentity; folder: string; token: string };

/** The processes that a sandbox consists of besides its program, by their names. */
const SANDBOX_HELPERS: ReadonlySet<string> = new Set(['bwrap', BRIDGE_NAME]);
/** After a kill all processes end within this time, unless the system is faulty. */
const KILLED_MS = 10_000;
const LONGEST_PAUSE_MS = 50;
/** How long what a program wrote before it exited is copied, before its leftover children are killed. */
const DRAIN_MS = 250;

/** Sends SIGTERM to a launched program, waits, then kills it and every descendant; none is left afterwards. */
export async function terminate(target: Target, options: { graceMs: number }): Promise<void> {
  if (liveness(target.identity) === 'alive' && options.graceMs > 0) await requestExit(target, options.graceMs);
  await sweep(target);
}

/** Kills all processes that a launched program has left running (daemons, too); returns how many there were, without the sandbox's own. */
export async function sweep(target: Target): Promise<number> {
  requireToken(target.token);
  if (thisMachine()?.boot !== target.identity.boot) return 0;
  const cgroup = findCgroup(target);
  const isEnded = liveness(target.identity) !== 'alive' && (await isEmpty(target, cgroup));
  const killed = isEnded ? 0 : await killMembers(target, cgroup);
  await leaveCgroup(target);
  await removeLimits(target);
  return killed;
}

/** Whether a listing that began after this call shows no process of the launch; sweeps at about the same time share it. */
async function isEmpty(target: Target, cgroup: string | undefined): Promise<boolean> {
  const listing = await listedAfterNow();
  // One that is forked after the listing is in the group of its parent.
  if (cgroup !== undefined && cgroupMembers(cgroup).size > 0) return false;
  return membersIn(listing, target, { cgroup: undefined, found: new Set() }).length === 0;
}

/** Kills all members until there are none, and returns how many there were, without the sandbox's own. */
async function killMembers(target: Target, cgroup: string | undefined): Promise<number> {
  const killed = new Set<string>();
  /** Judged when it is found: it may have ended by itself when the others are listed again. */
  const ending = new Set<string>();
  const onFound = (member: ProcessEntry) => {
    if (member.isEnding === true || isSandboxHelper(member) || endsWithSandbox(member)) ending.add(keyOf(member));
  };
  using limit = timeLimit(KILLED_MS, realWorld);
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const members = freeze(target, cgroup, { found: killed, onFound });
    if (members.length === 0) break;
    if (limit.signal.aborted) throw stuck(members);
    if (cgroup !== undefined) killCgroup(cgroup);
    for (const member of members) signalOne(member, 'SIGKILL');
    await realWorld.sleep(pauseMs);
  }
  return killed.size - ending.size;
}

/** How a program's descendants are found on this system; only a cgroup contains those that hide on purpose. */
export function containment(): { kind: 'cgroup' | 'process-tree'; detail: string } {
  const base = cgroupBase();
  if (base.kind === 'writable') return { kind: 'cgroup', detail: `cgroup v2 at ${base.path}` };
  const marks = process.platform === 'linux' ? 'parents, sessions and a token' : 'parents and process groups only';
  return { kind: 'process-tree', detail: `${base.reason}; descendants are found by ${marks}` };
}

async function requestExit(target: Target, graceMs: number): Promise<void> {
  for (const member of findMembers(target, findCgroup(target), new Set())) {
    if (isSandboxHelper(member)) continue;
    signalOne(member, 'SIGTERM');
    signalOne(member, 'SIGCONT');
  }
  using limit = timeLimit(graceMs, realWorld);
  try {
    await waitForExit(target.folder, target.identity, limit.signal);
    await waitForDrain(target.folder, limit.signal, DRAIN_MS);
  } catch (error) {
    if (!limit.signal.aborted) throw error;
  }
}

/** Stops all members until no new one is found, because a running process can fork faster than we can list. */
function freeze(
  target: Target,
  cgroup: string | undefined,
  { found, onFound }: { found: Set<string>; onFound(member: ProcessEntry): void },
): ProcessEntry[] {
  for (;;) {
    const members = findMembers(target, cgroup, found);
    const fresh = members.filter((member) => !found.has(keyOf(member)));
    if (fresh.length === 0) return members;
    for (const member of fresh) {
      found.add(keyOf(member));
      signalOne(member, 'SIGSTOP');
      onFound(member);
    }
  }
}

/** The living processes of a launch. */
export function membersOf(target: Target): ProcessEntry[] {
  return findMembers(target, findCgroup(target), new Set());
}

function findMembers(target: Target, cgroup: string | undefined, found: ReadonlySet<string>): ProcessEntry[] {
  return membersIn(listProcesses(), target, { cgroup, found });
}

function membersIn(
  listing: ProcessListing,
  { identity, token }: Target,
  { cgroup, found }: { cgroup: string | undefined; found: ReadonlySet<string> },
): ProcessEntry[] {
  const isSameNamespace = thisMachine()?.pidNamespace === identity.pidNamespace;
  return selectDescendants(listing.entries, {
    shim: isSameNamespace ? identity : undefined,
    // Only those that started after the shim can have it; one that belongs to another user is not ours to signal.
    tokenHolders: process.platform === 'linux' ? listing.holdersOf(token, Number(identity.startTime)) : new Set(),
    contained: cgroup === undefined ? new Set() : cgroupMembers(cgroup),
    found,
  });
}

/** Whether the system ends it by itself: the processes of a sandbox have a namespace of their own, and end a moment after its first one. */
function endsWithSandbox({ pid, startTime }: ProcessEntry): boolean {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`) !== readlinkSync('/proc/self/ns/pid');
  } catch {
    // It has ended by itself, so it was not left running; the kernel may then also answer that access is denied.
    return process.platform === 'linux' && identify(pid)?.startTime !== startTime;
  }
}

/** A sandbox that gets a signal to exit ends its program at once, and its bridge the network, so only the program gets it. */
function isSandboxHelper({ pid }: ProcessEntry): boolean {
  try {
    return process.platform === 'linux' && SANDBOX_HELPERS.has(readFileSync(`/proc/${pid}/comm`, 'latin1').trim());
  } catch {
    // It has ended by itself, so it was not left running.
    return true;
  }
}

function signalOne(member: ProcessEntry, signal: NodeJS.Signals): void {
  if (identify(member.pid)?.startTime !== member.startTime) return;
  try {
    process.kill(member.pid, signal);
  } catch (error) {
    // It ended before the signal, or now belongs to another user (setuid): the next listing shows it.
    if (errorCode(error) !== 'ESRCH' && errorCode(error) !== 'EPERM') throw error;
  }
}

function stuck(members: readonly ProcessEntry[]): AppError {
  const pids = members.map((member) => member.pid);
  return new AppError('PROCESS_STUCK', `Killed processes do not end: ${pids.join(', ')}`, { pids });
}

/** Distinguishes a process from a later one with the same pid. */
function keyOf(entry: ProcessEntry): string {
  return `${entry.pid} ${entry.startTime}`;
}

/**
 * The running processes that a launched program has started, and its shim. A session or group counts only while it is
 * proven to be the shim's: its number may have been reused.
 */
export function selectDescendants(table: readonly ProcessEntry[], marks: OwnershipMarks): ProcessEntry[] {
  const living = table.filter((entry) => !entry.isEnded && entry.pid !== process.pid && entry.pid !== 1);
  const { tokenHolders } = marks;
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
  if (roots.length === 0) return [];
  const children = Map.groupBy(living, (entry) => entry.parent);
  const selected = new Set(roots);
  for (const entry of selected) {
    for (const child of children.get(entry.pid) ?? []) selected.add(child);
  }
  return [...selected];
}
