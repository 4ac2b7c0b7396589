import { lstat, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errorCode } from '../../errors.ts';
import { run } from '../../process/run.ts';
import type { Mirror } from './mirror-config.ts';

const FOLDERS = ['refs', 'logs', 'info', 'objects/info', 'objects/pack', 'manyhands'];
/** Those whose other folders have no locks: maintenance locks the objects as a whole. */
const ALONE = ['.', 'objects'];

/** Removes lock files that a killed git left in the mirror, unless a git process that could hold them may be alive. */
export async function clearStaleLocks(mirror: Pick<Mirror, 'dir'>): Promise<string[]> {
  const found = await findLocks(mirror.dir);
  if (found.length === 0 || (await mayBeInUse(mirror.dir))) return [];
  const removed: string[] = [];
  for (const { file, inode } of found) {
    const now = await lstat(file).catch(undefinedIfMissing);
    if (now?.ino !== inode) continue;
    await rm(file, { force: true });
    removed.push(file);
  }
  return removed;
}

type Lock = { file: string; inode: number };

async function findLocks(dir: string): Promise<Lock[]> {
  const locks: Lock[] = [];
  for (const folder of [...ALONE, ...FOLDERS]) {
    const recursive = !ALONE.includes(folder);
    const entries = await readdir(join(dir, folder), { withFileTypes: true, recursive }).catch(emptyIfMissing);
    for (const entry of entries) {
      if (!entry.isFile() || !entry.name.endsWith('.lock')) continue;
      const file = join(entry.parentPath, entry.name);
      const stat = await lstat(file).catch(undefinedIfMissing);
      if (stat !== undefined && !locks.some((lock) => lock.file === file)) locks.push({ file, inode: stat.ino });
    }
  }
  return locks;
}

async function mayBeInUse(dir: string): Promise<boolean> {
  if (process.platform === 'linux') return isUsedByProc(dir);
  const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C' };
  const listed = await run(['ps', '-axwwo', 'command='], { env, timeoutMs: 5_000 });
  if (listed.code !== 0 || listed.truncated) return true;
  return listed.stdout
    .toString('utf8')
    .split('\n')
    .some((line) => /^\S*git/.test(line) && !/ cat-file /.test(line) && line.includes(dir));
}

async function isUsedByProc(dir: string): Promise<boolean> {
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) continue;
    const command = await readProc(pid, 'cmdline');
    if (!basename(command.split('\0')[0] ?? '').startsWith('git') || isReader(command)) continue;
    if (command.includes(dir) || (await readProc(pid, 'environ')).includes(dir)) return true;
  }
  return false;
}

/** One that reads objects takes no lock, and waits for requests as long as the engine uses the mirror. */
function isReader(command: string): boolean {
  return command.split('\0').includes('cat-file');
}

async function readProc(pid: string, name: string): Promise<string> {
  // A process that has ended, a zombie, or one of another user is not a git that we started.
  return readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
}

function undefinedIfMissing(error: unknown): undefined {
  if (errorCode(error) === 'ENOENT') return undefined;
  throw error;
}

function emptyIfMissing(error: unknown): [] {
  if (errorCode(error) === 'ENOENT') return [];
  throw error;
}
