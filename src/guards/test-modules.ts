import { isCheckLike, isData, isGolden, isHelper, SOURCE_FOLDERS } from './check-files.ts';
import { importedFiles, importPattern, isProgram, namesInPackage } from './module-imports.ts';
import type { Closure, CommitFiles } from './reached-files.ts';

/** The files of a commit, with a search over all of them. */
export interface SearchedFiles extends CommitFiles {
  /** The paths of the files in which an extended regular expression is found. */
  search(pattern: string): Promise<string[]>;
}

interface Judgement {
  closure: Closure;
  isTest(path: string): boolean;
}

/** A module that more files name is no helper of some tests. */
const MAX_NAMING = 300;
const MAX_STEPS = 4;
const MAX_LOADING_STEPS = 12;
const OTHER_LANGUAGES = /\.(go|rs|java|kts?|scala|cs|swift|exs?|c|cc|cpp|h|hpp|dart)$/i;

/** The files of a commit that import a module. */
async function importersOf(path: string, files: SearchedFiles): Promise<string[] | undefined> {
  const naming = (await files.search(importPattern(path))).filter((file) => file !== path && isProgram(file));
  if (naming.length > MAX_NAMING) return undefined;
  const found: string[] = [];
  for (const file of naming) {
    const text = await files.read(file);
    if (text === undefined) continue;
    if (importedFiles(file, text, files.paths).includes(path) || namesInPackage(file, text, path)) found.push(file);
  }
  return found;
}

/** Answers for each path of the base whether it is a module that serves tests: only they and what checks run load it. */
export function testHelpers(files: SearchedFiles, judgement: Judgement): (path: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  return (path) => {
    const answer = known.get(path) ?? isTestHelper(path, files, judgement);
    known.set(path, answer);
    return answer;
  };
}

/** Whether a test, or something that a check runs, loads this file, directly or through others; where imports cannot be followed, it may. */
export async function isLoadedByTests(path: string, files: SearchedFiles, judgement: Judgement): Promise<boolean> {
  if (!isProgram(path)) return true;
  const seen = new Set<string>();
  let queue = [path];
  for (let step = 0; queue.length > 0 && step <= MAX_LOADING_STEPS; step += 1) {
    const next: string[] = [];
    for (const file of queue) {
      if (judgement.isTest(file) || judgement.closure.find(file) !== undefined) return true;
      if (seen.has(file)) continue;
      seen.add(file);
      const importers = await importersOf(file, files);
      // So many files name it that some test among them probably loads it.
      if (importers === undefined || seen.size > MAX_NAMING) return true;
      next.push(...importers);
    }
    queue = next;
  }
  return false;
}

/** Whether a configuration of a check loads this module, and nothing else does but tests and checks. */
export async function isOnlyConfigured(path: string, files: SearchedFiles, judgement: Judgement): Promise<boolean> {
  if (judgement.closure.find(path)?.loadedBy !== 'configuration' || judgement.isTest(path)) return false;
  if (judgement.closure.entries.has(path) || SOURCE_FOLDERS.test(path)) return false;
  return isLoadedOnlyByTests(path, { files, judgement, steps: 0 });
}

async function isTestHelper(path: string, files: SearchedFiles, judgement: Judgement): Promise<boolean> {
  if (!files.paths.has(path) || judgement.isTest(path)) return false;
  const isOther = OTHER_LANGUAGES.test(path);
  if (!isOther && !isProgram(path)) return isReadOnlyByTests(path, files, judgement);
  const text = await files.read(path);
  if (text === undefined) return false;
  const isOfScript = judgement.closure.find(path)?.loadedBy === 'script' && isCheckLike(path);
  if (!isOfScript && !isHelper(path, text, judgement.closure.entries)) return false;
  // Where imports cannot be followed, a program that imports a test library serves tests.
  if (isOther)
    return /"testing"|\btestify\b|org\.junit|\bxunit\b|NUnit|#\[macro_export\]|\bXCTest\b|ExUnit/i.test(text);
  return isLoadedOnlyByTests(path, { files, judgement, steps: 0 });
}

/** Whether some test names a data file, or the folder of golden output, and no other program does. */
async function isReadOnlyByTests(path: string, files: SearchedFiles, judgement: Judgement): Promise<boolean> {
  if (!isGolden(path) && !isData(path)) return false;
  const parts = path.split('/');
  const plain = (name: string) => name.replace(/[^\w-]/g, '.');
  const [name, folder] = [plain(parts.at(-1) ?? ''), parts.length < 2 ? [] : [`\\b${plain(parts.at(-2) ?? '')}\\b`]];
  const names = isGolden(path) ? [name, ...folder] : [`\\b${name}\\b`];
  const found = (await Promise.all(names.map((name) => files.search(name)))).flat();
  const naming = found.filter((file) => isProgram(file) || OTHER_LANGUAGES.test(file));
  const isCheck = (file: string) => judgement.isTest(file) || judgement.closure.find(file) !== undefined;
  // Other data that only a script of a check reads may be what the check is about.
  return naming.some(isGolden(path) ? isCheck : judgement.isTest) && naming.every(isCheck);
}

async function isLoadedOnlyByTests(
  path: string,
  at: { files: SearchedFiles; judgement: Judgement; steps: number },
): Promise<boolean> {
  const { files, judgement } = at;
  const importers = await importersOf(path, files);
  if (importers === undefined || at.steps > MAX_STEPS) return false;
  if (importers.length === 0) return judgement.closure.find(path)?.role === 'module';
  for (const importer of importers) {
    const role = judgement.closure.find(importer)?.role;
    if (judgement.isTest(importer) || role === 'script' || role === 'configuration' || role === 'test') continue;
    if (!(await isLoadedOnlyByTests(importer, { ...at, steps: at.steps + 1 }))) return false;
  }
  return true;
}
