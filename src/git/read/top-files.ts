import { join } from 'node:path';
import { git } from '../git.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { readObject } from './loose-object.ts';

/** A commit's tree and, by name, the ids of the requested files in its top folder. */
export type TopFiles = { tree: string; parents: string[]; files: Map<string, string> };

const FILE_MODES = ['100644', '100755', '100664'];

/** Finds files in a commit's top folder by reading loose objects; undefined if they are packed. */
export async function readTopFiles(
  mirror: Mirror,
  commit: string,
  names: readonly string[],
): Promise<TopFiles | undefined> {
  const objects = join(mirror.dir, 'objects');
  const text = (await readObject(objects, commit, 'commit'))?.toString('utf8').split('\n\n', 1)[0]?.split('\n');
  const tree = text?.[0]?.replace(/^tree /, '');
  const content = tree === undefined ? undefined : await readObject(objects, tree, 'tree');
  if (text === undefined || tree === undefined || content === undefined) return undefined;
  const parents = text.flatMap((line) => (line.startsWith('parent ') ? [line.slice('parent '.length)] : []));
  return { tree, parents, files: filesIn(content, { names, idBytes: tree.length / 2 }) };
}

/** The texts of the requested files that exist in a commit's top folder. */
export async function readTopTexts(
  mirror: Mirror,
  commit: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  const files = (await readTopFiles(mirror, commit, names))?.files ?? (await listByGit(mirror, commit, names));
  const texts = new Map<string, string>();
  for (const [name, oid] of files) {
    texts.set(name, (await git(['cat-file', 'blob', oid], { gitDir: mirror.dir })).stdout);
  }
  return texts;
}

/** A tree object is a sequence of `mode name NUL id`. */
function filesIn(tree: Buffer, { names, idBytes }: { names: readonly string[]; idBytes: number }): Map<string, string> {
  const files = new Map<string, string>();
  for (let at = 0; at < tree.length; ) {
    const space = tree.indexOf(0x20, at);
    const end = tree.indexOf(0, space);
    const name = tree.toString('utf8', space + 1, end);
    const next = end + 1 + idBytes;
    if (names.includes(name) && FILE_MODES.includes(tree.toString('latin1', at, space)))
      files.set(name, tree.toString('hex', end + 1, next));
    at = next;
  }
  return files;
}

async function listByGit(mirror: Mirror, commit: string, names: readonly string[]): Promise<Map<string, string>> {
  const args = ['ls-tree', '-z', '--full-tree', '--end-of-options', commit, ...names];
  const { stdout } = await git(args, { gitDir: mirror.dir, env: { GIT_LITERAL_PATHSPECS: '1' } });
  const files = new Map<string, string>();
  for (const line of stdout.split('\0')) {
    const [facts = '', name = ''] = line.split('\t');
    const [mode = '', , oid = ''] = facts.split(' ');
    if (FILE_MODES.includes(mode)) files.set(name, oid);
  }
  return files;
}
