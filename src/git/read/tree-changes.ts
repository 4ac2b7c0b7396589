import { type GitOptions, git } from '../git.ts';
import { withoutAttributes } from '../git-stream.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { isOid } from '../refs/refs.ts';
import { type Between, compareCommits, type TreeChange } from './compare-trees.ts';
import { readCommit } from './objects.ts';
import { type ReadCache, readOnce } from './read-once.ts';

export type { Between, TreeChange } from './compare-trees.ts';

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
