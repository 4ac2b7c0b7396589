import { AppError } from '../../errors.ts';
import { git } from '../git.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { readTopFiles } from '../read/top-files.ts';
import { isOid } from '../refs/refs.ts';

/** What a merge needs to know about its two sides. */
export type MergeFacts = {
  ontoTree: string;
  theirsTree: string;
  /** The id of the top-level attributes file of the commit that is merged onto. */
  attributes: string | undefined;
  /** Theirs is a direct child of the commit that it is merged onto. */
  isNext: boolean;
};

type Sides = { onto: string; theirs: string };

const ATTRIBUTES = '.gitattributes';

/** Reads the facts from loose objects, and uses git for packed ones. */
export async function readMergeFacts(mirror: Mirror, sides: Sides): Promise<MergeFacts> {
  const { onto, theirs } = sides;
  const [ours, other] = await Promise.all([readTopFiles(mirror, onto, [ATTRIBUTES]), readTopFiles(mirror, theirs, [])]);
  if (ours === undefined || other === undefined) return readFactsWithGit(mirror, sides);
  const isNext = other.parents.includes(onto);
  return { ontoTree: ours.tree, theirsTree: other.tree, attributes: ours.files.get(ATTRIBUTES), isNext };
}

async function readFactsWithGit(mirror: Mirror, { onto, theirs }: Sides): Promise<MergeFacts> {
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
