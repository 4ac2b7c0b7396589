import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, errorCode, fromSystemError } from '../../errors.ts';
import { crashpoint, realWorld, type World } from '../../world.ts';
import { otherEnd } from '../environment.ts';
import { git } from '../git.ts';
import { withMutex } from '../mutex.ts';
import { readPlainText } from '../plain-file.ts';
import type { Repository } from '../read/repository.ts';
import { removeLeftovers, removeStarting } from '../workspace/leftovers.ts';
import { clearStaleLocks } from './locks.ts';
import { type Mirror, mirrorConfig, privateFolder, requireUntouched } from './mirror-config.ts';
import { refreshMirror } from './refresh.ts';

export type { Mirror } from './mirror-config.ts';

export type OpenMirror = { dir: string; repository: Repository; signal?: AbortSignal };

const CLONE_TIMEOUT_MS = 1_800_000;
/** What a killed engine left is cleared at the first opening only: later there may be work under way. */
const opened = new Set<string>();

/** The project's own bare repository, made whole or not at all; the user's refs stand in it under refs/user/. */
export async function openMirror(options: OpenMirror, world: World = realWorld): Promise<Mirror> {
  return withMutex(`open ${options.dir}`, () => openOrMake(options, world));
}

async function openOrMake(options: OpenMirror, world: World): Promise<Mirror> {
  const { dir, repository, signal } = options;
  const { objectFormat, lfs, commonDir } = repository;
  const config = mirrorConfig(objectFormat, lfs ? join(commonDir, 'lfs') : undefined);
  const mirror: Mirror = { dir, objectFormat, config };
  try {
    const stored = await readPlainText(join(dir, 'config'));
    if (stored === '') await make(mirror, options, world);
    else if (stored === mirrorConfig(objectFormat, undefined)) await writeConfig(mirror);
  } catch (error) {
    throw fromSystemError(error, `making the mirror ${dir}`);
  }
  await requireUntouched(mirror);
  if (!opened.has(dir)) {
    await clearStaleLocks(mirror);
    await removeStarting(privateFolder(mirror), ['taking-']);
    opened.add(dir);
  }
  await refreshMirror(mirror, repository, signal);
  return mirror;
}

async function make(mirror: Mirror, { repository, signal }: OpenMirror, world: World): Promise<void> {
  const { dir } = mirror;
  await mkdir(dirname(dir), { recursive: true, mode: 0o700 });
  await removeLeftovers(dir);
  const making = { ...mirror, dir: `${dir}.making-${world.token()}` };
  crashpoint('mirror.creating');
  await copy(repository, making.dir, signal);
  await moveRefs(making.dir);
  await writeConfig(making);
  await mkdir(privateFolder(making), { recursive: true, mode: 0o700 });
  crashpoint('mirror.made');
  await rename(making.dir, dir);
  crashpoint('mirror.created');
}

/** By links if it can be; not while the user's gc removes what is being linked, nor where objects are links themselves. */
async function copy(repository: Repository, to: string, signal: AbortSignal | undefined): Promise<void> {
  try {
    await clone(repository, { to, how: '--local' }, signal);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'GIT_FAILED') throw error;
    await rm(to, { recursive: true, force: true });
    await clone(repository, { to, how: '--no-local' }, signal);
  }
}

type Cloning = { to: string; how: '--local' | '--no-local' };

async function clone(repository: Repository, cloning: Cloning, signal: AbortSignal | undefined): Promise<void> {
  const { to } = cloning;
  const how = ['--quiet', '--bare', cloning.how, '--template=', '--no-tags', '--upload-pack', otherEnd('upload-pack')];
  await git(['-c', 'safe.directory=*', 'clone', ...how, '--', repository.commonDir, to], {
    cwd: dirname(to),
    timeoutMs: CLONE_TIMEOUT_MS,
    ...(signal ? { signal } : {}),
  });
}

async function moveRefs(dir: string): Promise<void> {
  const file = join(dir, 'packed-refs');
  const packed = await readFile(file, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  });
  await writeFile(file, packed.replace(/^([0-9a-f]+ refs\/)/gm, '$1user/'));
  await writeFile(join(dir, 'HEAD'), 'ref: refs/heads/manyhands-has-no-head\n');
  const loose = await readdir(join(dir, 'refs', 'heads')).catch((): string[] => []);
  if (loose.length > 0) throw new AppError('GIT_FAILED', `The new mirror has branches of its own: ${loose}`, { dir });
}

async function writeConfig(mirror: Mirror): Promise<void> {
  const file = join(mirror.dir, 'config');
  await writeFile(`${file}.new`, mirror.config, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
