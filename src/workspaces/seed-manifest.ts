import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../errors.ts';

/** The description of a seed; its hash covers names, kinds, sizes and times of all its files. */
export const SeedManifest = z.object({
  entries: z.array(z.string()),
  runInEach: z.boolean(),
  hash: z.string(),
});
export type SeedManifest = z.infer<typeof SeedManifest>;

/** The manifest in a file, or undefined if it is missing or invalid. */
export async function readManifest(file: string): Promise<SeedManifest | undefined> {
  try {
    const parsed = SeedManifest.safeParse(JSON.parse(await readFile(file, 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    // Missing or damaged: the seed is created again.
    if (error instanceof SyntaxError || errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** A hash that changes with any change of a file; unlike the other times, the inode's change time cannot be set back. */
export async function hashTree(root: string): Promise<string> {
  const hash = createHash('sha256');
  await visit(root, '', (line) => hash.update(line));
  return hash.digest('hex');
}

async function visit(root: string, folder: string, add: (line: string) => void): Promise<void> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const paths = entries.map((entry) => (folder === '' ? entry.name : `${folder}/${entry.name}`));
  const facts = await Promise.all(paths.map((path) => describePath(join(root, path))));
  for (const [index, entry] of entries.entries()) {
    const path = paths[index] ?? entry.name;
    add(`${path}\0${facts[index]}\0`);
    if (entry.isDirectory()) await visit(root, path, add);
  }
}

/** What a file or folder is like itself: its mode, size, times, inode and link target. */
export async function describePath(path: string): Promise<string> {
  const stat = await lstat(path, { bigint: true });
  const target = stat.isSymbolicLink() ? await readlink(path) : '';
  return `${stat.mode} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.ino} ${target}`;
}
