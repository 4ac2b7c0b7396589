import { type GitOptions, git } from '../git.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { type Between, treeChanges } from './tree-changes.ts';

export type ChangedFile = { path: string; status: 'added' | 'modified' | 'deleted' | 'renamed'; from?: string };
export type FileStat = { path: string; added: number; deleted: number; binary: boolean };
export type LogEntry = { commit: string; subject: string; author: string };
export type ChangeOptions = { renames?: boolean; signal?: AbortSignal };

const TIMEOUT_MS = 300_000;
/** The most paths of one command line. */
const MOST_PATHS = 2_000;

/** The files in which two commits differ; a rename counts as one deleted and one added file unless `renames` is set. */
export async function changedFiles(
  mirror: Mirror,
  { from, to }: Between,
  options: ChangeOptions = {},
): Promise<ChangedFile[]> {
  if (!options.renames) return (await treeChanges(mirror, { from, to })).map(({ path, status }) => ({ path, status }));
  const args = ['diff-tree', '-r', '-z', '--name-status', '--find-renames', '--end-of-options', from, to];
  const fields = (await git(args, inMirror(mirror, options.signal))).stdout.split('\0');
  const files: ChangedFile[] = [];
  for (let at = 0; at + 1 < fields.length; ) {
    const [letter = '', first = '', second = ''] = fields.slice(at, at + 3);
    if (letter.startsWith('R')) files.push({ path: second, status: 'renamed', from: first });
    else files.push({ path: first, status: letter === 'A' ? 'added' : letter === 'D' ? 'deleted' : 'modified' });
    at += letter.startsWith('R') ? 3 : 2;
  }
  return files;
}

/** The difference between two commits as a patch, of all files or of these. */
export async function diffText(mirror: Mirror, { from, to }: Between, paths: readonly string[] = []): Promise<string> {
  const how = ['-r', '-p', '--no-color', '--no-ext-diff', '--no-textconv', '--find-renames'];
  return (await git(['diff-tree', ...how, '--end-of-options', from, to, '--', ...paths], inMirror(mirror))).stdout;
}

/** The lines that a file gained. */
type GainedLines = { path: string; isNew: boolean; lines: string[] };

/** The lines that each of these files gained between two commits; of very many files, those of the first ones. */
export async function addedLines(
  mirror: Mirror,
  { from, to }: Between,
  paths: readonly string[],
): Promise<GainedLines[]> {
  const how = [
    '-r',
    '-p',
    '--unified=0',
    '--no-color',
    '--no-ext-diff',
    '--no-textconv',
    '--no-renames',
    '--no-prefix',
  ];
  if (paths.length === 0) return [];
  const some = paths.slice(0, MOST_PATHS);
  const { stdout } = await git(['diff-tree', ...how, '--end-of-options', from, to, '--', ...some], inMirror(mirror));
  const found: GainedLines[] = [];
  let isNew = false;
  let isHeader = true;
  for (const line of stdout.split('\n')) {
    if (line.startsWith('diff --git ')) [isNew, isHeader] = [false, true];
    else if (isHeader && line.startsWith('new file mode')) isNew = true;
    else if (isHeader && line.startsWith('+++ '))
      found.push({ path: line.slice(4).replace(/\t$/, ''), isNew, lines: [] });
    else if (line.startsWith('@@')) isHeader = false;
    else if (!isHeader && line.startsWith('+')) found.at(-1)?.lines.push(line.slice(1));
  }
  return found;
}

/** How many lines each file gained and lost between two commits. */
export async function diffStat(mirror: Mirror, { from, to }: Between, signal?: AbortSignal): Promise<FileStat[]> {
  const args = ['diff-tree', '-r', '-z', '--numstat', '--no-renames', '--end-of-options', from, to];
  const { stdout } = await git(args, inMirror(mirror, signal));
  return stdout
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => {
      const [added = '', deleted = '', ...path] = line.split('\t');
      return { path: path.join('\t'), added: Number(added) || 0, deleted: Number(deleted) || 0, binary: added === '-' };
    });
}

/** The text of a file in a commit; undefined when there is no such file. */
export async function showFile(mirror: Mirror, commit: string, path: string): Promise<string | undefined> {
  const where = inMirror(mirror);
  const listed = await git(['ls-tree', '-z', '--full-tree', '--end-of-options', commit, path], where);
  const [, type, oid] = (listed.stdout.split('\t')[0] ?? '').split(' ');
  return type === 'blob' && oid ? (await git(['cat-file', 'blob', oid], where)).stdout : undefined;
}

/** The commits reachable from `to` and not from `from`, newest first. */
export async function log(mirror: Mirror, { from, to }: Between, signal?: AbortSignal): Promise<LogEntry[]> {
  const args = [
    'log',
    '-z',
    '--no-show-signature',
    '--format=%H%x01%an%x01%s',
    '--end-of-options',
    to,
    `^${from}`,
    '--',
  ];
  const { stdout } = await git(args, inMirror(mirror, signal));
  return stdout
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => {
      const [commit = '', author = '', subject = ''] = line.split('\u0001');
      return { commit, subject, author };
    });
}

function inMirror(mirror: Mirror, signal?: AbortSignal): GitOptions {
  const env = { GIT_LITERAL_PATHSPECS: '1' };
  return { gitDir: mirror.dir, timeoutMs: TIMEOUT_MS, env, ...(signal ? { signal } : {}) };
}
