import { git } from '../git.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { diffStat } from './diff.ts';
import { listFiles } from './list-files.ts';
import { type Between, type TreeChange, treeChanges } from './tree-changes.ts';

/** A larger file makes every clone of the repository larger for good. */
const LARGE_BYTES = 5 * 1024 * 1024;
/** Fewer changed lines can be a coincidence. */
const LEAST_LINES = 2;
const TIMEOUT_MS = 300_000;

/** What a diff of lines does not show about a changed file. */
type FileTrait = 'case-collision' | 'over-limit' | 'executable' | 'not-executable' | 'line-endings' | 'link';

/** What a diff of lines does not show about the files in which two commits differ. */
export async function fileTraits(mirror: Mirror, between: Between): Promise<Map<string, FileTrait[]>> {
  const traits = new Map<string, FileTrait[]>();
  const add = (path: string, trait: FileTrait) => traits.set(path, [...(traits.get(path) ?? []), trait]);
  const changes = await treeChanges(mirror, between);
  for (const { path, modes } of changes) {
    const { before, after } = modes;
    if (after === '120000') add(path, 'link');
    if (after === '100755' && before !== '100755') add(path, 'executable');
    if (before === '100755' && after === '100644') add(path, 'not-executable');
  }
  for (const path of await largeFiles(mirror, changes)) add(path, 'over-limit');
  for (const path of await collisions(mirror, between.to, changes)) add(path, 'case-collision');
  for (const path of await convertedFiles(mirror, between, changes)) add(path, 'line-endings');
  return traits;
}

async function largeFiles(mirror: Mirror, changes: readonly TreeChange[]): Promise<string[]> {
  const files = changes.filter(({ modes }) => modes.after.startsWith('100'));
  if (files.length === 0) return [];
  const input = files.map(({ oids }) => `${oids.after}\n`).join('');
  const { stdout } = await git(['cat-file', '--batch-check=%(objectsize)'], { gitDir: mirror.dir, input });
  const sizes = stdout.split('\n');
  return files.flatMap(({ path }, index) => (Number(sizes[index]) > LARGE_BYTES ? [path] : []));
}

/** New files whose path differs from another one only in the case of letters or folders: one of them is lost on some systems. */
async function collisions(mirror: Mirror, commit: string, changes: readonly TreeChange[]): Promise<string[]> {
  const added = new Set(changes.filter(({ status }) => status === 'added').map(({ path }) => path));
  if (added.size === 0) return [];
  const spelled = new Map<string, Set<string>>();
  const note = (path: string) => {
    const plain = path.normalize('NFC').toLowerCase();
    spelled.set(plain, (spelled.get(plain) ?? new Set()).add(path));
  };
  for (const { path } of await listFiles(mirror, commit))
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) note(path.slice(0, end));
  return [...added].filter((path) => {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
      if ((spelled.get(path.slice(0, end).normalize('NFC').toLowerCase())?.size ?? 0) > 1) return true;
    return false;
  });
}

/** Files whose line endings changed as a whole: without them, most of the changed lines are the same. */
async function convertedFiles(mirror: Mirror, between: Between, changes: readonly TreeChange[]): Promise<string[]> {
  const modified = new Set(changes.filter(({ status }) => status === 'modified').map(({ path }) => path));
  const all = (await diffStat(mirror, between)).filter(({ path, added, deleted, binary }) => {
    return modified.has(path) && !binary && added >= LEAST_LINES && deleted >= LEAST_LINES;
  });
  if (all.length === 0) return [];
  const args = ['diff-tree', '-r', '-z', '--numstat', '--no-renames', '--ignore-cr-at-eol', '--end-of-options'];
  const { stdout } = await git([...args, between.from, between.to], { gitDir: mirror.dir, timeoutMs: TIMEOUT_MS });
  const rest = new Map(
    stdout.split('\0').map((line) => {
      const [added = '', deleted = '', ...path] = line.split('\t');
      return [path.join('\t'), Number(added) + Number(deleted)];
    }),
  );
  return all.filter(({ path, added, deleted }) => (rest.get(path) ?? 0) * 2 < added + deleted).map(({ path }) => path);
}
