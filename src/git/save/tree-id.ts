import { createHash } from 'node:crypto';
import type { IndexEntry } from './index-file.ts';

type Folder = { files: Map<string, { mode: number; oid: string }>; folders: Map<string, Folder> };

const FOLDER_MODE = 0o40000;

/** The tree id that git computes for these entries: equal ids mean equal contents. */
export function treeId(entries: readonly IndexEntry[], objectFormat: 'sha1' | 'sha256'): string {
  const root: Folder = { files: new Map(), folders: new Map() };
  for (const { path, mode, oid } of entries) {
    const parts = path.split('/');
    const name = parts.pop() ?? '';
    folderAt(root, parts).files.set(name, { mode, oid });
  }
  return idOf(root, objectFormat);
}

function folderAt(root: Folder, parts: readonly string[]): Folder {
  let folder = root;
  for (const part of parts) {
    const next: Folder = folder.folders.get(part) ?? { files: new Map(), folders: new Map() };
    folder.folders.set(part, next);
    folder = next;
  }
  return folder;
}

function idOf(folder: Folder, objectFormat: 'sha1' | 'sha256'): string {
  const lines = [...folder.files].map(([name, { mode, oid }]) => ({ key: Buffer.from(name), name, mode, oid }));
  for (const [name, inner] of folder.folders) {
    lines.push({ key: Buffer.from(`${name}/`), name, mode: FOLDER_MODE, oid: idOf(inner, objectFormat) });
  }
  lines.sort((a, b) => Buffer.compare(a.key, b.key));
  const parts = lines.flatMap(({ name, mode, oid }) => [
    Buffer.from(`${mode.toString(8)} ${name}\0`),
    Buffer.from(oid, 'hex'),
  ]);
  const body = Buffer.concat(parts);
  return createHash(objectFormat).update(`tree ${body.length}\0`).update(body).digest('hex');
}
