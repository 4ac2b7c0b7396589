import type { ChangedPath } from '../gates/gate.ts';
import { inlineTestReason } from './inline-tests.ts';
import { folderOf, isProgram, resolveFile } from './module-imports.ts';
import type { CommitFiles } from './reached-files.ts';
import { joinPath } from './shell-commands.ts';

type Sides = { base: CommitFiles; candidate: CommitFiles };

/** A source file that a change moved to another path. */
type Rename = { from: string; to: string };

/** The part of the lines that a renamed file keeps, at least. */
const SIMILAR = 0.5;
const MOST_PAIRS = 400;
/** Files among which the new location of tests is searched. */
const MOST_MOVED = 50;

/** The tests without those that changed only because a source file that they import was renamed. */
export async function withoutRenames(
  tests: readonly ChangedPath[],
  options: Sides & { changed: readonly ChangedPath[] },
): Promise<ChangedPath[]> {
  const renames = tests.length === 0 ? [] : await renamedSources(options.changed, options);
  const others: ChangedPath[] = [];
  for (const change of tests) if (!(await followsRename(change, renames, options))) others.push(change);
  return others;
}

/** The programs that a change renames: a deleted one, and an added one with most of its lines. */
async function renamedSources(changed: readonly ChangedPath[], { base, candidate }: Sides): Promise<Rename[]> {
  const programs = changed.filter(({ path }) => isProgram(path));
  const deleted = programs.filter(({ status }) => status === 'deleted');
  const added = programs.filter(({ status }) => status === 'added');
  if (deleted.length * added.length > MOST_PAIRS) return [];
  const renames: Rename[] = [];
  for (const { path: from } of deleted) {
    const before = linesOf(await base.read(from));
    for (const { path: to } of added) {
      const after = new Set(linesOf(await candidate.read(to)));
      const kept = before.filter((line) => after.has(line)).length;
      if (before.length > 0 && kept / before.length >= SIMILAR) renames.push({ from, to });
    }
  }
  return renames;
}

/** Whether a test changed in nothing but the names by which it imports renamed files: it still tests what it tested. */
async function followsRename(
  { path, status }: ChangedPath,
  renames: readonly Rename[],
  { base, candidate }: Sides,
): Promise<boolean> {
  if (status !== 'modified' || renames.length === 0 || !isProgram(path)) return false;
  const [before, after] = [await base.read(path), await candidate.read(path)];
  if (before === undefined || after === undefined) return false;
  return (
    withTargets(path, before, { files: base, renames }) === withTargets(path, after, { files: candidate, renames })
  );
}

/** The text with every name of a renamed file replaced by one that does not depend on where the file is. */
function withTargets(
  path: string,
  text: string,
  { files, renames }: { files: CommitFiles; renames: readonly Rename[] },
): string {
  const token = (file: string | undefined) => {
    const index = renames.findIndex(({ from, to }) => file === from || file === to);
    return index < 0 ? undefined : `<renamed ${index}>`;
  };
  if (!path.endsWith('.py'))
    return text.replace(/(['"])(\.{1,2}\/[^'"\n]*)\1/g, (whole, _quote, name) => {
      return token(resolveFile(joinPath(folderOf(path), String(name)), files.paths)) ?? whole;
    });
  const modules = renames.flatMap((rename, index) =>
    [rename.from, rename.to].map((file) => ({ index, name: moduleOf(file), exists: files.paths.has(file) })),
  );
  return modules
    .filter(({ exists }) => exists)
    .reduce((result, { index, name }) => {
      return result.replace(new RegExp(`(?<![\\w.])${name.replaceAll('.', '\\.')}(?!\\w)`, 'g'), `<renamed ${index}>`);
    }, text);
}

function moduleOf(file: string): string {
  return file
    .replace(/\.pyi?$/, '')
    .replace(/\/__init__$/, '')
    .replaceAll('/', '.');
}

function linesOf(text: string | undefined): string[] {
  return (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Whether the tests that a source file loses are in another changed file of its language, unchanged; that they run is shown by their names. */
export async function areTestsMoved(
  { path }: ChangedPath,
  { base, candidate }: { base: string; candidate: string },
  options: Sides & { changed: readonly ChangedPath[] },
): Promise<boolean> {
  const extension = /\.\w+$/.exec(path)?.[0] ?? '';
  const others = options.changed.filter(
    (other) => other.path !== path && other.status !== 'deleted' && other.path.endsWith(extension),
  );
  const texts = await Promise.all(others.slice(0, MOST_MOVED).map((other) => options.candidate.read(other.path)));
  return inlineTestReason(path, base, [candidate, ...texts].join('\n')) === undefined;
}
