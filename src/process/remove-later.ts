import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';
import { crashpoint, realWorld, type World } from '../world.ts';
import { run } from './run.ts';

const RIGHTS_TIMEOUT_MS = 600_000;
/** `rm` on Linux stays on the file system of what it removes: a program may have mounted something there. */
const RM = process.platform === 'linux' ? 'rm -rf --one-file-system' : 'rm -rf';
/** What is removed needs rights on its folders alone; what is mounted in it belongs to others. */
const MAKE_WRITABLE = ['-xdev', '-type', 'd', '!', '-perm', '-700', '-exec', 'chmod', 'u+rwx', '{}', '\\;'];
const BESIDE = '.beside';
/**
 * Empties the folder $1 at each line of its input and at its end, which is at the latest the end of the engine. A link
 * with the suffix of ours names what could not be moved into the folder; one that a program left in the place of a folder
 * is removed itself. Module caches are read-only on purpose.
 */
const REMOVER = `remove() {
  ${RM} -- "$1" 2>/dev/null || { find "$1" ${MAKE_WRITABLE.join(' ')} && ${RM} -- "$1"; } 2>/dev/null
}
empty() {
  set -- "$1"/*
  if [ ! -e "$1" ] && [ ! -L "$1" ]; then return; fi
  for entry; do
    [ -L "$entry" ] || continue
    case $entry:$(readlink "$entry") in *${BESIDE}:*.removing-*) remove "$(readlink "$entry")" ;; esac
  done
  ${RM} -- "$@" 2>/dev/null && return
  for entry; do remove "$entry"; done
}
empty "$1"
while read -r _; do empty "$1"; done
empty "$1"`;

/** By the folder that each empties. */
const removers = new Map<string, ChildProcess>();

/** The folder of a data directory in which is what waits for its deletion. */
export function removingFolder(home: string): string {
  return join(home, 'removing');
}

/**
 * Takes a file or folder away at once and deletes it later, in a process with low priority that outlives this one until
 * all is deleted. What a killed one left is deleted with the next.
 */
export async function removeLater(path: string, removing: string, world: World = realWorld): Promise<void> {
  const token = world.token();
  await mkdir(removing, { recursive: true, mode: 0o700 });
  crashpoint('removal.renaming');
  try {
    await rename(path, join(removing, token));
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return;
    // On another file system, or read-only, which forbids another parent: it is renamed beside its place.
    if (!['EXDEV', 'EACCES', 'EPERM'].includes(code ?? '')) throw error;
    const beside = `${path}.removing-${token}`;
    await symlink(beside, join(removing, `${token}${BESIDE}`));
    await rename(path, beside);
  }
  crashpoint('removal.renamed');
  removeRemaining(removing);
}

/** Deletes what is in the folder, such as what an earlier engine left. */
export function removeRemaining(removing: string): void {
  const running = removers.get(removing);
  if (running !== undefined) return void running.stdin?.write('\n');
  const remover = spawn('nice', ['-n', '19', 'sh', '-c', REMOVER, 'remove', removing], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const forget = () => removers.delete(removing);
  // Where it cannot be started or was killed, the next removal or the next engine starts another.
  remover.on('error', forget).on('exit', forget);
  remover.stdin.on('error', forget);
  remover.unref();
  // Node's types do not say that a pipe is a socket, which alone can stop keeping this process alive.
  (remover.stdin as unknown as { unref(): void }).unref();
  removers.set(removing, remover);
}

/** Resolves when everything that was removed until now is deleted, or cannot be. */
export async function removalsEnded(removing: string): Promise<void> {
  const remover = removers.get(removing);
  if (remover === undefined) return;
  removers.delete(removing);
  const ended = new Promise((resolve) => remover.once('exit', resolve).once('error', resolve));
  remover.ref();
  remover.stdin?.end();
  await ended;
}

/** Takes away the entries of a folder whose names match, such as what a killed engine did not complete. */
export async function removeMatching(folder: string, pattern: RegExp, removing: string): Promise<void> {
  const names = await readdir(folder).catch((error: unknown): string[] => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  for (const name of names) if (pattern.test(name)) await removeLater(join(folder, name), removing);
}

/** Removes a folder even if parts of it cannot be written or read: module caches are read-only, and the kernel makes a folder without any rights beside an overlay. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    // What cannot be changed either is thrown below, with the system's reason.
    const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' };
    await run(['sh', '-c', `find "$1" ${MAKE_WRITABLE.join(' ')}`, 'find', path], {
      env,
      timeoutMs: RIGHTS_TIMEOUT_MS,
    });
    await rm(path, { recursive: true, force: true });
  }
}
