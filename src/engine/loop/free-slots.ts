import { statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import type { RunState } from '../../core/run/state.ts';
import type { Home } from '../../home.ts';

const MEGABYTE = 1024 * 1024;

/** How many more attempts may start: the widest limit of the runs, and none while memory or disk is short and something runs. */
export function freeSlotsFor(states: readonly RunState[], busy: number, home: Home): number {
  const limits = states.map((state) => state.start.config.limits);
  const free = Math.max(0, ...states.map((state) => state.maxParallel)) - busy;
  if (free <= 0 || busy === 0) return free;
  const memory = Math.min(...limits.map((limit) => limit.freeMemoryMb));
  const disk = Math.min(...limits.map((limit) => limit.freeDiskMb));
  const isShort = freemem() < memory * MEGABYTE || freeDisk(home.root) < disk * MEGABYTE;
  return isShort ? 0 : free;
}

function freeDisk(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}
