import { appendFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, fromSystemError } from '../../errors.ts';
import { removeLater } from '../../process/remove-later.ts';
import { crashpoint, realWorld, type World } from '../../world.ts';
import { git } from '../git.ts';
import { lfsSections, type Mirror, requireUnmodified } from '../mirror/mirror-config.ts';
import { exists, lstatIfExists } from '../path-kind.ts';
import { readPlainText } from '../plain-file.ts';
import { isOid, readRefFile, requireBranchName } from '../refs/refs.ts';
import { copyIndex, dropPrivateIndex, freshPrivateIndex, recordPrivateIndex } from '../save/private-index.ts';
import { writeCloneDir } from './clone-dir.ts';
import { removeLeftovers } from './leftovers.ts';

export type CreateWorkspace = {
  mirror: Mirror;
  path: string;
  commit: string;
  branch: string;
  identity?: { name: string; email: string };
  lfsStorage?: string;
  /** Paths that we copy or link into the workspace and that no commit may contain. */
  exclude?: readonly string[];
  signal?: AbortSignal;
};

export type WorkspaceCheck = { ok: true } | { ok: false; reason: string };

const CHECKOUT_TIMEOUT_MS = 600_000;
const IDENTITY = { name: 'Manyhands', email: 'manyhands@localhost' };

/**
 * Creates a clone with its own `.git` that borrows the mirror's objects: no remote, no signing, no gc, its own identity.
 * It is created atomically.
 */
export async function createWorkspace(options: CreateWorkspace, world: World = realWorld): Promise<void> {
  const { path } = options;
  await requireCreatable(options);
  const temporary = `${path}.making-${world.token()}`;
  crashpoint('workspace.creating');
  try {
    await fill(options, temporary);
    crashpoint('workspace.made');
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw fromSystemError(error, `creating the workspace ${path}`);
  }
  crashpoint('workspace.created');
}

/** Refuses a workspace that cannot be created, and removes what a killed engine left of it. */
export async function requireCreatable({ mirror, path, commit, branch }: CreateWorkspace): Promise<void> {
  requireBranchName(branch);
  if (!isOid(commit)) throw new AppError('INTERNAL', `${commit} is not a commit id`, { commit });
  await requireUnmodified(mirror);
  if (await exists(path)) throw new AppError('CONFLICT', `${path} already exists`, { path });
  await removeLeftovers(path);
}

/** Whether a kept workspace is still in the state in which its last attempt was saved. */
export async function checkWorkspace(
  path: string,
  expected: { branch: string; head: string },
): Promise<WorkspaceCheck> {
  const gitDir = join(path, '.git');
  const stat = await lstatIfExists(gitDir);
  if (!stat?.isDirectory()) return { ok: false, reason: `${gitDir} is no longer a folder` };
  const head = (await readPlainText(join(gitDir, 'HEAD'), 4096)).trim();
  const branch = `refs/heads/${expected.branch}`;
  if (head !== `ref: ${branch}`) return { ok: false, reason: `HEAD is ${head || 'missing'} instead of ${branch}` };
  const commit = await readRefFile(gitDir, branch);
  if (commit !== expected.head) return { ok: false, reason: `${branch} is at ${commit} instead of ${expected.head}` };
  if (await exists(join(gitDir, 'index.lock'))) return { ok: false, reason: 'a killed git left index.lock behind' };
  return { ok: true };
}

/** Makes the agent's own git ignore what we put into the workspace; saving omits it in any case. */
export async function hidePaths(path: string, paths: readonly string[]): Promise<void> {
  const lines = paths.map((one) => `/${one.replace(/\/+$/, '').replace(/([\\*?[\]!# ])/g, '\\$1')}\n`);
  if (lines.length > 0) await appendFile(join(path, '.git', 'info', 'exclude'), `\n${lines.join('')}`);
}

/** Removes a workspace whose work is saved: it is gone at once, and deleted later from the folder `removing`. */
export async function removeWorkspace(
  options: { mirror: Mirror; path: string; removing: string },
  world: World = realWorld,
): Promise<void> {
  crashpoint('workspace.removing');
  try {
    await removeLater(options.path, options.removing, world);
  } catch (error) {
    throw fromSystemError(error, `removing the workspace ${options.path}`);
  }
  await dropPrivateIndex(options.mirror, options.path);
  crashpoint('workspace.removed');
}

async function fill(options: CreateWorkspace, temporary: string): Promise<void> {
  await mkdir(dirname(temporary), { recursive: true, mode: 0o700 });
  const index = await freshPrivateIndex(options.mirror, options.path);
  await writeWorkspaceGit(options, temporary);
  await checkOutInto(options, temporary, index);
}

/** Writes everything in the git directory of a workspace except its index. */
export async function writeWorkspaceGit(options: CreateWorkspace, folder: string): Promise<void> {
  const { mirror, commit, branch } = options;
  await writeCloneDir({
    mirror,
    dir: join(folder, '.git'),
    head: `ref: refs/heads/${branch}`,
    refs: new Map([[`refs/heads/${branch}`, commit]]),
    config: workspaceConfig(options),
  });
  await hidePaths(folder, options.exclude ?? []);
}

/** Writes the files of the commit that a folder does not have yet, and both indexes. */
export async function checkOutInto(options: CreateWorkspace, folder: string, index: string): Promise<void> {
  const { mirror, commit, signal } = options;
  await git(['-c', 'core.fsync=none', 'read-tree', '--reset', '-u', commit], {
    gitDir: mirror.dir,
    workTree: folder,
    indexFile: index,
    timeoutMs: CHECKOUT_TIMEOUT_MS,
    ...(signal ? { signal } : {}),
  });
  await copyIndex(index, join(folder, '.git', 'index'));
  await recordPrivateIndex(mirror, index, commit);
}

function workspaceConfig({ identity = IDENTITY, lfsStorage }: CreateWorkspace): Record<string, Record<string, string>> {
  return {
    core: { logAllRefUpdates: 'true' },
    user: { name: identity.name, email: identity.email },
    commit: { gpgSign: 'false' },
    tag: { gpgSign: 'false' },
    gc: { auto: '0' },
    maintenance: { auto: 'false' },
    ...lfsSections(lfsStorage),
  };
}
