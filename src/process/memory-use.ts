import { readdirSync, readFileSync, readlinkSync, statfsSync, statSync } from 'node:fs';

/** What a process has of its own, and how many threads. */
export type OwnUse = { threads: number; memoryBytes: number };

const KILOBYTE = 1024;
/** The unit in which a file tells how much it occupies. */
const BLOCK_BYTES = 512;
/** More descriptors of one process are not looked at. */
const MOST_DESCRIPTORS = 5_000;
const TMPFS = /^\d+ \d+ (\S+) \S+ (\S+) .* - tmpfs /gm;

/** The use of a process, without memory that several of them share. */
export function ownUse(pid: number): OwnUse {
  const status = textOf(`/proc/${pid}/status`);
  const figure = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  return { threads: figure('Threads'), memoryBytes: figure('RssAnon') * KILOBYTE };
}

/**
 * What these processes share, and their files in memory: no group counts it where none can be created, and it is no
 * process's own. What is in their file systems in memory counts unless this process sees these too.
 */
export function sharedBytes(pids: readonly number[]): number {
  const mapped = pids.reduce((sum, pid) => sum + sharedPart(pid), 0);
  return Math.max(mapped, namelessBytes(pids)) + fileSystemBytes(pids);
}

/** Its part of the memory that it shares; only a process that shares any is asked, because the answer takes a while. */
function sharedPart(pid: number): number {
  if (!/^RssShmem:\s+[1-9]/m.test(textOf(`/proc/${pid}/status`))) return 0;
  return Number(/^Pss_Shmem:\s+(\d+)/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) * KILOBYTE;
}

/** Files in memory without a name in any folder (`memfd_create`), which need not be mapped. */
function namelessBytes(pids: readonly number[]): number {
  const found = new Map<number, number>();
  for (const file of pids.flatMap(descriptorsOf)) {
    try {
      if (!readlinkSync(file).startsWith('/memfd:')) continue;
      const { ino, blocks } = statSync(file);
      found.set(ino, blocks * BLOCK_BYTES);
    } catch {
      // It was closed since it was listed.
    }
  }
  return [...found.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** One process of each mount namespace is asked. */
function fileSystemBytes(pids: readonly number[]): number {
  const outside = new Set([...textOf('/proc/self/mountinfo').matchAll(TMPFS)].map(([, device]) => device));
  const namespaces = new Map(pids.map((pid) => [linkOf(`/proc/${pid}/ns/mnt`), pid]));
  const found = new Map<string, number>();
  for (const pid of namespaces.values())
    for (const [, device = '', path = ''] of textOf(`/proc/${pid}/mountinfo`).matchAll(TMPFS))
      if (!outside.has(device)) found.set(device, usedOf(`/proc/${pid}/root${path}`));
  return [...found.values()].reduce((sum, bytes) => sum + bytes, 0);
}

function usedOf(path: string): number {
  try {
    const { blocks, bfree, bsize } = statfsSync(path);
    return (blocks - bfree) * bsize;
  } catch {
    // The process has ended, or something else is mounted above.
    return 0;
  }
}

function descriptorsOf(pid: number): string[] {
  try {
    const names = readdirSync(`/proc/${pid}/fd`).slice(0, MOST_DESCRIPTORS);
    return names.map((name) => `/proc/${pid}/fd/${name}`);
  } catch {
    // It has ended, or the system does not show them.
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** Empty where the process has ended, or the system does not show it. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
