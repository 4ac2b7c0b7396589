import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { run } from '../run.ts';

/** What a launch uses of a disk: bytes that it wrote or that its new files occupy, and how many files it made or changed. */
export type DiskUse = { toDisk: number; all: number; files: number };

const BLOCK_BYTES = 512;
/** What was found until then counts: the folder that takes longest has most in it. */
const SEARCH_MS = 3_000;
/** More descriptors of one process are not looked at. */
const MOST_DESCRIPTORS = 5_000;

/**
 * What these processes wrote, those that they waited for included, and what is in a folder that changed since a time:
 * space can be occupied without writing. To a disk in memory only `all` counts.
 */
export async function diskUse(pids: readonly number[], folder: string, since: number): Promise<DiskUse> {
  const written = pids.map(writtenBy);
  const sum = (name: 'toDisk' | 'all') => written.reduce((total, each) => total + each[name], 0);
  const { bytes, files } = await changedSince(folder, since);
  return { toDisk: Math.max(sum('toDisk'), bytes + deletedBytes(pids)), all: sum('all'), files };
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

/** By another process, so that nothing here waits for it; nothing is found where there is no GNU find. */
async function changedSince(folder: string, since: number): Promise<{ bytes: number; files: number }> {
  const found = { bytes: 0, files: 0 };
  let rest = '';
  const onStdout = (chunk: Buffer) => {
    const lines = `${rest}${chunk.toString('latin1')}`.split('\n');
    rest = lines.pop() ?? '';
    found.files += lines.length;
    for (const blocks of lines) found.bytes += Number(blocks) * BLOCK_BYTES;
  };
  const command = ['find', folder, '-xdev', '-newerct', `@${(since / 1000).toFixed(3)}`, '-printf', '%b\\n'];
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };
  await run(command, { env, timeoutMs: SEARCH_MS, maxOutputBytes: 0, onStdout }).catch(() => {});
  return found;
}

/** Files without a name occupy their space as long as a process has them open. */
function deletedBytes(pids: readonly number[]): number {
  const found = new Map<string, number>();
  for (const pid of pids)
    for (const name of descriptorsOf(pid)) {
      const stat = statusOf(`/proc/${pid}/fd/${name}`);
      if (stat?.isFile() && stat.nlink === 0) found.set(`${stat.dev} ${stat.ino}`, stat.blocks * BLOCK_BYTES);
    }
  return [...found.values()].reduce((sum, bytes) => sum + bytes, 0);
}

function descriptorsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).slice(0, MOST_DESCRIPTORS);
  } catch {
    // It has ended, or the system does not show them.
    return [];
  }
}

function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
