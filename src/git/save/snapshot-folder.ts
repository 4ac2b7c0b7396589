import { createHash } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { realWorld, type World } from '../../world.ts';
import { git } from '../git.ts';
import { commitTree } from '../merge/commit.ts';

/** The snapshot repository of a folder that is not a repository. */
export async function snapshotRoot(folders: string, dir: string): Promise<string> {
  const real = await realpath(dir);
  const name = basename(real).replace(/[^A-Za-z0-9._-]+/g, '-') || 'folder';
  return join(folders, `${name.slice(0, 40)}-${createHash('sha256').update(real).digest('hex').slice(0, 8)}`);
}

/** Commits a snapshot of a folder that is not a repository to one of ours, for read-only tasks; the folder is not changed. */
export async function snapshotFolder(
  options: { folders: string; dir: string; signal?: AbortSignal },
  world: World = realWorld,
): Promise<string> {
  const root = await snapshotRoot(options.folders, options.dir);
  const gitDir = join(root, '.git');
  const signal = options.signal === undefined ? {} : { signal: options.signal };
  await mkdir(root, { recursive: true, mode: 0o700 });
  await git(['init', '--quiet', '--initial-branch=snapshot', root], { cwd: root, ...signal });
  await git(['add', '--all', '--force', '.'], { gitDir, workTree: options.dir, timeoutMs: 600_000, ...signal });
  const tree = (await git(['write-tree'], { gitDir, ...signal })).stdout.trim();
  const commit = await commitTree({
    gitDir,
    tree,
    parents: [],
    message: `Snapshot of ${options.dir}`,
    now: world.now(),
  });
  await git(['update-ref', 'refs/heads/snapshot', commit], { gitDir, ...signal });
  return root;
}
