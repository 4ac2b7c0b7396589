import { createHash } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  open,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  write,
  writeFileSync,
} from 'node:fs';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { errorCode, messageOf } from '../errors.ts';
import { realWorld } from '../world.ts';
import { readPlainStart } from './files/plain-file.ts';

/** Where groups can be created: under our own cgroup v2, or beside it where only there resources can be limited. */
export type CgroupBase =
  | { kind: 'writable'; mount: string; path: string; controllers: readonly string[] }
  | { kind: 'none'; reason: string };

const RECORD = 'cgroup';
const GROUP_NAME = /^manyhands-[0-9a-f]{24}$/;
/** What a probe creates for a moment; a kill can leave it. */
const PROBE_NAME = /^manyhands-probe-\d+$/;
/** The controllers without which resources count as not limited. */
const LIMITING = ['memory', 'pids'];
/** Two seconds in all: a busy machine takes longer to release the processes that were killed. */
const REMOVAL_PAUSES_MS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024];
const LEFTOVER_AGE_MS = 60_000;

let known: CgroupBase | undefined;

/** Whether this system lets us create cgroups, checked once by creating one, because permissions alone do not show it. */
export function cgroupBase(): CgroupBase {
  known ??= probeBase();
  return known;
}

/** Puts a process into its own new group; without cgroups the process tree is used instead. */
export async function joinCgroup(
  pid: number | undefined,
  { folder, token }: { folder: string; token: string },
): Promise<void> {
  const base = cgroupBase();
  if (base.kind === 'none' || pid === undefined) return;
  const path = join(base.path, groupNameFor(token));
  try {
    await writeFile(join(folder, RECORD), path, { mode: 0o600 });
    await mkdir(path, { recursive: true });
    await moveInto(path, pid);
  } catch {
    // Not delegated (a limit on groups, another controller's rule): the process tree is used instead.
    removeTree(path);
  }
}

/** Moves a process into a group, in another thread: the system may let a move, and what changes or opens groups meanwhile, wait for all forks. */
export async function moveInto(path: string, pid: number): Promise<void> {
  const fd = await promisify(open)(join(path, 'cgroup.procs'), 'w');
  try {
    await promisify(write)(fd, String(pid));
  } finally {
    closeSync(fd);
  }
}

/**
 * The group of a launch: the one of its name, or that which an engine with another base has recorded. An agent can write to
 * the folder of the record, or remove it, so the record is needed only where the name leads to no group, and must have it.
 */
export function findCgroup({ folder, token }: { folder: string; token: string }): string | undefined {
  const base = cgroupBase();
  if (base.kind === 'none') return undefined;
  const name = groupNameFor(token);
  const own = join(base.path, name);
  if (existsSync(own)) return own;
  const path = resolve(readPlainStart(join(folder, RECORD)) ?? '/');
  return basename(path) === name && path.startsWith(`${base.mount}/`) ? path : undefined;
}

/** The groups of launches, innermost last, that a process is in; none without cgroups. */
export function launchGroupsOf(pid: number): string[] {
  try {
    const mountinfo = readFileSync('/proc/self/mountinfo', 'utf8');
    const location = parseCgroup(mountinfo, readFileSync(`/proc/${pid}/cgroup`, 'utf8'));
    const names = location === undefined ? [] : relative(location.mount, location.path).split('/');
    return names.flatMap((name, index) =>
      GROUP_NAME.test(name) ? [join(location?.mount ?? '', ...names.slice(0, index + 1))] : [],
    );
  } catch {
    // The process has ended, or the system does not show groups.
    return [];
  }
}

/** The process numbers in a group and in those below it. */
export function cgroupMembers(path: string): Set<number> {
  try {
    const own = readFileSync(join(path, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number);
    return new Set([...own, ...childrenOf(path).flatMap((child) => [...cgroupMembers(child)])]);
  } catch {
    // Already removed, so it is empty.
    return new Set();
  }
}

/** Kills all processes in the group at once, including those that are forking. */
export function killCgroup(path: string): void {
  try {
    writeFileSync(join(path, 'cgroup.kill'), '1');
  } catch {
    // Kernels before 5.14 have no such file; the members are killed one by one as well.
  }
}

/** Removes the empty group of a launch. */
export async function leaveCgroup(launch: { folder: string; token: string }): Promise<void> {
  const path = findCgroup(launch);
  if (path !== undefined) await removeWhenEmpty(path);
}

/** Removes a group whose processes were killed: they keep it busy for a moment. */
export async function removeWhenEmpty(path: string): Promise<void> {
  for (const pauseMs of REMOVAL_PAUSES_MS) {
    if (await removeGroup(path)) return;
    await realWorld.sleep(pauseMs);
  }
}

/** Most groups have no subgroups, and are removed by one call. */
async function removeGroup(path: string): Promise<boolean> {
  try {
    await rmdir(path);
    return true;
  } catch {
    return removeTree(path);
  }
}

/** Removes the empty groups that launches of killed engines left, and returns how many; a new one may not have been joined yet. */
export function removeLeftoverGroups(now = realWorld.now(), base = cgroupBase()): number {
  return base.kind === 'none' ? 0 : leftoverGroups(base.path, now).filter(removeTree).length;
}

/** The groups of launches below a group that were not created just now. */
export function leftoverGroups(base: string, now: number): string[] {
  return childrenOf(base).filter((path) => {
    const createdAt = statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? now;
    const isOurs = [GROUP_NAME, PROBE_NAME].some((name) => name.test(basename(path)));
    return isOurs && now - createdAt > LEFTOVER_AGE_MS;
  });
}

/** Removes an empty group and its empty subgroups. */
export function removeTree(path: string): boolean {
  try {
    for (const child of childrenOf(path)) removeTree(child);
    rmdirSync(path);
    return true;
  } catch (error) {
    return errorCode(error) === 'ENOENT';
  }
}

/** The cgroup v2 directory of a process, from its lines of mountinfo and cgroup; undefined when it is not mounted. */
export function parseCgroup(mountinfo: string, cgroup: string): { mount: string; path: string } | undefined {
  const own = /^0::(\/.*)$/m.exec(cgroup)?.[1];
  const [, root, mount] = /^\d+ \d+ \S+ (\S+) (\S+) .*? - cgroup2 /m.exec(mountinfo) ?? [];
  if (own === undefined || root === undefined || mount === undefined) return undefined;
  const below = relative(root, own);
  return below.startsWith('..') ? undefined : { mount, path: join(mount, below) };
}

function probeBase(): CgroupBase {
  if (process.platform !== 'linux') return { kind: 'none', reason: `${process.platform} has no cgroups` };
  try {
    const mountinfo = readFileSync('/proc/self/mountinfo', 'utf8');
    const location = parseCgroup(mountinfo, readFileSync('/proc/self/cgroup', 'utf8'));
    if (location === undefined) return { kind: 'none', reason: 'cgroup v2 is not mounted' };
    const [path = location.path] = [location.path, dirname(location.path)].filter((each) => canLimitIn(each, location));
    const probe = join(path, `manyhands-probe-${process.pid}`);
    mkdirSync(probe);
    rmdirSync(probe);
    return { kind: 'writable', mount: location.mount, path, controllers: controllersOf(path) };
  } catch (error) {
    return { kind: 'none', reason: `no writable cgroup v2 (${messageOf(error)})` };
  }
}

/** Whether groups below this one can limit resources: our own group, or the one above it if we may move processes there. */
export function canLimitIn(path: string, own: { mount: string; path: string }): boolean {
  if (!`${path}/`.startsWith(`${own.mount}/`)) return false;
  try {
    if (path === own.path) enableControllers(path);
    else accessSync(join(path, 'cgroup.procs'), constants.W_OK);
    accessSync(path, constants.W_OK);
    return LIMITING.every((each) => controllersOf(path).includes(each));
  } catch {
    // It belongs to another user, or has no controllers.
    return false;
  }
}

/** A group that contains processes cannot enable controllers, except the root. */
function enableControllers(path: string): void {
  for (const each of [...LIMITING, 'cpu']) {
    try {
      writeFileSync(join(path, 'cgroup.subtree_control'), `+${each}`);
    } catch {
      // Not available here.
    }
  }
}

function controllersOf(path: string): string[] {
  try {
    return readFileSync(join(path, 'cgroup.subtree_control'), 'utf8').split(/\s+/).filter(Boolean);
  } catch {
    // A file of later kernels.
    return [];
  }
}

/** The name of the groups of a launch, which only we can know. */
export function groupNameFor(token: string): string {
  return `manyhands-${createHash('sha256').update(token).digest('hex').slice(0, 24)}`;
}

function childrenOf(path: string): string[] {
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(path, entry.name));
}
