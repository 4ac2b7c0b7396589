import type { DiffFile } from './parse-diff.ts';

/** A folder with its content; a folder that contains only one folder is joined with it. */
export type Folder = { name: string; folders: Folder[]; files: { name: string; file: DiffFile }[] };

/** The changed files as a tree, folders first, sorted by name. */
export function fileTree(files: readonly DiffFile[]): Folder {
  const root = folder('');
  for (const file of files) {
    const parts = file.path.split('/');
    const name = parts.pop() ?? file.path;
    let at = root;
    for (const part of parts) at = within(at, part);
    at.files.push({ name, file });
  }
  return joined(root);
}

function folder(name: string): Folder {
  return { name, folders: [], files: [] };
}

function within(parent: Folder, name: string): Folder {
  const known = parent.folders.find((each) => each.name === name);
  if (known !== undefined) return known;
  const made = folder(name);
  parent.folders.push(made);
  return made;
}

function joined(from: Folder): Folder {
  const folders = from.folders.map(joined).sort((a, b) => a.name.localeCompare(b.name));
  const [only] = folders;
  if (from.name !== '' && from.files.length === 0 && folders.length === 1 && only !== undefined)
    return { ...only, name: `${from.name}/${only.name}` };
  return { ...from, folders, files: from.files.toSorted((a, b) => a.name.localeCompare(b.name)) };
}

/** The files in the order of the tree. */
export function inTreeOrder(root: Folder): DiffFile[] {
  return [...root.folders.flatMap(inTreeOrder), ...root.files.map(({ file }) => file)];
}
