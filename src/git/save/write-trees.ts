import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Mirror } from '../mirror/mirror-config.ts';
import { writeObject } from '../read/loose-object.ts';
import type { Index, IndexEntry } from './index-file.ts';

/** A folder whose tree is known needs no entries. */
type Folder = { files: Map<string, { mode: number; oid: string }>; folders: Map<string, Folder>; known?: string };
type Format = Mirror['objectFormat'];

const FOLDER_MODE = 0o40000;
/** For more, git is faster: it flushes them together. */
const MOST_WRITTEN = 16;
/** Stands for bytes of a name that are no UTF-8. */
const REPLACEMENT = '\ufffd';

/**
 * Writes the trees of an index that git has not recorded yet, except those that are stored, and returns the top one;
 * undefined where git should do it. Git forgets the tree of a folder also when it reads a file in it again.
 */
export async function writeTrees(
  mirror: Mirror,
  { entries, folders, tree }: Index,
  stored: ReadonlySet<string>,
): Promise<string | undefined> {
  if (tree !== undefined) return tree;
  const root = folderOf(entries, folders);
  const written: Buffer[] = [];
  const oid = idOf(root, mirror.objectFormat, (content, id) => {
    if (!stored.has(id)) written.push(content);
  });
  if (written.length > MOST_WRITTEN || written.some((content) => content.length === 0)) return undefined;
  if (written.some((content) => content.includes(REPLACEMENT))) return undefined;
  const objects = join(mirror.dir, 'objects');
  const format = mirror.objectFormat;
  await Promise.all(written.map((content) => writeObject(objects, { type: 'tree', content, format })));
  return oid;
}

/** The tree id that git computes for these entries: equal ids mean equal contents. */
export function treeId(entries: readonly IndexEntry[], format: Format): string {
  return idOf(folderOf(entries, new Map()), format, () => {});
}

function folderOf(entries: readonly IndexEntry[], known: ReadonlyMap<string, string>): Folder {
  const root: Folder = { files: new Map(), folders: new Map() };
  for (const { path, mode, oid } of entries) {
    let folder = root;
    let start = 0;
    for (let slash = path.indexOf('/'); slash >= 0 && folder.known === undefined; slash = path.indexOf('/', start)) {
      folder = innerFolder(folder, path.slice(start, slash), known.get(path.slice(0, slash)));
      start = slash + 1;
    }
    if (folder.known === undefined) folder.files.set(path.slice(start), { mode, oid });
  }
  return root;
}

function innerFolder(folder: Folder, name: string, known: string | undefined): Folder {
  const existing = folder.folders.get(name);
  if (existing !== undefined) return existing;
  const inner: Folder = { files: new Map(), folders: new Map(), ...(known === undefined ? {} : { known }) };
  folder.folders.set(name, inner);
  return inner;
}

function idOf(folder: Folder, format: Format, onTree: (content: Buffer, oid: string) => void): string {
  if (folder.known !== undefined) return folder.known;
  const lines = [...folder.files].map(([name, { mode, oid }]) => ({ key: Buffer.from(name), name, mode, oid }));
  for (const [name, inner] of folder.folders) {
    lines.push({ key: Buffer.from(`${name}/`), name, mode: FOLDER_MODE, oid: idOf(inner, format, onTree) });
  }
  lines.sort((a, b) => Buffer.compare(a.key, b.key));
  const parts = lines.flatMap(({ name, mode, oid }) => [
    Buffer.from(`${mode.toString(8)} ${name}\0`),
    Buffer.from(oid, 'hex'),
  ]);
  const content = Buffer.concat(parts);
  const oid = createHash(format).update(`tree ${content.length}\0`).update(content).digest('hex');
  onTree(content, oid);
  return oid;
}
