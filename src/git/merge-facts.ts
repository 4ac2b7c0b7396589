import { join } from 'node:path';
import { AppError } from '../errors.ts';
import { git } from './git.ts';
import { readObject } from './loose-object.ts';
import type { Mirror } from './mirror-config.ts';
import { isOid } from './refs.ts';

/** What a merge must know of its two sides. */
export type MergeFacts = {
  ontoTree: string;
  theirsTree: string;
  /** The id of the attributes at the top of the commit that is merged onto. */
  attributes: string | undefined;
  /** Theirs was made directly on top of the commit that it is merged onto. */
  isNext: boolean;
};

type Sides = { onto: string; theirs: string };

const ATTRIBUTES = '.gitattributes';

/** Reads the facts from the files of fresh objects, and asks git for what it has packed away. */
export async function readMergeFacts(mirror: Mirror, sides: Sides): Promise<MergeFacts> {
  return (await fromFiles(mirror, sides)) ?? fromGit(mirror, sides);
}

async function fromFiles(mirror: Mirror, { onto, theirs }: Sides): Promise<MergeFacts | undefined> {
  const objects = join(mirror.dir, 'objects');
  const [ours, other] = await Promise.all([readObject(objects, onto, 'commit'), readObject(objects, theirs, 'commit')]);
  if (ours === undefined || other === undefined) return undefined;
  const [ontoTree, theirsTree] = [treeIn(ours), treeIn(other)];
  const tree = await readObject(objects, ontoTree, 'tree');
  if (tree === undefined) return undefined;
  const isNext = other.toString('latin1').split('\n\n', 1)[0]?.split('\n').includes(`parent ${onto}`) ?? false;
  return { ontoTree, theirsTree, attributes: attributesIn(tree, onto.length / 2), isNext };
}

function treeIn(commit: Buffer): string {
  return commit.toString('latin1', 'tree '.length, commit.indexOf('\n'));
}

/** A tree is a row of `mode name NUL id`. */
function attributesIn(tree: Buffer, idBytes: number): string | undefined {
  for (let at = 0; at < tree.length; ) {
    const end = tree.indexOf(0, at);
    const [mode, ...name] = tree.toString('utf8', at, end).split(' ');
    if (name.join(' ') === ATTRIBUTES && mode?.startsWith('100'))
      return tree.toString('hex', end + 1, end + 1 + idBytes);
    at = end + 1 + idBytes;
  }
  return undefined;
}

async function fromGit(mirror: Mirror, { onto, theirs }: Sides): Promise<MergeFacts> {
  const input = [`${onto}^{tree}`, `${theirs}^{tree}`, `${onto}:${ATTRIBUTES}`, ''].join('\n');
  const { stdout } = await git(['cat-file', '--batch-check=%(objectname) %(objecttype)'], {
    gitDir: mirror.dir,
    input,
  });
  const [[ontoTree = ''] = [], [theirsTree = ''] = [], [oid, type] = []] = stdout
    .split('\n')
    .map((line) => line.split(' '));
  if (!isOid(ontoTree) || !isOid(theirsTree))
    throw new AppError('GIT_FAILED', `${onto} or ${theirs} is not in the mirror`);
  return { ontoTree, theirsTree, attributes: type === 'blob' ? oid : undefined, isNext: false };
}
