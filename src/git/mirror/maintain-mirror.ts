import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { crashpoint } from '../../world.ts';
import { git } from '../git.ts';
import { type Mirror, requireUnmodified } from './mirror-config.ts';

const TIMEOUT_MS = 1_800_000;

/** The number of refs from which reading a mirror becomes noticeably slower. */
const MANY_REFS = 256;

/** Objects are spread evenly over 256 folders: from so many in one of them on, each new workspace takes noticeably longer. */
const SAMPLE = '17';
const MANY_IN_SAMPLE = 8;

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

/** Mirrors that are being packed, or that this process could not pack: it does not try again after each landing. */
const notPacked = new Set<string>();

/** Packs the objects that a long run has stored one by one, if they are many; where that fails, the next process tries it. */
export async function packIfMany(mirror: Mirror, signal?: AbortSignal): Promise<void> {
  if (notPacked.has(mirror.dir) || !(await hasManyObjects(mirror))) return;
  notPacked.add(mirror.dir);
  // They stay readable one by one.
  await pack(mirror, signal).catch(() => {});
  if (!(await hasManyObjects(mirror))) notPacked.delete(mirror.dir);
}

/** Each object is in a pack, and flushed, before its file is deleted. */
async function pack(mirror: Mirror, signal: AbortSignal | undefined): Promise<void> {
  await requireUnmodified(mirror);
  const options = { gitDir: mirror.dir, timeoutMs: TIMEOUT_MS, isRepeatable: true, ...(signal ? { signal } : {}) };
  crashpoint('mirror.packing');
  await git(['maintenance', 'run', '--quiet', '--task=loose-objects'], options);
  await git(['prune-packed', '--quiet'], options);
  crashpoint('mirror.packed');
}

async function hasManyObjects(mirror: Mirror): Promise<boolean> {
  const sample = await readdir(join(mirror.dir, 'objects', SAMPLE)).catch(() => []);
  return sample.length >= MANY_IN_SAMPLE;
}
