import type { ResultLocation } from '../../app/port-interfaces.ts';
import type { ResultSnapshot } from '../../core/finish/result-snapshot.ts';
import { isAncestor } from '../../git/merge/undo.ts';
import type { Mirror } from '../../git/mirror/mirror.ts';
import { changedFiles, diffStat } from '../../git/read/diff.ts';
import { treeOf } from '../../git/read/tree.ts';
import { readRef } from '../../git/refs/mirror-refs.ts';
import type { FileChange } from '../../schema/change.ts';

/** What git shows of a run's result now; the mirror was just refreshed. */
export async function takeResultSnapshot(mirror: Mirror, place: ResultLocation): Promise<ResultSnapshot> {
  const branch = await readRef(mirror, `refs/user/heads/mh/${place.run}`);
  return {
    branch: branch === undefined ? null : { commit: branch, tree: await treeOf(mirror, branch) },
    base: place.landed === null ? null : await baseOf(mirror, place.landed),
    changes: await changesBetween(mirror, { from: place.from, to: place.to }),
  };
}

/** The files in which two commits differ, with their lines. */
export async function changesBetween(mirror: Mirror, range: { from: string; to: string }): Promise<FileChange[]> {
  const [files, lines] = await Promise.all([changedFiles(mirror, range), diffStat(mirror, range)]);
  const byPath = new Map(lines.map((line) => [line.path, line]));
  return files.flatMap(({ path, status }) => {
    const { added = 0, deleted = 0, binary = false } = byPath.get(path) ?? {};
    return status === 'renamed' ? [] : [{ path, status, added, deleted, binary }];
  });
}

async function baseOf(mirror: Mirror, landed: { branch: string; commit: string }): Promise<ResultSnapshot['base']> {
  const { branch } = landed;
  const commit = (await readRef(mirror, `refs/user/heads/${branch}`)) ?? null;
  // A commit that the mirror does not have any more has no tree that could be compared.
  const landedTree = await treeOf(mirror, landed.commit).catch(() => null);
  const holdsResult = commit !== null && (await isAncestor(mirror, landed.commit, commit));
  return { branch, commit, tree: commit === null ? null : await treeOf(mirror, commit), holdsResult, landedTree };
}
