import { lstat, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import { crashpoint, realWorld, type World } from '../../world.ts';
import { git } from '../git.ts';
import { type Mirror, privateFolder, requireUnmodified } from '../mirror/mirror-config.ts';
import { readPlainFile } from '../plain-file.ts';
import { readIndex } from '../save/index-file.ts';
import { copyIndex, privateIndexFile } from '../save/private-index.ts';
import { writeCloneDir } from './clone-dir.ts';

export type LayOutConflict = { mirror: Mirror; path: string; onto: string; theirs: string; signal?: AbortSignal };

const TIMEOUT_MS = 600_000;
const STATE = ['MERGE_HEAD', 'MERGE_MSG', 'MERGE_MODE', 'ORIG_HEAD'];

/**
 * Starts the merge of `theirs` in a workspace that was created at `onto`, and returns the files in conflict; the agent
 * sees the markers in them and the merge in `git status`.
 */
export async function layOutConflict(options: LayOutConflict, world: World = realWorld): Promise<string[]> {
  const { mirror, path } = options;
  await requireUnmodified(mirror);
  const gitDir = join(path, '.git');
  if (!(await lstat(gitDir)).isDirectory())
    throw new AppError('WORKSPACE_CHANGED', `${gitDir} is not a folder`, { path });
  const scratch = join(privateFolder(mirror), `taking-${world.token()}`);
  crashpoint('conflict.laying');
  try {
    await mkdir(scratch, { recursive: true, mode: 0o700 });
    const indexFile = await merge(options, scratch);
    const { entries } = await readIndex(indexFile, mirror.objectFormat);
    await copyIndex(indexFile, join(gitDir, 'index.new'));
    await rename(join(gitDir, 'index.new'), join(gitDir, 'index'));
    crashpoint('conflict.laid');
    return [...new Set(entries.filter((entry) => entry.stage > 0).map((entry) => entry.path))];
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  }
}

async function merge({ mirror, path, onto, theirs, signal }: LayOutConflict, scratch: string): Promise<string> {
  const source = join(scratch, 'git');
  const indexFile = join(scratch, 'index');
  await writeCloneDir({ mirror, dir: source, head: onto });
  await copyIndex(privateIndexFile(mirror, path), indexFile);
  const where = {
    gitDir: source,
    workTree: path,
    indexFile,
    timeoutMs: TIMEOUT_MS,
    env: { GIT_OBJECT_DIRECTORY: join(mirror.dir, 'objects') },
    ...(signal ? { signal } : {}),
  };
  await git(['read-tree', '-i', '-m', onto], where);
  const how = ['--no-commit', '--no-ff', '--no-stat', '--no-rerere-autoupdate', '--quiet'];
  // The objects go into the mirror, whose settings do not apply here; a later save does not write those that exist.
  const merged = await git(['-c', 'core.fsync=all', 'merge', ...how, theirs], { ...where, allow: [0, 1] });
  const states = await Promise.all(STATE.map((name) => readPlainFile(join(source, name))));
  if (states[0] === undefined) {
    throw new AppError('GIT_FAILED', `The merge of ${theirs} could not be started: ${merged.stderr.trim()}`, { path });
  }
  for (const [index, name] of STATE.entries()) await install(states[index], join(path, '.git', name));
  return indexFile;
}

async function install(bytes: Buffer | undefined, file: string): Promise<void> {
  if (bytes === undefined) return;
  await writeFile(`${file}.new`, bytes, { flag: 'wx' });
  await rename(`${file}.new`, file);
}
