import { testRule } from '../core/finish/file-kind.ts';
import type { ChangedPath } from '../gates/gate.ts';
import { git } from '../git/git.ts';
import type { Mirror } from '../git/mirror/mirror.ts';
import type { GateSpec } from '../schema/gate.ts';
import { callsProgram, commandTexts, namedPaths, reachableScripts, runOnlyScripts } from './guard-command.ts';
import { CHECK_CONFIG, INSTALLED, looseMatcher, pathMatcher, TOOL_FILES } from './guard-globs.ts';
import { isLockfile, lockfileReason } from './guard-lockfile.ts';
import { isManifest, manifestReason } from './guard-manifest.ts';
import { type Commands, packageReason, scriptsOf } from './guard-package.ts';

export interface GuardOptions {
  changed: readonly ChangedPath[];
  /** Globs of test files, of files that decide how checks run, and of files never held; added to the defaults. */
  tests: readonly string[];
  config: readonly string[];
  allow: readonly string[];
  /** Origins that a lockfile may name without having named them before. */
  registries: readonly string[];
  gates: readonly GateSpec[];
  /** Paths of the candidate that are no regular files (links, submodules): their text does not show what a check reads. */
  special: ReadonlySet<string>;
  readBase(path: string): Promise<string | undefined>;
  readCandidate(path: string): Promise<string | undefined>;
}

export interface Guarded {
  /** Test files that the checks must also pass with in the base's version (absent there: without them). */
  overlay: string[];
  /** What a person must review before it lands. */
  held: { path: string; reason: string }[];
}

interface Rules {
  commands: Commands;
  isTest(path: string): boolean;
  isTestFile(path: string): boolean;
  isConfig(path: string): boolean;
  isInstalled(path: string): boolean;
  isNamed(path: string): boolean;
}

/** In an added test, what can silence the other tests of the same process. */
const SILENCES_OTHERS =
  /\.only\b|\bonly\s*:|\b[fx](describe|it|context)\b|\bexit\b|_exit\b|\babort\s*\(|\bTestMain\b|\bexitCode\b|\bcollect_ignore|pytest_(collection|runtest|sessionfinish)|\bkill\s*\(/;
const PROGRAM =
  /\.([cm]?[jt]sx?|py|go|rb|php|rs|java|kts?|scala|groovy|cs|fs|exs?|lua|pl|pm|t|sh|bats|swift|dart|clj|jl|r)$/i;
const NEVER_NAMED = /(^|\/)(tsconfig[\w.-]*\.json|package\.json)$/;

/**
 * Judges what a candidate does to its own checks: added tests are free, changed ones are also run in the base's version,
 * and what decides how checks run is held for a person.
 */
export async function guard(options: GuardOptions): Promise<Guarded> {
  const isAllowed = pathMatcher(options.allow);
  const changed = options.changed.filter((change) => !isAllowed(change.path));
  const rules = await rulesFor(options);
  const replaced = findReplacements(changed, rules);
  const held: Guarded['held'] = [];
  const tests: ChangedPath[] = [];
  for (const change of changed) {
    const reason = replaced.get(change.path) ?? (await heldReason(change, rules, options));
    if (reason !== undefined) held.push({ path: change.path, reason });
    else if (rules.isTest(change.path)) tests.push(change);
  }
  return { overlay: await overlayOf(tests, options), held };
}

async function rulesFor(options: GuardOptions): Promise<Rules> {
  const direct = commandTexts(options.gates);
  const scripts = scriptsOf(await options.readBase('package.json'));
  const reached = runOnlyScripts(direct) ? reachableScripts(scripts, direct) : new Set(scripts.keys());
  const all = [...direct, ...[...reached].flatMap((name) => scripts.get(name) ?? [])];
  const isConfiguredTest = pathMatcher(options.tests);
  const tools = [...TOOL_FILES].flatMap(([program, globs]) => (callsProgram(all, program) ? globs : []));
  return {
    commands: { direct, all },
    isTest: (path) => testRule(path) !== undefined || isConfiguredTest(path),
    isTestFile: (path) => testRule(path) === 'name',
    isConfig: looseMatcher([...CHECK_CONFIG, ...tools, ...options.config]),
    isInstalled: looseMatcher(INSTALLED),
    isNamed: namedPaths(all),
  };
}

async function heldReason(change: ChangedPath, rules: Rules, options: GuardOptions): Promise<string | undefined> {
  const { path } = change;
  if (rules.isInstalled(path)) return 'is an installed dependency; the checks bring their own';
  if (rules.isConfig(path)) return `is ${change.status} and can decide how checks run`;
  const isPackage = /(^|\/)package\.json$/i.test(path);
  if (isPackage || isManifest(path) || isLockfile(path)) {
    if (options.special.has(path)) return 'is a link, so what a check reads there cannot be judged';
    const [base, candidate] = await Promise.all([options.readBase(path), options.readCandidate(path)]);
    if (isPackage) return packageReason(base, candidate, rules.commands);
    return isLockfile(path)
      ? lockfileReason(base, candidate, options.registries)
      : manifestReason(path, base, candidate);
  }
  if (rules.isNamed(path) && !rules.isTestFile(path) && !NEVER_NAMED.test(path))
    return `is ${change.status} and a check runs it`;
  if (options.special.has(path) && rules.isTest(path)) return 'is a link among the tests';
  return undefined;
}

/** Folders that became files or links, and files that became folders: either way what was guarded there is gone. */
function findReplacements(changed: readonly ChangedPath[], rules: Rules): Map<string, string> {
  const isGuarded = (path: string) => rules.isTest(path) || rules.isConfig(path) || rules.isNamed(path);
  const emptied = new Map<string, string>();
  const filled = new Set<string>();
  for (const { path, status } of changed) {
    const isLost = status === 'deleted' && isGuarded(path);
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      if (isLost) emptied.set(path.slice(0, end), path);
      else filled.add(path.slice(0, end));
    }
  }
  return new Map(
    changed.flatMap(({ path, status }): [string, string][] => {
      const lost = emptied.get(path);
      if (status === 'added' && lost !== undefined) return [[path, `stands where the folder of ${lost} was`]];
      return status === 'deleted' && filled.has(path) && isGuarded(path) ? [[path, 'is replaced by a folder']] : [];
    }),
  );
}

/** Where the base's version is used, it is the base's tests as a whole: an added one may need a helper that was changed. */
async function overlayOf(tests: readonly ChangedPath[], options: GuardOptions): Promise<string[]> {
  for (const change of tests) {
    if (change.status !== 'added' || (await canSilence(change.path, options))) return tests.map((test) => test.path);
  }
  return [];
}

async function canSilence(path: string, options: GuardOptions): Promise<boolean> {
  return PROGRAM.test(path) && SILENCES_OTHERS.test((await options.readCandidate(path)) ?? '');
}

/** Paths changed between two commits that are no regular files in the later one: symbolic links and submodules. */
export async function specialFiles(mirror: Mirror, from: string, to: string): Promise<Set<string>> {
  const { stdout } = await git(['diff-tree', '-r', '-z', '--raw', '--no-renames', '--end-of-options', from, to], {
    gitDir: mirror.dir,
  });
  const fields = stdout.split('\0');
  const special = new Set<string>();
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const mode = fields[index]?.split(' ')[1];
    const path = fields[index + 1];
    if (path !== undefined && (mode === '120000' || mode === '160000')) special.add(path);
  }
  return special;
}
