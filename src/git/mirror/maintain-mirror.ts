import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { crashpoint } from '../../world.ts';
import { git } from '../git.ts';
import { type Mirror, requireUntouched } from './mirror-config.ts';

const TIMEOUT_MS = 1_800_000;

/** So many attempts with refs of their own make every look at a mirror slower. */
const MANY_REFS = 256;

/** Whether upkeep is worth its time. */
export async function isMaintenanceDue(mirror: Mirror): Promise<boolean> {
  const attempts = await readdir(join(mirror.dir, 'refs', 'manyhands', 'attempts')).catch(() => []);
  return attempts.length > MANY_REFS;
}

/** Keeps a mirror with many refs and objects quick; never drops an object, reachable or not. */
export async function maintainMirror(mirror: Mirror, signal?: AbortSignal): Promise<void> {
  await requireUntouched(mirror);
  const options = { gitDir: mirror.dir, timeoutMs: TIMEOUT_MS, ...(signal ? { signal } : {}) };
  crashpoint('mirror.tidying');
  await git(['pack-refs', '--all'], options);
  await git(['commit-graph', 'write', '--reachable', '--no-progress'], options);
  await git(['maintenance', 'run', '--quiet', '--task=loose-objects'], options);
  const packs = (await readdir(join(mirror.dir, 'objects', 'pack'))).filter((name) => name.endsWith('.pack'));
  if (packs.length > 0) await git(['maintenance', 'run', '--quiet', '--task=incremental-repack'], options);
  crashpoint('mirror.tidied');
}
