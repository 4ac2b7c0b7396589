import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { realWorld, type World } from '../../world.ts';
import { git } from '../git.ts';
import { type Mirror, privateFolder, requireUnmodified } from '../mirror/mirror-config.ts';
import { diffText } from '../read/diff.ts';
import { writeCloneDir } from '../workspace/clone-dir.ts';
import { addAll } from './add-all.ts';
import { GITLINK } from './index-file.ts';
import { requireNoPipes } from './pipes.ts';
import { copyIndex, privateIndexFile, readIndexState, removeGitlinks } from './private-index.ts';

/** A workspace in which an agent may be working now. */
type UnsavedWorkspace = {
  mirror: Mirror;
  path: string;
  /** The commit that the work started from. */
  base: string;
  /** Paths that we put into the workspace. */
  exclude: readonly string[];
  signal?: AbortSignal;
};

/**
 * The difference between the files of a workspace and the commit it started from, read as a save reads them: with an index
 * and a git directory of ours. Nothing is kept, neither in the workspace nor in the mirror; nested repositories are left out.
 */
export async function diffUnsaved(options: UnsavedWorkspace, world: World = realWorld): Promise<string> {
  const { mirror, path, base, exclude, signal } = options;
  await requireUnmodified(mirror);
  await requireNoPipes(path);
  const scratch = join(privateFolder(mirror), `taking-${world.token()}`);
  try {
    const own = { ...mirror, dir: join(scratch, 'git') };
    await mkdir(scratch, { recursive: true, mode: 0o700 });
    await writeCloneDir({ mirror, dir: own.dir, head: 'ref: refs/heads/none' });
    const indexFile = join(scratch, 'index');
    const where = { gitDir: own.dir, workTree: path, indexFile };
    const links = await startIndex({ ...options, own, indexFile });
    const { nested } = await addAll({ mirror: own, workTree: path, indexFile, exclude, ...(signal ? { signal } : {}) });
    const lines = links
      .filter((link) => !nested.includes(link.path))
      .map((link) => `${GITLINK.toString(8)} ${link.oid}\t${link.path}\0`);
    if (lines.length > 0) await git(['update-index', '-z', '--index-info'], { ...where, input: lines.join('') });
    const tree = (await git(['write-tree'], where)).stdout.trim();
    return await diffText(own, { from: base, to: tree });
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  }
}

type StartIndex = UnsavedWorkspace & { own: Mirror; indexFile: string };

/** A copy of the workspace's index outside of it, else one of the commit that it started from; returns its submodules. */
async function startIndex({
  mirror,
  own,
  path,
  base,
  indexFile,
}: StartIndex): Promise<{ path: string; oid: string }[]> {
  const state = await readIndexState(mirror, path);
  if (await copyIndex(privateIndexFile(mirror, path), indexFile)) return state?.gitlinks ?? [];
  await git(['read-tree', base], { gitDir: own.dir, workTree: path, indexFile });
  return removeGitlinks(own, indexFile);
}
