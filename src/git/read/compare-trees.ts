import type { Mirror } from '../mirror/mirror-config.ts';
import { readCommit, readTree, TREE_MODE, type TreeEntry } from './objects.ts';

/** Two commits that are compared. */
export type Between = { from: string; to: string };

/** One path that differs between two trees; zeros stand for a mode or an id where there is none. */
export type TreeChange = {
  path: string;
  status: 'added' | 'modified' | 'deleted';
  modes: { before: string; after: string };
  oids: { before: string; after: string };
};

type Side = { before: TreeEntry | undefined; after: TreeEntry | undefined };

/** The paths in which two commits differ, in git's order; only folders that differ are read. */
export async function compareCommits(mirror: Mirror, { from, to }: Between): Promise<TreeChange[]> {
  const [before, after] = await Promise.all([readCommit(mirror, from), readCommit(mirror, to)]);
  const changes: TreeChange[] = [];
  await compare(mirror, { trees: [before.tree, after.tree], prefix: '' }, changes);
  return changes;
}

type Folders = { trees: readonly [string | undefined, string | undefined]; prefix: string };

async function compare(mirror: Mirror, { trees, prefix }: Folders, changes: TreeChange[]): Promise<void> {
  if (trees[0] === trees[1]) return;
  const [before, after] = await Promise.all(trees.map((tree) => (tree === undefined ? [] : readTree(mirror, tree))));
  for (const side of sideBySide(before ?? [], after ?? [])) {
    const entry = side.before ?? side.after;
    if (entry === undefined || isEqual(side)) continue;
    const path = `${prefix}${entry.name}`;
    if (entry.mode !== TREE_MODE) changes.push(changeOf(side, path));
    else await compare(mirror, { trees: [side.before?.oid, side.after?.oid], prefix: `${path}/` }, changes);
  }
}

/** The entries of two trees by their names; a file and a folder of the same name are different entries. */
function* sideBySide(before: readonly TreeEntry[], after: readonly TreeEntry[]): Generator<Side> {
  for (let [a, b] = [0, 0]; a < before.length || b < after.length; ) {
    const [left, right] = [before[a], after[b]];
    const order = left === undefined ? 1 : right === undefined ? -1 : compareKeys(keyOf(left), keyOf(right));
    if (order <= 0) a += 1;
    if (order >= 0) b += 1;
    yield { before: order <= 0 ? left : undefined, after: order >= 0 ? right : undefined };
  }
}

/** Git sorts a folder as if its name ended with a slash. */
export function keyOf({ mode, name }: Pick<TreeEntry, 'mode' | 'name'>): string {
  return mode === TREE_MODE ? `${name}/` : name;
}

/** Names have one character for each byte, so their characters compare as their bytes do. */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function isEqual({ before, after }: Side): boolean {
  return before?.oid === after?.oid && before?.mode === after?.mode;
}

function changeOf({ before, after }: Side, path: string): TreeChange {
  const none = '0'.repeat((before ?? after)?.oid.length ?? 0);
  return {
    path: Buffer.from(path, 'latin1').toString('utf8'),
    status: before === undefined ? 'added' : after === undefined ? 'deleted' : 'modified',
    modes: { before: before?.mode ?? '000000', after: after?.mode ?? '000000' },
    oids: { before: before?.oid ?? none, after: after?.oid ?? none },
  };
}
