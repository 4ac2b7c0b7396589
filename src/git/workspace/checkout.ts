import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, fromSystemError } from '../../errors.ts';
import { crashpoint, realWorld, type World } from '../../world.ts';
import { git } from '../git.ts';
import { lfsSections, type Mirror, requireUnmodified } from '../mirror/mirror-config.ts';
import { isOid } from '../refs/refs.ts';
import { isWithin } from '../save/add-all.ts';
import { readIndex } from '../save/index-file.ts';
import { writeCloneDir } from './clone-dir.ts';
import { removeLeftovers } from './leftovers.ts';

export type CreateCheckout = {
  mirror: Mirror;
  path: string;
  commit: string;
  /** These paths come from another commit; those that it does not have are deleted. */
  overlay?: { commit: string; paths: readonly string[] };
  lfsStorage?: string;
  signal?: AbortSignal;
};

const TIMEOUT_MS = 600_000;

/** Checks out exactly the files of a commit into a new folder with its own `.git`. */
export async function createCheckout(options: CreateCheckout, world: World = realWorld): Promise<void> {
  const { mirror, path, commit, overlay } = options;
  if (!isOid(commit)) throw new AppError('INTERNAL', `${commit} is not a commit id`, { commit });
  await requireUnmodified(mirror);
  await removeLeftovers(path);
  const temporary = `${path}.making-${world.token()}`;
  crashpoint('checkout.creating');
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const config = { gc: { auto: '0' }, maintenance: { auto: 'false' }, ...lfsSections(options.lfsStorage) };
    await writeCloneDir({ mirror, dir: join(temporary, '.git'), head: commit, config });
    const where = gitLocations(options, temporary);
    if (overlay === undefined) await git(['-c', 'core.fsync=none', 'read-tree', '--reset', '-u', commit], where);
    else await checkOutOverlay(options, overlay, where);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw fromSystemError(error, `checking out ${commit} to ${path}`);
  }
  crashpoint('checkout.created');
}

type GitLocations = { gitDir: string; workTree: string; indexFile: string; timeoutMs: number };

function gitLocations({ mirror, signal }: CreateCheckout, temporary: string): GitLocations {
  const indexFile = join(temporary, '.git', 'index');
  return { gitDir: mirror.dir, workTree: temporary, indexFile, timeoutMs: TIMEOUT_MS, ...(signal ? { signal } : {}) };
}

async function checkOutOverlay(
  { mirror, commit }: CreateCheckout,
  overlay: { commit: string; paths: readonly string[] },
  where: GitLocations,
): Promise<void> {
  await git(['read-tree', commit], where);
  const { entries } = await readIndex(where.indexFile, mirror.objectFormat);
  const removed = entries
    .filter((entry) => isWithin(entry.path, overlay.paths))
    .map((entry) => `000000 ${entry.oid}\t${entry.path}\0`);
  const listed = await git(['ls-tree', '-r', '-z', '--full-tree', overlay.commit], where);
  const added = listed.stdout.split('\0').flatMap((line) => {
    const [facts, path] = [line.slice(0, line.indexOf('\t')), line.slice(line.indexOf('\t') + 1)];
    const [mode, , oid] = facts.split(' ');
    return isWithin(path, overlay.paths) ? [`${mode} ${oid}\t${path}\0`] : [];
  });
  await git(['update-index', '-z', '--index-info'], { ...where, input: [...removed, ...added].join('') });
  await git(['checkout-index', '-a', '-f', '-u', '-q'], where);
}
