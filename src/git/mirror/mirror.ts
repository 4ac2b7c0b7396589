import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, errorCode, fromSystemError } from '../../errors.ts';
import { crashpoint, realWorld, type World } from '../../world.ts';
import { otherEnd } from '../environment.ts';
import { git } from '../git.ts';
import { withMutex } from '../mutex.ts';
import { exists } from '../path-kind.ts';
import { readPlainText, replaceFile } from '../plain-file.ts';
import type { Repository } from '../read/repository.ts';
import { isOid, parsePackedRefs } from '../refs/refs.ts';
import { removeLeftovers, removeStarting } from '../workspace/leftovers.ts';
import { clearStaleLocks } from './locks.ts';
import { type Mirror, mirrorConfig, privateFolder, requireUnmodified } from './mirror-config.ts';
import { type MirrorProgress, refreshMirror } from './refresh.ts';

export type { Mirror } from './mirror-config.ts';

/** `onProgress` receives what is done and, where git reports it, how far it is. */
export type OpenMirror = {
  dir: string;
  repository: Repository;
  signal?: AbortSignal;
  onProgress?: MirrorProgress | undefined;
};

const CLONE_TIMEOUT_MS = 1_800_000;
const FETCH = ['fetch', '--quiet', '--no-tags', '--no-auto-maintenance', '--no-write-fetch-head', '--refmap='];
/** As many folders of loose objects contain at least as many objects. */
const MANY_LOOSE = 32;
/** Files left by a killed engine are removed only when a mirror is first opened: later they may be in use. */
const cleanedMirrors = new Set<string>();

/** Opens the project's own bare repository, and creates it atomically if needed; it holds the user's refs under refs/user/. */
export async function openMirror(options: OpenMirror, world: World = realWorld): Promise<Mirror> {
  return withMutex(`open ${options.dir}`, () => openOrCreate(options, world));
}

async function openOrCreate(options: OpenMirror, world: World): Promise<Mirror> {
  const { dir, repository, signal } = options;
  const { objectFormat, lfs, commonDir } = repository;
  const config = mirrorConfig(objectFormat, lfs ? join(commonDir, 'lfs') : undefined);
  const mirror: Mirror = { dir, objectFormat, config };
  try {
    const stored = await readPlainText(join(dir, 'config'));
    if (stored === '' && (await exists(join(dir, 'objects'))))
      throw new AppError('DATA_DAMAGED', `The settings of the mirror ${dir} are empty`, { dir });
    if (stored === '') await create(mirror, options, world);
    else if (stored === mirrorConfig(objectFormat, undefined)) await writeConfig(mirror);
  } catch (error) {
    throw fromSystemError(error, `creating the mirror ${dir}`);
  }
  await requireUnmodified(mirror);
  if (!cleanedMirrors.has(dir)) {
    await clearStaleLocks(mirror);
    await removeStarting(privateFolder(mirror), ['taking-']);
    // What a killed git had not flushed yet; no ref can name it.
    await removeStarting(join(dir, 'objects'), ['tmp_objdir-']);
    cleanedMirrors.add(dir);
  }
  await refreshMirror(mirror, repository, signal, options.onProgress);
  return mirror;
}

async function create(mirror: Mirror, { repository, signal, onProgress }: OpenMirror, world: World): Promise<void> {
  const { dir } = mirror;
  await mkdir(dirname(dir), { recursive: true, mode: 0o700 });
  await removeLeftovers(dir);
  const temporary = { ...mirror, dir: `${dir}.making-${world.token()}` };
  crashpoint('mirror.creating');
  onProgress?.('copies the repository into its private mirror');
  await copy(repository, { to: temporary.dir, onProgress }, signal);
  await packObjects(temporary.dir, signal);
  await moveRefs(temporary.dir);
  await writeConfig(temporary);
  await mkdir(privateFolder(temporary), { recursive: true, mode: 0o700 });
  crashpoint('mirror.made');
  await rename(temporary.dir, dir);
  crashpoint('mirror.created');
}

/** Uses hard links; falls back to a copy while the user's gc is running, or if the objects are links themselves. */
async function copy(
  repository: Repository,
  cloning: Omit<Cloning, 'how'>,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await clone(repository, { ...cloning, how: '--local' }, signal);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'GIT_FAILED') throw error;
    await rm(cloning.to, { recursive: true, force: true });
    await clone(repository, { ...cloning, how: '--no-local' }, signal);
  }
}

type Cloning = { to: string; how: '--local' | '--no-local'; onProgress: MirrorProgress | undefined };

async function clone(repository: Repository, cloning: Cloning, signal: AbortSignal | undefined): Promise<void> {
  const { to, onProgress } = cloning;
  const how = [
    '--progress',
    '--bare',
    cloning.how,
    '--template=',
    '--no-tags',
    '--upload-pack',
    otherEnd('upload-pack'),
  ];
  await git(['-c', 'safe.directory=*', 'clone', ...how, '--', repository.commonDir, to], {
    cwd: dirname(to),
    timeoutMs: CLONE_TIMEOUT_MS,
    onProgress: (line) => onProgress?.('copies the repository into its private mirror', line),
    ...(signal ? { signal } : {}),
  });
}

/** Every workspace reads all files of its commit: from a pack this takes a tenth of the system calls. */
async function packObjects(dir: string, signal: AbortSignal | undefined): Promise<void> {
  const folders = (await readdir(join(dir, 'objects'))).filter((name) => /^[0-9a-f]{2}$/.test(name));
  if (folders.length < MANY_LOOSE) return;
  const options = { gitDir: dir, timeoutMs: CLONE_TIMEOUT_MS, ...(signal ? { signal } : {}) };
  await git(['-c', 'core.fsync=all', 'maintenance', 'run', '--quiet', '--task=loose-objects'], options);
  await git(['prune-packed', '--quiet'], options);
}

async function moveRefs(dir: string): Promise<void> {
  const file = join(dir, 'packed-refs');
  const packed = await readFile(file, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  });
  await keepHead(dir, parsePackedRefs(packed));
  await replaceFile(file, packed.replace(/^([0-9a-f]+ refs\/)/gm, '$1user/'));
  await writeFile(join(dir, 'HEAD'), 'ref: refs/heads/manyhands-has-no-head\n');
  const loose = await readdir(join(dir, 'refs', 'heads')).catch((): string[] => []);
  if (loose.length > 0) throw new AppError('GIT_FAILED', `The new mirror has unexpected branches: ${loose}`, { dir });
}

/** Keeps the commit of the user's HEAD, so that a new mirror needs no fetch for it; a refresh corrects it where it differs. */
async function keepHead(dir: string, refs: ReadonlyMap<string, string>): Promise<void> {
  const head = (await readPlainText(join(dir, 'HEAD'))).trim();
  const commit = head.startsWith('ref: ') ? refs.get(head.slice('ref: '.length)) : head;
  if (commit === undefined || !isOid(commit)) return;
  await mkdir(join(dir, 'refs', 'user'), { recursive: true });
  await writeFile(join(dir, 'refs', 'user', 'HEAD'), `${commit}\n`);
}

async function writeConfig(mirror: Mirror): Promise<void> {
  await replaceFile(join(mirror.dir, 'config'), mirror.config);
}

/** The commits that the mirror does not have, or not with their trees. */
export async function missingCommits(mirror: Mirror, commits: readonly string[]): Promise<string[]> {
  if (commits.length === 0) return [];
  const input = `${commits.map((commit) => `${commit}^{tree}`).join('\n')}\n`;
  const { stdout } = await git(['cat-file', '--batch-check'], { gitDir: mirror.dir, input });
  const lines = stdout.split('\n');
  return commits.filter((_, index) => !/ tree \d+$/.test(lines[index] ?? ''));
}

/**
 * Rebuilds lost objects of a mirror from the user's repository and from workspaces, which are only fetched from; returns
 * the commits that neither has.
 */
export async function recoverObjects(
  mirror: Mirror,
  from: { repository: Pick<Repository, 'root'>; workspaces: string; commits: readonly string[] },
): Promise<string[]> {
  let missing = await missingCommits(mirror, from.commits);
  if (missing.length === 0) return [];
  await refetch(mirror, from.repository.root, '+refs/heads/*:refs/user/heads/*');
  missing = await missingCommits(mirror, missing);
  for (const name of missing.length === 0 ? [] : await readdir(from.workspaces).catch((): string[] => [])) {
    const source = join(from.workspaces, name, '.git');
    await refetch(mirror, source, `+refs/*:refs/manyhands/recovered/${name}/*`);
  }
  return missingCommits(mirror, missing);
}

/** A source that cannot be read, such as a workspace that itself lost objects, has nothing to recover. */
async function refetch(mirror: Mirror, source: string, refspec: string): Promise<void> {
  const args = [...FETCH, '--refetch', '--upload-pack', otherEnd('upload-pack'), source, refspec];
  try {
    await git(args, { gitDir: mirror.dir, timeoutMs: CLONE_TIMEOUT_MS });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'GIT_FAILED') throw error;
  }
}
