import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../../errors.ts';
import { git } from '../git.ts';
import { type Mirror, privateFolder } from '../mirror/mirror-config.ts';
import { deleteFile, readPlainFile, readPlainText } from '../plain-file.ts';
import { GITLINK, readIndex } from './index-file.ts';

/** A submodule: its path and the commit that is recorded for it. */
export type Gitlink = { path: string; oid: string };

const IndexState = z.object({
  commit: z.string(),
  tree: z.string(),
  gitlinks: z.array(z.object({ path: z.string(), oid: z.string() })),
});
/** What an index was created from. */
export type IndexState = z.infer<typeof IndexState>;

const CHECKSUM_BYTES = { sha1: 20, sha256: 32 };

/** The file of a workspace's index outside the workspace, so that its agent cannot make git treat a file as unchanged. */
export function privateIndexFile(mirror: Pick<Mirror, 'dir'>, workspace: string): string {
  const key = createHash('sha256').update(resolve(workspace)).digest('hex').slice(0, 32);
  return join(privateFolder(mirror), 'indexes', key);
}

/** Removes an old index of a workspace and returns the path for a new one. */
export async function freshPrivateIndex(mirror: Mirror, workspace: string): Promise<string> {
  await mkdir(join(privateFolder(mirror), 'indexes'), { recursive: true, mode: 0o700 });
  await dropPrivateIndex(mirror, workspace);
  return privateIndexFile(mirror, workspace);
}

/** Completes an index that was just read from a commit: removes submodules, and records what it was created from. */
export async function recordPrivateIndex(mirror: Mirror, file: string, commit: string): Promise<void> {
  const { tree } = await readIndex(file, mirror.objectFormat);
  const gitlinks = await removeGitlinks(mirror, file);
  if (tree === undefined) return;
  const state: IndexState = { commit, tree, gitlinks };
  await writeFile(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
  await rename(`${file}.new`, `${file}.json`);
}

/**
 * What a workspace's index was created from; undefined if that is not known. These files are not flushed when they are
 * written: an index that a power failure damaged is deleted, because it can be made again.
 */
export async function readIndexState(mirror: Mirror, workspace: string): Promise<IndexState | undefined> {
  const file = privateIndexFile(mirror, workspace);
  if (!(await isWholeIndex(file, mirror.objectFormat))) {
    await dropPrivateIndex(mirror, workspace);
    return undefined;
  }
  try {
    return IndexState.parse(JSON.parse(await readPlainText(`${file}.json`)));
  } catch {
    // It is missing or damaged; what it says is only a shortcut.
    return undefined;
  }
}

/** An index ends with the checksum of everything before it. */
async function isWholeIndex(file: string, objectFormat: Mirror['objectFormat']): Promise<boolean> {
  const bytes = await readPlainFile(file, Number.POSITIVE_INFINITY);
  const hash = createHash(objectFormat);
  if (bytes === undefined || bytes.length <= CHECKSUM_BYTES[objectFormat]) return false;
  const end = bytes.length - CHECKSUM_BYTES[objectFormat];
  return hash.update(bytes.subarray(0, end)).digest().equals(bytes.subarray(end));
}

/**
 * Removes submodules from an index and returns them: for a submodule git would run git inside a folder whose
 * configuration the agent wrote.
 */
export async function removeGitlinks(mirror: Mirror, file: string): Promise<Gitlink[]> {
  const { entries } = await readIndex(file, mirror.objectFormat);
  const links = entries.filter((entry) => entry.mode === GITLINK).map(({ path, oid }) => ({ path, oid }));
  if (links.length === 0) return [];
  const input = links.map((link) => `${link.path}\0`).join('');
  const where = { gitDir: mirror.dir, workTree: mirror.dir, indexFile: file };
  await git(['update-index', '--force-remove', '-z', '--stdin'], { ...where, input });
  return links;
}

/**
 * Copies an index with its modification time, or as one of another time; false if there is none. Git reads a file again
 * that has the size and time of its entry unless the index is younger than the file, because it may have changed since.
 */
export async function copyIndex(from: string, to: string, timeMs?: number): Promise<boolean> {
  try {
    await copyFile(from, to);
    const seconds = Math.floor(timeMs ?? (await stat(from)).mtimeMs) / 1000;
    await utimes(to, seconds, seconds);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Deletes the indexes of workspaces other than these, which a killed engine has left in a mirror. */
export async function dropUnusedIndexes(mirror: Pick<Mirror, 'dir'>, workspaces: readonly string[]): Promise<void> {
  const folder = join(privateFolder(mirror), 'indexes');
  const used = new Set(workspaces.map((workspace) => basename(privateIndexFile(mirror, workspace))));
  const names = await readdir(folder).catch((error: unknown): string[] => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  for (const name of names) if (!used.has(name.split('.', 1)[0] ?? '')) await deleteFile(join(folder, name));
}

/** Deletes the index of a removed workspace. */
export async function dropPrivateIndex(mirror: Mirror, workspace: string): Promise<void> {
  const file = privateIndexFile(mirror, workspace);
  await Promise.all([deleteFile(file), deleteFile(`${file}.json`)]);
}
