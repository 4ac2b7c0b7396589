import { lstatSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { realWorld, type World } from '../world.ts';
import { type DiskUse, diskUse } from './files/disk-use.ts';
import type { LaunchLimits } from './launch.ts';
import { limitHits, limitSupport } from './limit-groups.ts';
import { listProcesses } from './list-processes.ts';
import { type OwnUse, ownUse, sharedBytes } from './memory-use.ts';
import type { ProcessEntry } from './proc-stat.ts';
import { FILES } from './shim.ts';
import { membersOf, selectDescendants, type Target } from './terminate.ts';

/** A launch that is ended when it reaches the limit of its processes, or writes most while the disk is nearly full. */
export type WatchedLaunch = {
  target: Target;
  limits: LaunchLimits;
  /** A path on the disk that it writes to. */
  path: string;
  /** Called once; the watch does not end the launch itself. */
  onExcess: (excess: Excess) => void;
};

/** The limit that a launch reached, in words that follow its name. */
export type Excess = { resource: 'memory' | 'processes' | 'disk' | 'files'; text: string };

const MEGABYTE = 1024 * 1024;
const EVERY_MS = 1_000;
/** How long the space of a launch that was ended may take to become free before another one is chosen. */
const FREED_MS = 15_000;

/** A disk is nearly full when it can take fewer files than this share of all, and than this number. */
const FREE_FILES_SHARE = 0.02;
const FREE_FILES = 50_000;
/** A launch with fewer new files is not why the disk can take hardly any more. */
const FEWEST_FILES = 1_000;

/** With the time from which what changed is counted as its own. */
type Watched = WatchedLaunch & { since: number };

const watched = new Set<Watched>();
let isChoosing = false;
let cancelAlarm: (() => void) | undefined;
let chosenAt = Number.NEGATIVE_INFINITY;

/** Watches a launch until it is disposed; all launches of this process are compared with each other. */
export function watchResources(given: WatchedLaunch, world: World = realWorld): Disposable {
  const launch = { ...given, since: startedAt(given.target, world) };
  watched.add(launch);
  if (cancelAlarm === undefined) arm(world);
  return {
    [Symbol.dispose]: () => {
      watched.delete(launch);
      if (watched.size > 0) return;
      cancelAlarm?.();
      cancelAlarm = undefined;
    },
  };
}

/** Its shim wrote this file first; an engine that adopts a launch counts what changed before, too. */
function startedAt({ folder }: Target, world: World): number {
  try {
    return lstatSync(join(folder, FILES.identity)).mtimeMs;
  } catch {
    // The program has removed it, or made the folder unreadable.
    return world.now();
  }
}

/** The limit that a launch reached, to be read before its processes are swept: afterwards it is forgotten. */
export function excessOf(target: Target, limits: LaunchLimits): Excess | undefined {
  const { memory, processes } = limitHits(target);
  if (memory > 0) return memoryExcess(limits);
  return processes === 0 ? undefined : processExcess(limits);
}

function memoryExcess({ memoryBytes }: LaunchLimits): Excess {
  return { resource: 'memory', text: `used more than ${megabytes(memoryBytes)} of memory` };
}

function processExcess({ processes }: LaunchLimits): Excess {
  return { resource: 'processes', text: `started more than ${processes} processes and threads` };
}

function arm(world: World): void {
  cancelAlarm = world.alarm(world.now() + EVERY_MS, () => {
    check(world);
    if (watched.size > 0) arm(world);
    else cancelAlarm = undefined;
  });
}

function check(world: World): void {
  const isUnlimited = process.platform === 'linux' && limitSupport().problem !== undefined;
  const entries = isUnlimited ? listProcesses().entries : undefined;
  for (const launch of [...watched]) {
    const excess = entries === undefined ? recordedExcess(launch) : countedExcess(launch, entries);
    if (excess !== undefined) report(launch, excess);
  }
  if (isChoosing || world.now() - chosenAt < FREED_MS) return;
  const short = [...watched].flatMap((launch) => shortOf(launch) ?? []);
  if (short.length === 0) return;
  isChoosing = true;
  void endLargest(short, world).finally(() => {
    isChoosing = false;
  });
}

type Short = { launch: Watched; of: 'disk' | 'files' };

/** What the disk of a launch is short of. */
function shortOf(launch: Watched): Short | undefined {
  const { path, limits } = launch;
  try {
    const { bavail, bsize, files, ffree } = statfsSync(path);
    if (bavail * bsize < limits.diskReserveBytes) return { launch, of: 'disk' };
    // Some file systems have as many files as there is space, and say that there are none.
    const isShort = limits.diskReserveBytes > 0 && files > 0 && ffree < Math.min(FREE_FILES, files * FREE_FILES_SHARE);
    return isShort ? { launch, of: 'files' } : undefined;
  } catch {
    // The folder was removed: its launch is about to end.
    return undefined;
  }
}

/** Ends the launch that uses most of what is short. */
async function endLargest(short: readonly Short[], world: World): Promise<void> {
  const used = await Promise.all(
    short.map(async ({ launch, of }) => {
      const pids = membersOf(launch.target).map(({ pid }) => pid);
      return { launch, of, use: await diskUse(pids, launch.path, launch.since) };
    }),
  );
  const [most] = used.filter(({ launch, of, use }) => watched.has(launch) && isCause(of, use)).sort(byUse);
  if (most === undefined) return;
  chosenAt = world.now();
  report(most.launch, diskExcess(most));
}

function isCause(of: Short['of'], { toDisk, all, files }: DiskUse): boolean {
  return of === 'files' ? files >= FEWEST_FILES : Math.max(toDisk, all) > 0;
}

type Used = Short & { use: DiskUse };

function byUse(a: Used, b: Used): number {
  if (a.of === 'files' && b.of === 'files') return b.use.files - a.use.files;
  return b.use.toDisk - a.use.toDisk || b.use.all - a.use.all;
}

function diskExcess({ launch, of, use }: Used): Excess {
  if (of === 'files')
    return {
      resource: 'files',
      text: `has ${use.files} new or changed files, more than anything else that runs, until the disk could take hardly any more`,
    };
  const reserve = megabytes(launch.limits.diskReserveBytes);
  const text = `wrote ${megabytes(use.toDisk || use.all)}, more than anything else that runs, until less than ${reserve} of disk space was free`;
  return { resource: 'disk', text };
}

/** Memory alone ends what needs it: the system has killed a process of the launch. */
function recordedExcess({ target, limits }: WatchedLaunch): Excess | undefined {
  return limitHits(target).processes === 0 ? undefined : excessOf(target, limits);
}

/** Where no group limits a launch: what its processes use now. */
function countedExcess({ target, limits }: WatchedLaunch, entries: readonly ProcessEntry[]): Excess | undefined {
  const none = { tokenHolders: new Set<ProcessEntry>(), contained: new Set<number>(), found: new Set<string>() };
  const pids = selectDescendants(entries, { shim: target.identity, ...none }).map(({ pid }) => pid);
  const used = pids.map(ownUse);
  const sum = (name: keyof OwnUse) => used.reduce((total, each) => total + each[name], 0);
  if (sum('threads') >= limits.processes) return processExcess(limits);
  return sum('memoryBytes') + sharedBytes(pids) > limits.memoryBytes ? memoryExcess(limits) : undefined;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / MEGABYTE)} MB`;
}

function report(launch: Watched, excess: Excess): void {
  watched.delete(launch);
  launch.onExcess(excess);
}
