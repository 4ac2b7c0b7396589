import type { ChangedPath } from '../gates/gate.ts';
import { git } from '../git/git.ts';
import type { Mirror } from '../git/mirror/mirror.ts';
import { showFile } from '../git/read/diff.ts';
import { treeChanges } from '../git/read/tree-changes.ts';
import { leavesRepository } from './check-files.ts';
import { pathMatcher } from './guard-globs.ts';
import type { CommitFiles } from './reached-files.ts';

/** Where the flags of compiled Python begin, after the number of its version. */
const FLAGS_AT = 4;
/** The flags of a file that names its source by a hash, and of one whose hash is compared before it is loaded. */
const BY_HASH = 1;
const COMPARED = 2;

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

/** Why a compiled module needs a person: it is loaded in place of its source, and what it does cannot be read. */
export async function compiledReason(
  { path, status }: ChangedPath,
  { read }: Pick<CommitFiles, 'read'>,
): Promise<string | undefined> {
  if (status === 'deleted') return undefined;
  if (/\.(so|pyd|node)$/i.test(path)) return 'is a compiled module: what it does to a check cannot be read';
  if (!/\.py[co]$/i.test(path)) return undefined;
  // Without the folder that Python keeps for them, it is a module of its own.
  if (!/(^|\/)__pycache__\/[^/]+$/.test(path)) return 'is compiled Python, which is loaded without any source';
  const flags = (await read(path))?.charCodeAt(FLAGS_AT) ?? 0;
  const isUnchecked = (flags & BY_HASH) !== 0 && (flags & COMPARED) === 0;
  return isUnchecked ? 'is compiled Python that is loaded without a comparison with its source' : undefined;
}
