import { createHash } from 'node:crypto';
import { copyFile, mkdir, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../../errors.ts';
import { git } from '../git.ts';
import { type Mirror, privateFolder } from '../mirror/mirror-config.ts';
import { deleteFile, readPlainText } from '../plain-file.ts';
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

/** The file of a workspace's index outside the workspace, so that its agent cannot make git treat a file as unchanged. */
export function privateIndexFile(mirror: Mirror, workspace: string): string {
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

/** What a workspace's index was created from; undefined if that is not known. */
export async function readIndexState(file: string): Promise<IndexState | undefined> {
  const text = await readPlainText(`${file}.json`);
  return text === '' ? undefined : IndexState.parse(JSON.parse(text));
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

/** Deletes the index of a removed workspace. */
export async function dropPrivateIndex(mirror: Mirror, workspace: string): Promise<void> {
  const file = privateIndexFile(mirror, workspace);
  await Promise.all([deleteFile(file), deleteFile(`${file}.json`)]);
}
