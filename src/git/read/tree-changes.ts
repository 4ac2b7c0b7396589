import { type GitOptions, git } from '../git.ts';
import { withoutAttributes } from '../git-stream.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { isOid } from '../refs/refs.ts';
import { readCommit, readTree, TREE_MODE, type TreeEntry } from './objects.ts';
import { type ReadCache, readOnce } from './read-once.ts';

/** Two commits that are compared. */
export type Between = { from: string; to: string };

/** One path that differs between two trees; zeros stand for a mode or an id where there is none. */
export type TreeChange = {
  path: string;
  status: 'added' | 'modified' | 'deleted';
  modes: { before: string; after: string };
  oids: { before: string; after: string };
};

/** The changes of one commit; `commit` is its id, followed by those of its parents. */
type CommitChange = TreeChange & { commit: string };
/** What each commit between two others changed, and the total change. */
type ChangeSet = { steps: CommitChange[]; changed: TreeChange[] };

const TIMEOUT_MS = 300_000;
const RAW = ['-z', '--raw', '--no-abbrev', '--no-renames'];

const trees: ReadCache<TreeChange[]> = new Map();
const histories: ReadCache<ChangeSet> = new Map();

/** The paths in which two commits differ, a rename as one deleted and one added path. */
export function treeChanges(mirror: Mirror, { from, to }: Between): Promise<TreeChange[]> {
  const read = async () => {
    if (isOid(from) && isOid(to)) return compareCommits(mirror, { from, to });
    const args = ['diff-tree', '-r', ...RAW, '--end-of-options', from, to];
    return rawChanges((await git(args, inMirror(mirror))).stdout);
  };
  return readOnce(trees, { mirror, commits: [from, to], read, sizeOf: (changes) => changes.length });
}

/** The paths in which each of these pairs of commits differs, all read by one process; none where a commit is missing. */
export async function changedPaths(mirror: Mirror, pairs: readonly Between[]): Promise<string[][]> {
  const input = pairs.map(({ from, to }) => `${to} ${from}\n`).join('');
  const args = ['diff-tree', '--stdin', '-r', ...RAW, '--always', '--format=%H %P'];
  const changes = rawChanges((await git(args, { ...inMirror(mirror), input })).stdout);
  const byPair = Map.groupBy(changes, ({ commit }) => commit);
  return pairs.map(({ from, to }) => byPair.get(`${to} ${from}`)?.map(({ path }) => path) ?? []);
}

/** What each commit between two others changed, and what they changed together. */
export function changesBetween(mirror: Mirror, { from, to }: Between): Promise<ChangeSet> {
  const read = async (): Promise<ChangeSet> => {
    if (from === to) return { steps: [], changed: [] };
    if (await isChild(mirror, { from, to })) {
      const changed = await treeChanges(mirror, { from, to });
      return { steps: changed.map((change) => ({ ...change, commit: `${to} ${from}` })), changed };
    }
    const how = ['log', '--format=%H %P', ...RAW, '--diff-merges=first-parent', '--end-of-options', to, `^${from}`];
    const steps = rawChanges((await git(how, inMirror(mirror))).stdout);
    return { steps, changed: await treeChanges(mirror, { from, to }) };
  };
  return readOnce(histories, { mirror, commits: [from, to], read, sizeOf: ({ steps }) => steps.length });
}

/** Whether a commit has this one parent: then its changes are all that lies between the two. */
async function isChild(mirror: Mirror, { from, to }: Between): Promise<boolean> {
  if (!isOid(from) || !isOid(to)) return false;
  const { parents } = await readCommit(mirror, to);
  return parents.length === 1 && parents[0] === from;
}

/** Of `--raw -z`: a row that begins with a colon has its path in the next field; any other field names a commit. */
function rawChanges(text: string): CommitChange[] {
  const changes: CommitChange[] = [];
  const fields = text.split('\0');
  let commit = '';
  for (let at = 0; at < fields.length; at += 1) {
    const field = (fields[at] ?? '').trimStart();
    if (field.startsWith(':')) {
      at += 1;
      const [modeBefore = '', modeAfter = '', before = '', after = '', letter = ''] = field.slice(1).split(' ');
      const status = letter === 'A' ? 'added' : letter === 'D' ? 'deleted' : 'modified';
      const modes = { before: modeBefore, after: modeAfter };
      changes.push({ commit, path: fields[at] ?? '', status, modes, oids: { before, after } });
    } else if (field !== '') commit = field;
  }
  return changes;
}

function inMirror(mirror: Mirror): GitOptions {
  const env = { GIT_LITERAL_PATHSPECS: '1', ...withoutAttributes(mirror) };
  return { gitDir: mirror.dir, timeoutMs: TIMEOUT_MS, env };
}

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
