import { git } from '../git.ts';
import type { Mirror } from '../mirror/mirror-config.ts';

/** A save: its ref, its commit, its time, and the number of files it changed relative to its first parent. */
export type SavedRef = { ref: string; commit: string; at: string; files: number };

/** All saves under a ref prefix. */
export async function listSaved(mirror: Mirror, under: string): Promise<SavedRef[]> {
  const format = '%(refname)%00%(objectname)%00%(committerdate:iso-strict)';
  const { stdout } = await git(['for-each-ref', `--format=${format}`, under], { gitDir: mirror.dir });
  const refs = stdout.split('\n').flatMap((line) => {
    const [ref, commit, at] = line.split('\0');
    return ref === undefined || commit === undefined || at === undefined ? [] : [{ ref, commit, at }];
  });
  const counts = await countFiles(mirror, [...new Set(refs.map((ref) => ref.commit))]);
  return refs.map((ref) => ({ ...ref, files: counts.get(ref.commit) ?? 0 }));
}

async function countFiles(mirror: Mirror, commits: readonly string[]): Promise<Map<string, number>> {
  if (commits.length === 0) return new Map();
  const args = [
    'log',
    '--no-walk=unsorted',
    '--stdin',
    '-m',
    '--first-parent',
    '--raw',
    '--no-renames',
    '--format=commit %H',
  ];
  const { stdout } = await git(args, { gitDir: mirror.dir, input: `${commits.join('\n')}\n` });
  const counts = new Map<string, number>();
  let current = '';
  for (const line of stdout.split('\n')) {
    if (line.startsWith('commit ')) current = line.slice('commit '.length);
    else if (line.startsWith(':')) counts.set(current, (counts.get(current) ?? 0) + 1);
  }
  return counts;
}
