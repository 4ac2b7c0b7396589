import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename } from 'node:path';

/** The file system in which benchmarks work, and whether it distorts them. */
export function fileSystemDescription(folder = tmpdir()): string {
  const found = mountOf(folder);
  if (found === undefined) return `files in ${folder}`;
  const { type, device } = found;
  const isJournaled =
    existsSync('/proc/fs/jbd2') && readdirSync('/proc/fs/jbd2').some((name) => name.startsWith(`${device}-`));
  if (type !== 'ext4' || isJournaled) return `files in ${folder} (${type})`;
  return `files in ${folder} (ext4 without a journal: each new file is searched a place past all that were deleted in the last minutes, so rows with many files are distorted; TMPDIR names another folder)`;
}

/** Linux lists mounts with the numbers of their devices. */
function mountOf(folder: string): { type: string; device: string } | undefined {
  if (process.platform !== 'linux') return undefined;
  const { dev } = statSync(folder);
  const number = `${dev >> 8}:${dev & 0xff}`;
  for (const line of readFileSync('/proc/self/mountinfo', 'utf8').split('\n')) {
    const [, , each] = line.split(' ');
    const [type, device] = (line.split(' - ')[1] ?? '').split(' ');
    if (each === number && type !== undefined && device !== undefined) return { type, device: basename(device) };
  }
  return undefined;
}
