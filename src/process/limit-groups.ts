import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { realWorld } from '../world.ts';
import {
  cgroupBase,
  findCgroup,
  groupNameFor,
  leftoverGroups,
  moveInto,
  removeTree,
  removeWhenEmpty,
} from './cgroup.ts';

/** The limits of a launch with all its processes; without `cpus` it may use all processors, at a lower priority. */
export type GroupLimits = { memoryBytes: number; processes: number; cpus?: number };

/** How often a launch met its limits: processes that were killed for their memory, and forks that were refused. */
export type LimitHits = { memory: number; processes: number };

type LaunchGroup = { folder: string; token: string };
type Controller = 'memory' | 'pids' | 'cpu';
/** Where cgroup v1 lets us create groups, for each controller. */
type Hierarchies = Partial<Record<Controller, string>>;

const CONTROLLERS: readonly Controller[] = ['memory', 'pids', 'cpu'];
const CPU_PERIOD_US = 100_000;
/** Half of what other processes have: the engine and the user come first. */
const CPU_SHARES = 512;
const CPU_WEIGHT = 50;

let known: Hierarchies | undefined;

/** Which resources can be limited here, and by what; `problem` says why memory or processes cannot. */
export function limitSupport(): { controllers: Controller[]; by: string; problem?: string } {
  const base = cgroupBase();
  const unified = base.kind === 'writable' ? CONTROLLERS.filter((each) => base.controllers.includes(each)) : [];
  if (unified.includes('memory') && unified.includes('pids')) return { controllers: unified, by: 'cgroup v2' };
  const controllers = CONTROLLERS.filter((each) => hierarchies()[each] !== undefined);
  if (controllers.includes('memory') && controllers.includes('pids')) return { controllers, by: 'cgroup v1' };
  const reason = base.kind === 'none' ? base.reason : 'cgroup v2 has no controllers here that we may use';
  return { controllers, by: 'cgroup v1', problem: `${reason}, and no group of cgroup v1 for both can be created` };
}

/** Limits a process that waits to start its program, and everything that it will start; a limit that cannot be set is omitted. */
export async function limitLaunch(pid: number, launch: LaunchGroup, limits: GroupLimits): Promise<void> {
  const { by, controllers } = limitSupport();
  if (by === 'cgroup v2') {
    const group = findCgroup(launch);
    if (group !== undefined) writeAll(group, unifiedSettings(limits));
    return;
  }
  await Promise.all(
    controllers.map(async (controller) => {
      const path = groupPath(launch, controller);
      if (path === undefined) return;
      try {
        await mkdir(path, { recursive: true });
        writeAll(path, SETTINGS[controller](limits));
        await moveInto(path, pid);
      } catch {
        // The number of groups is limited, or another rule of the system: this resource is not limited.
        removeTree(path);
      }
    }),
  );
}

/** How often the launch met its limits so far; none where nothing is limited. */
export function limitHits(launch: LaunchGroup): LimitHits {
  if (limitSupport().by === 'cgroup v2') {
    const group = findCgroup(launch) ?? '';
    return { memory: counter(group, 'memory.events', 'oom_kill'), processes: counter(group, 'pids.events', 'max') };
  }
  return {
    memory: counter(groupPath(launch, 'memory') ?? '', 'memory.oom_control', 'oom_kill'),
    processes: counter(groupPath(launch, 'pids') ?? '', 'pids.events', 'max'),
  };
}

/** Removes the empty groups of a launch that has ended. */
export async function removeLimits(launch: LaunchGroup): Promise<void> {
  for (const controller of CONTROLLERS) {
    const path = groupPath(launch, controller);
    if (path !== undefined) await removeWhenEmpty(path);
  }
}

/** Removes the empty groups that launches of killed engines left, and returns how many. */
export function removeLeftoverLimits(
  now = realWorld.now(),
  bases: readonly string[] = Object.values(hierarchies()),
): number {
  return bases.flatMap((base) => leftoverGroups(base, now)).filter(removeTree).length;
}

/** The groups of cgroup v1 of a process, from its lines of mountinfo and cgroup. */
export function parseHierarchies(mountinfo: string, cgroup: string): Hierarchies {
  const found: Hierarchies = {};
  for (const [, root = '', mount = '', options = ''] of mountinfo.matchAll(
    /^\d+ \d+ \S+ (\S+) (\S+) .*? - cgroup \S+ (\S+)$/gm,
  )) {
    for (const controller of CONTROLLERS) {
      if (!options.split(',').includes(controller)) continue;
      const own = new RegExp(`^\\d+:(?:\\S*,)?${controller}(?:,\\S*)?:(/.*)$`, 'm').exec(cgroup)?.[1];
      const below = own === undefined ? '..' : relative(root, own);
      if (!below.startsWith('..')) found[controller] = join(mount, below);
    }
  }
  return found;
}

const SETTINGS: Readonly<Record<Controller, (limits: GroupLimits) => [string, string][]>> = {
  memory: ({ memoryBytes }) => [
    ['memory.limit_in_bytes', String(memoryBytes)],
    ['memory.memsw.limit_in_bytes', String(memoryBytes)],
  ],
  pids: ({ processes }) => [['pids.max', String(processes)]],
  cpu: ({ cpus }) => [
    ['cpu.shares', String(CPU_SHARES)],
    ...(cpus === undefined
      ? []
      : ([
          ['cpu.cfs_period_us', String(CPU_PERIOD_US)],
          ['cpu.cfs_quota_us', String(Math.round(cpus * CPU_PERIOD_US))],
        ] satisfies [string, string][])),
  ],
};

function unifiedSettings({ memoryBytes, processes, cpus }: GroupLimits): [string, string][] {
  return [
    ['memory.max', String(memoryBytes)],
    ['memory.swap.max', '0'],
    ['pids.max', String(processes)],
    ['cpu.weight', String(CPU_WEIGHT)],
    ...(cpus === undefined
      ? []
      : ([['cpu.max', `${Math.round(cpus * CPU_PERIOD_US)} ${CPU_PERIOD_US}`]] satisfies [string, string][])),
  ];
}

function writeAll(group: string, settings: readonly [string, string][]): void {
  for (const [file, value] of settings) {
    try {
      writeFileSync(join(group, file), value);
    } catch {
      // A kernel without this file (swap accounting) or a stricter limit above: the others apply.
    }
  }
}

function groupPath({ token }: LaunchGroup, controller: Controller): string | undefined {
  const base = hierarchies()[controller];
  return base === undefined ? undefined : join(base, groupNameFor(token));
}

function hierarchies(): Hierarchies {
  known ??= probeHierarchies();
  return known;
}

/** Only where groups can really be created, because permissions alone do not show it. */
function probeHierarchies(): Hierarchies {
  if (process.platform !== 'linux') return {};
  try {
    const all = parseHierarchies(
      readFileSync('/proc/self/mountinfo', 'utf8'),
      readFileSync('/proc/self/cgroup', 'utf8'),
    );
    return Object.fromEntries(Object.entries(all).filter(([, path]) => canCreateIn(path)));
  } catch {
    // No readable /proc: nothing can be limited.
    return {};
  }
}

function canCreateIn(path: string): boolean {
  const probe = join(path, `manyhands-probe-${process.pid}`);
  try {
    mkdirSync(probe);
    rmdirSync(probe);
    return true;
  } catch {
    // Read-only, or it belongs to another user.
    return false;
  }
}

function counter(group: string, file: string, name: string): number {
  try {
    const line = new RegExp(`^${name} (\\d+)$`, 'm').exec(readFileSync(join(group, file), 'utf8'));
    return Number(line?.[1] ?? 0);
  } catch {
    // The launch has no such group.
    return 0;
  }
}
