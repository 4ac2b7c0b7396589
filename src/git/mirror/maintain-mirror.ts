import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { crashpoint } from '../../world.ts';
import { git } from '../git.ts';
import { type Mirror, requireUnmodified } from './mirror-config.ts';

const TIMEOUT_MS = 1_800_000;

/** The number of refs from which reading a mirror becomes noticeably slower. */
const MANY_REFS = 256;

/** Whether maintenance is worth its time. */
export async function isMaintenanceDue(mirror: Mirror): Promise<boolean> {
  const folders = ['attempts', 'objects'].map((kind) => join(mirror.dir, 'refs', 'manyhands', kind));
  const refs = await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])));
  return refs.some(({ length }) => length > MANY_REFS);
}

/** Packs a mirror's refs and objects; never deletes an object, reachable or not. */
export async function maintainMirror(mirror: Mirror, signal?: AbortSignal): Promise<void> {
  await requireUnmodified(mirror);
  const options = { gitDir: mirror.dir, timeoutMs: TIMEOUT_MS, ...(signal ? { signal } : {}) };
  crashpoint('mirror.maintaining');
  await git(['pack-refs', '--all'], options);
  await git(['commit-graph', 'write', '--reachable', '--no-progress'], options);
  await git(['maintenance', 'run', '--quiet', '--task=loose-objects'], options);
  const packs = (await readdir(join(mirror.dir, 'objects', 'pack'))).filter((name) => name.endsWith('.pack'));
  if (packs.length > 0) await git(['maintenance', 'run', '--quiet', '--task=incremental-repack'], options);
  crashpoint('mirror.maintained');
}
