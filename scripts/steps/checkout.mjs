import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this checkout. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A hash over the names and contents of files and, with all that is in them, folders; a missing one counts as empty. */
export function hashOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths.flatMap((each) => filesIn(each))) {
    const content = readFileSync(join(ROOT, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** What stands in a file of this checkout, or nothing if there is none. */
export function textOf(path) {
  try {
    return readFileSync(join(ROOT, path), 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function filesIn(path) {
  try {
    const entries = readdirSync(join(ROOT, path), { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1)).flatMap((entry) => filesIn(join(path, entry.name)));
  } catch (error) {
    if (error.code === 'ENOTDIR') return [path];
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
