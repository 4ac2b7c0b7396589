import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Every path below a folder, except `.git`. */
export async function listPaths(root: string): Promise<Set<string>> {
  const paths = new Set<string>();
  await walk(root, '', (path) => {
    paths.add(path);
    return true;
  });
  return paths;
}

/** The topmost paths in a folder that were not in the list. */
export async function findCreatedPaths(root: string, before: ReadonlySet<string>): Promise<string[]> {
  const created: string[] = [];
  await walk(root, '', (path) => {
    if (before.has(path)) return true;
    created.push(path);
    return false;
  });
  return created.sort();
}

async function walk(root: string, folder: string, enter: (path: string) => boolean): Promise<void> {
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (path !== '.git' && enter(path) && entry.isDirectory()) await walk(root, path, enter);
  }
}
