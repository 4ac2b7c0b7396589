import { join } from 'node:path';
import type { Mirror } from '../mirror/mirror-config.ts';
import { writeObject } from '../read/loose-object.ts';
import { type CommitFacts, readCommit, readTree, TREE_MODE, type TreeEntry } from '../read/objects.ts';
import { compareKeys, keyOf } from '../read/tree-changes.ts';

type Sides<Side> = { base: Side; ours: Side; theirs: Side };
/** The commits from a tip back to a commit on the branch, and that commit. */
type Line = { commits: Set<string>; start: string };

/** How far back a branch is followed. Work that started from an older commit is merged by git. */
const MOST_COMMITS = 128;
/** More than the commits of an attempt are left to git too. */
const MOST_OF_A_LINE = 50;

/**
 * The tree of a merge in which each file was changed by one side only, which needs no git process; undefined for every
 * other merge. It is the tree that git would write: a side that removes something where the other changed something may
 * be a rename, which git must judge, and where only one side changed anything below a folder there is nothing to judge.
 */
export async function mergeDisjoint(
  mirror: Mirror,
  { onto, theirs }: { onto: string; theirs: string },
): Promise<string | undefined> {
  const base = await onlyMergeBase(mirror, { onto, theirs });
  if (base === undefined) return undefined;
  const [before, ours, other] = await Promise.all([base, onto, theirs].map((commit) => readCommit(mirror, commit)));
  if (before === undefined || ours === undefined || other === undefined) return undefined;
  return mergeFolder(mirror, { base: before.tree, ours: ours.tree, theirs: other.tree });
}

/**
 * The one best common ancestor of two commits, where that is certain from the commits near them: `theirs` leads back to the
 * branch in a line without merges, and so does everything that was merged into the branch since.
 */
async function onlyMergeBase(
  mirror: Mirror,
  { onto, theirs }: { onto: string; theirs: string },
): Promise<string | undefined> {
  const branch = await branchOf(mirror, onto);
  const own = await lineTo(mirror, theirs, branch);
  if (own === undefined || own.commits.size === 0) return undefined;
  for (const [commit, merged] of branch) {
    if (commit === own.start) return own.start;
    for (const tip of merged) {
      const line = await lineTo(mirror, tip, branch);
      if (line === undefined || [...line.commits].some((each) => own.commits.has(each))) return undefined;
    }
  }
  return undefined;
}

/** The commits of a branch by first parents, newest first, with the other parents of each. */
async function branchOf(mirror: Mirror, tip: string): Promise<Map<string, readonly string[]>> {
  const branch = new Map<string, readonly string[]>();
  let commit: string | undefined = tip;
  while (commit !== undefined && branch.size < MOST_COMMITS) {
    // The history of a shallow repository ends before its first commit does.
    const facts: CommitFacts | undefined = await readCommit(mirror, commit).catch(() => undefined);
    if (facts === undefined) break;
    branch.set(commit, facts.parents.slice(1));
    commit = facts.parents[0];
  }
  return branch;
}

async function lineTo(mirror: Mirror, tip: string, branch: ReadonlyMap<string, unknown>): Promise<Line | undefined> {
  const commits = new Set<string>();
  for (let commit = tip; commits.size <= MOST_OF_A_LINE; ) {
    if (branch.has(commit)) return { commits, start: commit };
    // The history of a shallow repository ends before its first commit does.
    const facts: CommitFacts | undefined = await readCommit(mirror, commit).catch(() => undefined);
    const [parent, another] = facts?.parents ?? [];
    if (parent === undefined || another !== undefined) return undefined;
    commits.add(commit);
    commit = parent;
  }
  return undefined;
}

/** A folder that both sides added has no base. */
type Folders = { base: string | undefined; ours: string; theirs: string };

async function mergeFolder(mirror: Mirror, ids: Folders): Promise<string | undefined> {
  if (ids.ours === ids.base) return ids.theirs;
  if (ids.theirs === ids.base) return ids.ours;
  const all = [ids.base, ids.ours, ids.theirs].map((id) => (id === undefined ? [] : readTree(mirror, id)));
  const [base, ours, theirs] = await Promise.all(all);
  const sides = { base: byName(base), ours: byName(ours), theirs: byName(theirs) };
  for (const name of sides.base.keys()) if (!sides.ours.has(name) || !sides.theirs.has(name)) return undefined;
  const merged: TreeEntry[] = [];
  for (const name of new Set([...sides.ours.keys(), ...sides.theirs.keys()])) {
    const entry = await mergeEntry(mirror, {
      base: sides.base.get(name),
      ours: sides.ours.get(name),
      theirs: sides.theirs.get(name),
    });
    if (entry === undefined) return undefined;
    merged.push(entry);
  }
  return writeTree(mirror, merged);
}

async function mergeEntry(
  mirror: Mirror,
  { base, ours, theirs }: Sides<TreeEntry | undefined>,
): Promise<TreeEntry | undefined> {
  if (isSame(ours, base)) return theirs;
  if (isSame(theirs, base)) return ours;
  if (ours?.mode !== TREE_MODE || theirs?.mode !== TREE_MODE) return undefined;
  if (base !== undefined && base.mode !== TREE_MODE) return undefined;
  const oid = await mergeFolder(mirror, { base: base?.oid, ours: ours.oid, theirs: theirs.oid });
  return oid === undefined ? undefined : { ...ours, oid };
}

function byName(entries: readonly TreeEntry[] = []): Map<string, TreeEntry> {
  return new Map(entries.map((entry) => [entry.name, entry]));
}

function isSame(one: TreeEntry | undefined, other: TreeEntry | undefined): boolean {
  return one?.oid === other?.oid && one?.mode === other?.mode;
}

/** Writes a tree with these entries, in any order. */
async function writeTree(mirror: Mirror, entries: readonly TreeEntry[]): Promise<string> {
  const sorted = [...entries].sort((a, b) => compareKeys(keyOf(a), keyOf(b)));
  const parts = sorted.flatMap(({ mode, name, oid }) => [
    Buffer.from(`${mode} ${name}\0`, 'latin1'),
    Buffer.from(oid, 'hex'),
  ]);
  return writeObject(join(mirror.dir, 'objects'), {
    type: 'tree',
    content: Buffer.concat(parts),
    format: mirror.objectFormat,
  });
}
