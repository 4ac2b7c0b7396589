import { readFileSync, statfsSync } from 'node:fs';
import { realWorld, type World } from '../world.ts';
import type { LaunchLimits } from './launch.ts';
import { limitHits, limitSupport } from './limit-groups.ts';
import { listProcesses } from './list-processes.ts';
import type { ProcessEntry } from './proc-stat.ts';
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
export type Excess = { resource: 'memory' | 'processes' | 'disk'; text: string };

const MEGABYTE = 1024 * 1024;
const EVERY_MS = 1_000;
/** How long the space of a launch that was ended may take to become free before another one is chosen. */
const FREED_MS = 15_000;

const watched = new Set<WatchedLaunch>();
let cancelAlarm: (() => void) | undefined;
let chosenAt = Number.NEGATIVE_INFINITY;

/** Watches a launch until it is disposed; all launches of this process are compared with each other. */
export function watchResources(launch: WatchedLaunch, world: World = realWorld): Disposable {
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
  const short = [...watched].filter(({ path, limits }) => freeBytes(path) < limits.diskReserveBytes);
  if (short.length === 0 || world.now() - chosenAt < FREED_MS) return;
  const [most] = short
    .map((launch) => ({ launch, written: writtenBytes(launch.target) }))
    .sort((a, b) => b.written.toDisk - a.written.toDisk || b.written.all - a.written.all);
  if (most === undefined || most.written.all === 0) return;
  chosenAt = world.now();
  const { launch, written } = most;
  const reserve = megabytes(launch.limits.diskReserveBytes);
  const text = `wrote ${megabytes(written.toDisk || written.all)}, more than anything else that runs, until less than ${reserve} of disk space was free`;
  report(launch, { resource: 'disk', text });
}

/** Memory alone ends what needs it: the system has killed a process of the launch. */
function recordedExcess({ target, limits }: WatchedLaunch): Excess | undefined {
  return limitHits(target).processes === 0 ? undefined : excessOf(target, limits);
}

/** Where no group limits a launch: what its processes use now, without memory that several of them share. */
function countedExcess({ target, limits }: WatchedLaunch, entries: readonly ProcessEntry[]): Excess | undefined {
  const none = { tokenHolders: new Set<ProcessEntry>(), contained: new Set<number>(), found: new Set<string>() };
  const used = selectDescendants(entries, { shim: target.identity, ...none }).map(({ pid }) => usedBy(pid));
  const sum = (name: keyof (typeof used)[number]) => used.reduce((total, each) => total + each[name], 0);
  if (sum('threads') >= limits.processes) return processExcess(limits);
  return sum('memoryBytes') > limits.memoryBytes ? memoryExcess(limits) : undefined;
}

function usedBy(pid: number): { threads: number; memoryBytes: number } {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'latin1');
    const figure = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
    return { threads: figure('Threads'), memoryBytes: figure('RssAnon') * 1024 };
  } catch {
    // It has ended since it was listed.
    return { threads: 0, memoryBytes: 0 };
  }
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / MEGABYTE)} MB`;
}

function report(launch: WatchedLaunch, excess: Excess): void {
  watched.delete(launch);
  launch.onExcess(excess);
}

function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    // The folder was removed: its launch is about to end.
    return Number.POSITIVE_INFINITY;
  }
}

/** What the living processes of a launch, and those that they waited for, wrote; to a disk in memory only `all` counts. */
function writtenBytes(target: Target): { toDisk: number; all: number } {
  const each = membersOf(target).map(({ pid }) => writtenBy(pid));
  return {
    toDisk: each.reduce((sum, { toDisk }) => sum + toDisk, 0),
    all: each.reduce((sum, { all }) => sum + all, 0),
  };
}

function writtenBy(pid: number): { toDisk: number; all: number } {
  try {
    const text = readFileSync(`/proc/${pid}/io`, 'latin1');
    const figure = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
    return {
      toDisk: Math.max(0, figure('write_bytes') - figure('cancelled_write_bytes')),
      all: figure('wchar'),
    };
  } catch {
    // It has ended, or the system does not show it.
    return { toDisk: 0, all: 0 };
  }
}
