import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../../errors.ts';

/** Removes incomplete folders next to a path that a killed engine left behind. */
export async function removeLeftovers(path: string): Promise<void> {
  const prefixes = ['making-', 'removing-'].map((kind) => `${basename(path)}.${kind}`);
  await removeStarting(dirname(path), prefixes);
}

/** Removes everything in a folder whose name starts with one of the prefixes. */
export async function removeStarting(folder: string, prefixes: readonly string[]): Promise<void> {
  const names = await readdir(folder).catch((error: unknown): string[] => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  const leftovers = names.filter((name) => prefixes.some((prefix) => name.startsWith(prefix)));
  await Promise.all(leftovers.map((name) => rm(join(folder, name), { recursive: true, force: true })));
}
