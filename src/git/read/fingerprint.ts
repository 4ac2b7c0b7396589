import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { readPlainText } from '../plain-file.ts';
import { parsePackedRefs } from '../refs/refs.ts';
import type { Repository } from './repository.ts';

/** What Manyhands may add: objects, and its own branches with their logs. */
const OURS = /^(objects|(logs\/)?refs\/heads\/mh)(\/|$)/;

/**
 * One hash over everything in the repository that belongs to the user: HEAD, index, files, stash, configuration,
 * hooks, logs and all refs but refs/heads/mh/*.
 */
export async function fingerprint(repository: Pick<Repository, 'root' | 'gitDir' | 'commonDir'>): Promise<string> {
  const hash = createHash('sha256');
  const { root, gitDir, commonDir } = repository;
  await addFolder({ hash, top: root, skip: (path) => path === '.git' }, root);
  for (const top of new Set([gitDir, commonDir])) {
    await addFolder({ hash, top, skip: (path) => OURS.test(path) || path === 'packed-refs' }, top);
  }
  const packed = parsePackedRefs(await readPlainText(join(commonDir, 'packed-refs')));
  const theirs = [...packed].filter(([name]) => !name.startsWith('refs/heads/mh/')).sort();
  return hash.update(JSON.stringify(theirs)).digest('hex');
}

type Walk = { hash: Hash; top: string; skip(path: string): boolean };

async function addFolder(walk: Walk, folder: string): Promise<void> {
  const entries = (await readdir(folder)).sort();
  for (const name of entries) {
    const file = join(folder, name);
    const path = relative(walk.top, file);
    if (walk.skip(path)) continue;
    const stat = await lstat(file);
    walk.hash.update(JSON.stringify([path, stat.mode]));
    if (stat.isDirectory()) await addFolder(walk, file);
    else if (stat.isSymbolicLink()) walk.hash.update(await readlink(file));
    else if (stat.isFile()) await addContents(walk.hash, file);
  }
}

async function addContents(hash: Hash, file: string): Promise<void> {
  for await (const chunk of createReadStream(file)) hash.update(chunk);
}
