import { appendFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, errorCode, fromSystemError } from '../../errors.ts';
import { crashpoint, realWorld, type World } from '../../world.ts';
import { git } from '../git.ts';
import { lfsSections, type Mirror, requireUntouched } from '../mirror/mirror-config.ts';
import { isThere, lstatIfThere } from '../path-kind.ts';
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
  /** Paths that we copy or link into the workspace and that no commit may hold. */
  exclude?: readonly string[];
  signal?: AbortSignal;
};

export type WorkspaceCheck = { ok: true } | { ok: false; reason: string };

const CHECKOUT_TIMEOUT_MS = 600_000;
const IDENTITY = { name: 'Manyhands', email: 'manyhands@localhost' };

/**
 * Makes a clone with its own `.git` that borrows the mirror's objects: no remote, no signing, no gc, an identity of
 * its own. It appears whole under its path or not at all.
 */
export async function createWorkspace(options: CreateWorkspace, world: World = realWorld): Promise<void> {
  const { mirror, path, commit } = options;
  requireBranchName(options.branch);
  if (!isOid(commit)) throw new AppError('INTERNAL', `A workspace begins at a commit, not at ${commit}`, { commit });
  await requireUntouched(mirror);
  if (await isThere(path)) throw new AppError('CONFLICT', `There is already something at ${path}`, { path });
  await removeLeftovers(path);
  const making = `${path}.making-${world.token()}`;
  crashpoint('workspace.creating');
  try {
    await fill(options, making);
    crashpoint('workspace.made');
    await rename(making, path);
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    throw fromSystemError(error, `making the workspace ${path}`);
  }
  crashpoint('workspace.created');
}

/** Tells whether a kept workspace still stands where the last attempt in it was saved. */
export async function checkWorkspace(
  path: string,
  expected: { branch: string; head: string },
): Promise<WorkspaceCheck> {
  const gitDir = join(path, '.git');
  const stat = await lstatIfThere(gitDir);
  if (!stat?.isDirectory()) return { ok: false, reason: `${gitDir} is not a folder any more` };
  const head = (await readPlainText(join(gitDir, 'HEAD'), 4096)).trim();
  const branch = `refs/heads/${expected.branch}`;
  if (head !== `ref: ${branch}`) return { ok: false, reason: `HEAD is ${head || 'missing'} instead of ${branch}` };
  const commit = await readRefFile(gitDir, branch);
  if (commit !== expected.head) return { ok: false, reason: `${branch} is at ${commit} instead of ${expected.head}` };
  if (await isThere(join(gitDir, 'index.lock'))) return { ok: false, reason: 'a killed git left index.lock behind' };
  return { ok: true };
}

/** Makes the agent's own git pass over what we put into the workspace; saving leaves it out in any case. */
export async function hidePaths(path: string, paths: readonly string[]): Promise<void> {
  const lines = paths.map((one) => `/${one.replace(/\/+$/, '').replace(/([\\*?[\]!# ])/g, '\\$1')}\n`);
  if (lines.length > 0) await appendFile(join(path, '.git', 'info', 'exclude'), `\n${lines.join('')}`);
}

/** Removes a workspace whose work is saved: out of the way at once, then file by file. */
export async function removeWorkspace(
  options: { mirror: Mirror; path: string },
  world: World = realWorld,
): Promise<void> {
  const away = `${options.path}.removing-${world.token()}`;
  crashpoint('workspace.removing');
  try {
    await rename(options.path, away);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw fromSystemError(error, `removing the workspace ${options.path}`);
  }
  await dropPrivateIndex(options.mirror, options.path);
  await rm(away, { recursive: true, force: true });
  crashpoint('workspace.removed');
}

async function fill(options: CreateWorkspace, making: string): Promise<void> {
  const { mirror, commit, branch } = options;
  const gitDir = join(making, '.git');
  await mkdir(dirname(making), { recursive: true, mode: 0o700 });
  const index = await freshPrivateIndex(mirror, options.path);
  await writeCloneDir({
    mirror,
    dir: gitDir,
    head: `ref: refs/heads/${branch}`,
    refs: new Map([[`refs/heads/${branch}`, commit]]),
    config: workspaceConfig(options),
  });
  await git(['-c', 'core.fsync=none', 'read-tree', '--reset', '-u', commit], {
    gitDir: mirror.dir,
    workTree: making,
    indexFile: index,
    timeoutMs: CHECKOUT_TIMEOUT_MS,
    ...(options.signal ? { signal: options.signal } : {}),
  });
  await copyIndex(index, join(gitDir, 'index'));
  await recordPrivateIndex(mirror, index, commit);
  await hidePaths(making, options.exclude ?? []);
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
