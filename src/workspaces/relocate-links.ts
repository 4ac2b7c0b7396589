import { readdir, readlink, rm, symlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { isInside } from './inside.ts';

/** Makes links that name the folder they were copied from relative, so that no copy leads back into the original. */
export async function relocateLinks(copy: string, original: string): Promise<void> {
  await visit({ copy, original }, '');
}

async function visit(trees: { copy: string; original: string }, folder: string): Promise<void> {
  for (const entry of await readdir(join(trees.copy, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) await relocate(trees, path);
    else if (entry.isDirectory()) await visit(trees, path);
  }
}

async function relocate(trees: { copy: string; original: string }, path: string): Promise<void> {
  const link = join(trees.copy, path);
  const target = await readlink(link);
  if (!isAbsolute(target) || !isInside(trees.original, target)) return;
  await rm(link);
  await symlink(relative(dirname(join(trees.original, path)), target), link);
}
