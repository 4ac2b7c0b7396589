import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exists } from '../git/path-kind.ts';
import { removeTree } from '../process/remove-later.ts';
import { isMountable, type LayeredFolder } from '../process/sandbox/overlays.ts';
import { targetInside } from './inside.ts';
import type { Seed } from './seed.ts';
import { showLayers } from './shown-layers.ts';

type Layering = {
  /** Whether the programs of the folder can be shown dependencies that are not in it. */
  canLayer: boolean | undefined;
  /** Existing entries are replaced, else nothing is shown. */
  replace: boolean;
};

/**
 * Shows the programs of a workspace or checkout a seed below its own files; false where the seed must be copied. What
 * they change in it is in the folder itself, so that nobody else sees it.
 */
export async function layerDependencies(seed: Seed, target: string, how: Layering): Promise<boolean> {
  const caches = seed.caches === undefined ? {} : { caches: seed.caches };
  showLayers(target, caches);
  if (how.canLayer !== true || !(await isLayerable(seed, target, how))) return false;
  if (how.replace) for (const entry of seed.entries) await removeTree(join(target, entry));
  // Only a checkout replaces what it has: it does not outlive its check.
  const dependencies: LayeredFolder = {
    path: target,
    lower: seed.files,
    work: layerWorkFolder(target),
    isLossy: how.replace,
  };
  showLayers(target, { ...caches, dependencies });
  return true;
}

/** The folder that the kernel needs beside a workspace or checkout. */
export function layerWorkFolder(target: string): string {
  return `${target}.work`;
}

/** Whether exactly the entries of the seed would appear: each in a real folder, and at a path that is free or becomes free. */
async function isLayerable({ entries, files }: Seed, target: string, { replace }: Layering): Promise<boolean> {
  if (entries.length === 0 || ![files, target].every(isMountable)) return false;
  const root = await realpath(target);
  for (const entry of entries) {
    const path = await targetInside(target, entry);
    if (path === undefined || (!replace && (await exists(path)))) return false;
    if ((await realpath(dirname(path))) !== dirname(join(root, entry))) return false;
  }
  return true;
}
