import { git } from '../git/git.ts';
import type { Mirror } from '../git/mirror/mirror.ts';
import { showFile } from '../git/read/diff.ts';
import { treeChanges } from '../git/read/tree-changes.ts';
import { leavesRepository } from './check-files.ts';
import { pathMatcher } from './guard-globs.ts';

/** A symbolic link with its target, or another repository: a submodule that .gitmodules declares, or one that is nested. */
export type SpecialFile = { kind: 'link'; target: string } | { kind: 'repository'; isDeclared: boolean };

/** What a person must review although no check runs that it could decide. */
export function heldWithoutChecks(
  special: ReadonlyMap<string, SpecialFile>,
  allow: readonly string[],
): { path: string; reason: string }[] {
  const isAllowed = pathMatcher(allow);
  return [...special].flatMap(([path, file]) => {
    const reason = isAllowed(path) ? undefined : specialReason(path, file);
    return reason === undefined ? [] : [{ path, reason }];
  });
}

/** Why a file needs a person that is no regular file. */
export function specialReason(path: string, special: SpecialFile | undefined): string | undefined {
  if (special?.kind === 'link' && leavesRepository(path, special.target))
    return `is a link that leads out of the repository, to ${special.target}`;
  return special?.kind === 'repository' && !special.isDeclared
    ? 'is a repository inside the repository, whose files would not land'
    : undefined;
}

/** Paths changed between two commits that are no regular files in the later one: symbolic links and repositories. */
export async function specialFiles(mirror: Mirror, from: string, to: string): Promise<Map<string, SpecialFile>> {
  const special = new Map<string, SpecialFile>();
  for (const { path, modes, oids } of await treeChanges(mirror, { from, to })) {
    const mode = modes.after;
    if (mode === '120000')
      special.set(path, {
        kind: 'link',
        target: (await git(['cat-file', 'blob', oids.after], { gitDir: mirror.dir })).stdout,
      });
    if (mode === '160000') special.set(path, { kind: 'repository', isDeclared: await isSubmodule(mirror, to, path) });
  }
  return special;
}

async function isSubmodule(mirror: Mirror, commit: string, path: string): Promise<boolean> {
  const declared = (await showFile(mirror, commit, '.gitmodules')) ?? '';
  return declared.split('\n').some((line) => /^\s*path\s*=\s*(.*?)\s*$/.exec(line)?.[1] === path);
}
