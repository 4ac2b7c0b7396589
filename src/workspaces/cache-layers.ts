import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../errors.ts';
import type { Contain } from '../process/sandbox/bubblewrap.ts';
import type { CacheLayers } from '../process/sandbox/overlays.ts';
import { removeTree } from './copy-tree.ts';

/** What set-ups have added to package caches, by the workspace or checkout whose programs see it. */
const shown = new Map<string, string>();

/** Shows the programs that work in a folder what the set-up of its dependencies has added to package caches. */
export function showCaches(folder: string, caches: string | undefined): void {
  if (caches === undefined) shown.delete(folder);
  else shown.set(folder, caches);
}

/** What programs in a folder, or below it, see of a set-up's caches. */
export function cachesIn(cwd: string): CacheLayers | undefined {
  for (let folder = cwd; folder !== dirname(folder); folder = dirname(folder)) {
    const caches = shown.get(folder);
    if (caches !== undefined) return { folder: caches, isWritten: false };
  }
  return undefined;
}

/** Contains set-up commands so that what they add to package caches is kept in a folder. */
export function keepingCaches(contain: Contain | undefined, folder: string): Contain | undefined {
  return contain === undefined ? undefined : (program) => contain({ ...program, caches: { folder, isWritten: true } });
}

/** Removes what is empty, and what the kernel needed while the set-up ran. */
export async function pruneCaches(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) {
    const layer = join(folder, name);
    await removeTree(join(layer, 'work'));
    if ((await namesIn(join(layer, 'files'))).length === 0) await removeTree(layer);
  }
  if ((await namesIn(folder)).length === 0) await removeTree(folder);
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
}
