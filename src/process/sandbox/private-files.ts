import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { realWorld } from '../../world.ts';

/** What of a folder of the system is not for everybody: keys and passwords, which root could read, or a group of the user. */
export type PrivateFiles = { files: string[]; folders: string[] };

const READABLE_BY_ALL = 0o004;
const LISTABLE_BY_ALL = 0o005;
const WRITABLE_BY_ROOT = 0o200;

/** How long what was found is believed: a long-lived engine must notice a file that became private. */
const BELIEVED_MS = 60_000;

const known = new Map<string, PrivateFiles & { at: number }>();

/** The files below a folder that not every user may read, and the folders that not every user may list, as they were within the last minute. */
export function privateFiles(root: string, now = realWorld.now()): PrivateFiles {
  const before = known.get(root);
  if (before !== undefined && now >= before.at && now - before.at < BELIEVED_MS) return before;
  const found = { ...search(root), at: now };
  known.set(root, found);
  return found;
}

function search(folder: string): PrivateFiles {
  const found: PrivateFiles = { files: [], folders: [] };
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    const mode = statusOf(path)?.mode ?? 0;
    if (entry.isFile() && (mode & READABLE_BY_ALL) === 0) found.files.push(path);
    if (!entry.isDirectory()) continue;
    if ((mode & LISTABLE_BY_ALL) !== LISTABLE_BY_ALL) {
      found.folders.push(path);
      continue;
    }
    const { files, folders } = search(path);
    found.files.push(...files);
    found.folders.push(...folders);
  }
  return found;
}

/** The files of `/proc` itself that root alone may read or change, whatever its capabilities are. */
export function kernelFiles(): string[] {
  return entriesOf('/proc').flatMap((entry) => {
    const path = join('/proc', entry.name);
    const mode = entry.isFile() ? (statusOf(path)?.mode ?? READABLE_BY_ALL) : READABLE_BY_ALL;
    return (mode & READABLE_BY_ALL) === 0 || (mode & WRITABLE_BY_ROOT) !== 0 ? [path] : [];
  });
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // What we cannot list, a program of ours cannot read either.
    return [];
  }
}

function statusOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
