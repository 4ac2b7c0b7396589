import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import { crashpoint, realWorld, type World } from '../../world.ts';
import { git } from '../git.ts';
import { type Mirror, privateFolder, requireUnmodified } from '../mirror/mirror-config.ts';
import { readPlainFile } from '../plain-file.ts';
import { readCommit, readTree } from '../read/objects.ts';
import { isOid } from '../refs/refs.ts';
import { commitTree } from './commit.ts';
import { mergeDisjoint } from './merge-disjoint.ts';

const ATTRIBUTES = '.gitattributes';

export type MergeCommits = {
  mirror: Mirror;
  onto: string;
  theirs: string;
  message: string;
  /** Milliseconds since 1970. */
  now: number;
  signal?: AbortSignal;
};

export type Merged =
  | { kind: 'merged'; commit: string; tree: string }
  | { kind: 'conflict'; files: string[]; submodule: boolean }
  | { kind: 'unrelated' };

const TIMEOUT_MS = 300_000;
const GITLINK_MODE = '160000';

/**
 * Merges in the mirror, without a work tree, with the `.gitattributes` of the commit that is merged onto.
 * If one side already contains the other, the result is that side and no new commit.
 */
export async function mergeCommits(options: MergeCommits, world: World = realWorld): Promise<Merged> {
  const { mirror, onto, theirs, message, now } = options;
  for (const commit of [onto, theirs]) {
    if (!isOid(commit)) throw new AppError('INTERNAL', `${commit} is not a commit id`, { commit });
  }
  await requireUnmodified(mirror);
  const [ours, other] = await Promise.all([readCommit(mirror, onto), readCommit(mirror, theirs)]);
  if (other.parents.includes(onto)) return { kind: 'merged', commit: theirs, tree: other.tree };
  const disjoint = await mergeDisjoint(mirror, { onto, theirs });
  const merged: Trees =
    disjoint === undefined
      ? await mergeTrees(options, await attributesFile(mirror, await attributesOf(mirror, ours.tree), world))
      : { kind: 'merged', tree: disjoint };
  if (merged.kind !== 'merged') return merged;
  const { tree } = merged;
  // One side can contain the other only if the merged tree equals its own.
  if (tree === other.tree && (await isBehind(options, onto, theirs))) return { ...merged, commit: theirs };
  if (tree === ours.tree && (await isBehind(options, theirs, onto))) return { ...merged, commit: onto };
  crashpoint('merge.committing');
  const commit = await commitTree({ gitDir: mirror.dir, tree, parents: [onto, theirs], message, now });
  crashpoint('merge.committed');
  return { kind: 'merged', commit, tree };
}

async function isBehind({ mirror, signal }: MergeCommits, ancestor: string, commit: string): Promise<boolean> {
  const options = { gitDir: mirror.dir, allow: [0, 1], ...(signal ? { signal } : {}) };
  return (await git(['merge-base', '--is-ancestor', ancestor, commit], options)).code === 0;
}

/** The id of the attributes file in the top folder of the commit that is merged onto. */
async function attributesOf(mirror: Mirror, tree: string): Promise<string | undefined> {
  const entries = await readTree(mirror, tree);
  return entries.find(({ name, mode }) => name === ATTRIBUTES && mode.startsWith('100'))?.oid;
}

async function attributesFile(mirror: Mirror, attributes: string | undefined, world: World): Promise<string> {
  if (attributes === undefined) return '/dev/null';
  const folder = join(privateFolder(mirror), 'attributes');
  const file = join(folder, attributes);
  if ((await readPlainFile(file)) !== undefined) return file;
  const { stdout } = await git(['cat-file', 'blob', attributes], { gitDir: mirror.dir });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = `${file}.${world.token()}`;
  await writeFile(temporary, stdout);
  await rename(temporary, file);
  return file;
}

type Trees = { kind: 'merged'; tree: string } | Exclude<Merged, { kind: 'merged' }>;

async function mergeTrees({ mirror, onto, theirs, signal }: MergeCommits, attributes: string): Promise<Trees> {
  const options = { gitDir: mirror.dir, timeoutMs: TIMEOUT_MS, allow: [0, 1, 128], ...(signal ? { signal } : {}) };
  const how = ['-c', `core.attributesFile=${attributes}`, 'merge-tree', '--write-tree', '-z', '--messages'];
  const { code, stdout, stderr } = await git([...how, onto, theirs], options);
  if (code === 128 && stderr.includes('unrelated histories')) return { kind: 'unrelated' };
  if (code === 128)
    throw new AppError('GIT_FAILED', `${theirs} could not be merged: ${stderr.trim()}`, { onto, theirs });
  const [tree = '', ...rest] = stdout.split('\0');
  if (code === 0) return { kind: 'merged', tree };
  const end = rest.indexOf('');
  const entries = rest
    .slice(0, end)
    .map((entry) => ({ mode: entry.slice(0, 6), path: entry.slice(entry.indexOf('\t') + 1) }));
  const files = new Set([...entries.map((entry) => entry.path), ...conflictPaths(rest.slice(end + 1))]);
  return { kind: 'conflict', files: [...files], submodule: entries.some((entry) => entry.mode === GITLINK_MODE) };
}

function conflictPaths(messages: readonly string[]): string[] {
  const paths: string[] = [];
  for (let at = 0; at < messages.length; ) {
    const count = Number(messages[at]);
    if (!Number.isInteger(count) || count < 1) break;
    if (messages[at + 1 + count]?.startsWith('CONFLICT')) paths.push(...messages.slice(at + 1, at + 1 + count));
    at += count + 3;
  }
  return paths;
}
