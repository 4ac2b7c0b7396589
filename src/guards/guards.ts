import { testRule } from '../core/finish/file-kind.ts';
import type { ChangedPath } from '../gates/gate.ts';
import { type CommandGateSpec, candidateGates, commandText } from '../gates/gate-kinds.ts';
import { git } from '../git/git.ts';
import type { Mirror } from '../git/mirror/mirror.ts';
import { showFile } from '../git/read/diff.ts';
import type { GateSpec } from '../schema/gate.ts';
import { isEmptied, leavesRepository } from './check-files.ts';
import { type Closure, closureOf } from './closure.ts';
import { CHECK_CONFIG, INSTALLED, looseMatcher, pathMatcher, TOOL_FILES } from './guard-globs.ts';
import { runsTheSame } from './guard-make.ts';
import { isLockfile, isManifest, lockfileReason, manifestReason } from './guard-manifest.ts';
import { packageReason } from './guard-package.ts';
import { compilerReason, isCompilerSettings } from './guard-tsconfig.ts';
import { areTestsMoved, withoutRenames } from './renamed-source.ts';
import { commandLabel } from './shell-commands.ts';
import { isLoadedByTests, type SearchedFiles, testHelpers } from './test-modules.ts';
import { earlyExit, inlineTestReason } from './weakened-source.ts';

export interface GuardOptions {
  changed: readonly ChangedPath[];
  /** Globs of test files, of files that decide how checks run, and of files never held; added to the defaults. */
  tests: readonly string[];
  config: readonly string[];
  allow: readonly string[];
  /** Origins that a lockfile may name without having named them before. */
  registries: readonly string[];
  gates: readonly GateSpec[];
  /** Files that the task was given to change: a check of its own that names one of them is about it. */
  targets?: readonly string[];
  /** The files of the base that a check opens or executes while it runs; only requested where that can decide. */
  trace?(gate: CommandGateSpec): Promise<readonly string[]>;
  /** Changed paths of the candidate that are no regular files: their text does not show what a check reads. */
  special: ReadonlyMap<string, SpecialFile>;
  base: SearchedFiles;
  candidate: SearchedFiles;
}

/** A symbolic link with its target, or another repository: a submodule that .gitmodules declares, or one that is nested. */
export type SpecialFile = { kind: 'link'; target: string } | { kind: 'repository'; isDeclared: boolean };

export interface Guarded {
  /** Test files that the checks must also pass with in the base's version (absent there: without them). */
  overlay: string[];
  /** What a person must review before it lands. */
  held: { path: string; reason: string }[];
}

interface Rules {
  closure: Closure;
  isTest(path: string): boolean;
  isTestFile(path: string): boolean;
  isConfig(path: string): boolean;
  isInstalled(path: string): boolean;
  /** Whether only tests and what checks run load this module, and it serves them. */
  isHelper(path: string): Promise<boolean>;
  /** Whether a test or something that a check runs loads this file of the candidate. */
  isLoaded(path: string): Promise<boolean>;
}

/** In an added test, what can silence the other tests of the same process. */
const SILENCES_OTHERS =
  /\.only\b|\bonly\s*:|\b[fx](describe|it|context)\b|\bexit\b|_exit\b|\babort\s*\(|\bTestMain\b|\bexitCode\b|\bcollect_ignore|pytest_(collection|runtest|sessionfinish)|\bkill\s*\(/;
const PROGRAM =
  /\.([cm]?[jt]sx?|py|go|rb|php|rs|java|kts?|scala|groovy|cs|fs|exs?|lua|pl|pm|t|sh|bats|swift|dart|clj|jl|r)$/i;
const MAKEFILE = /(^|\/)(GNU)?makefile$/i;
/** Files that programs read their settings from, by their names. */
const SETTINGS = /(^|\/)\.[\w-]+rc(\.\w+)?$|\.(ini|cfg)$|(^|\/)[\w.-]+\.config\.\w+$/i;
const COMPILERS = ['tsc', 'vue-tsc', 'svelte-check', 'tsgo', 'ts-node', 'ts-jest', 'tspc', 'tsd', 'tsup'];

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
    else if (rules.isTest(change.path) || (await isTestMaterial(change, rules))) tests.push(change);
  }
  return { overlay: await overlayOf(await withoutRenames(tests, options), options), held };
}

async function rulesFor(options: GuardOptions): Promise<Rules> {
  const isConfiguredTest = pathMatcher(options.tests);
  const isTest = (path: string) => testRule(path) !== undefined || isConfiguredTest(path);
  const closure = await closureOf(candidateGates(options.gates), options.base, new Set(options.targets));
  const tools = [...TOOL_FILES].flatMap(([program, globs]) => (closure.words.has(program) ? globs : []));
  return {
    closure,
    isTest,
    isTestFile: (path) => testRule(path) === 'name',
    isConfig: looseMatcher([...CHECK_CONFIG, ...tools, ...options.config]),
    isInstalled: looseMatcher(INSTALLED),
    isHelper: testHelpers(options.base, { closure, isTest }),
    isLoaded: (path) => isLoadedByTests(path, options.candidate, { closure, isTest }),
  };
}

async function heldReason(change: ChangedPath, rules: Rules, options: GuardOptions): Promise<string | undefined> {
  const { path } = change;
  const misleading = specialReason(path, options.special.get(path));
  if (misleading !== undefined) return misleading;
  if (rules.isInstalled(path)) return 'is an installed dependency; the checks bring their own';
  if (rules.isConfig(path)) return `is ${change.status} and can decide how checks run`;
  const isPackage = /(^|\/)package\.json$/i.test(path);
  if (isPackage || isManifest(path) || isLockfile(path)) {
    if (options.special.has(path)) return 'is a link, so what a check reads there cannot be judged';
    const [base, candidate] = await Promise.all([options.base.read(path), options.candidate.read(path)]);
    if (isPackage) return packageReason(base, candidate, rules.closure);
    return isLockfile(path)
      ? lockfileReason(base, candidate, options.registries)
      : manifestReason(path, base, candidate);
  }
  return (
    (await closureReason(change, rules, options)) ??
    (await tracedReason(change, rules, options)) ??
    linkReason(path, rules, options) ??
    (await sourceReason(change, rules, options))
  );
}

/** What a person must review although no check runs that it could decide. */
export function heldWithoutChecks(
  special: ReadonlyMap<string, SpecialFile>,
  allow: readonly string[],
): Guarded['held'] {
  const isAllowed = pathMatcher(allow);
  return [...special].flatMap(([path, file]) => {
    const reason = isAllowed(path) ? undefined : specialReason(path, file);
    return reason === undefined ? [] : [{ path, reason }];
  });
}

function specialReason(path: string, special: SpecialFile | undefined): string | undefined {
  if (special?.kind === 'link' && leavesRepository(path, special.target))
    return `is a link that leads out of the repository, to ${special.target}`;
  return special?.kind === 'repository' && !special.isDeclared
    ? 'is a repository inside the repository, whose files would not land'
    : undefined;
}

/** Why source that a check loads needs a person: it can end the test run early, or takes tests of its own away. */
async function sourceReason(change: ChangedPath, rules: Rules, options: GuardOptions): Promise<string | undefined> {
  const { path, status } = change;
  if (rules.isTest(path) || options.special.has(path) || rules.closure.words.size === 0) return undefined;
  if (!PROGRAM.test(path) && !/\.(c|cc|cpp|cxx|h|hh|hpp|zig)$/i.test(path)) return undefined;
  const base = (await options.base.read(path)) ?? '';
  const candidate = status === 'deleted' ? '' : ((await options.candidate.read(path)) ?? '');
  const lost = inlineTestReason(path, base, candidate);
  if (lost !== undefined && !(await areTestsMoved(change, { base, candidate }, options))) return lost;
  const exit = earlyExit(path, base, candidate);
  if (exit === undefined || !(await rules.isLoaded(path))) return undefined;
  return `a check loads it, and it can end the check early or change what it finds: ${exit}`;
}

/** Why a file needs a person that a check runs or is configured by, with the steps that lead to it. */
async function closureReason(change: ChangedPath, rules: Rules, options: GuardOptions): Promise<string | undefined> {
  const { path, status } = change;
  const { closure } = rules;
  const found = closure.find(path);
  const read = () => Promise.all([options.base.read(path), options.candidate.read(path)]);
  if (isCompilerSettings(path) && (found !== undefined || COMPILERS.some((program) => closure.words.has(program)))) {
    const reason = compilerReason(...(await read()));
    return reason === undefined ? undefined : `decides what the compiler checks, and ${reason}`;
  }
  if (MAKEFILE.test(path) && ['make', 'gmake', 'bmake'].some((program) => closure.words.has(program))) {
    const [base = '', candidate = ''] = await read();
    return runsTheSame(base, candidate, closure.makeWords) ? undefined : `is ${status} and a check runs it with make`;
  }
  if (found !== undefined && !rules.isTestFile(path)) {
    if (found.role === 'script') return `is ${status} and a check runs it: ${found.chain.join(' -> ')}`;
    if (found.role === 'configuration') return `is ${status} and decides a check: ${found.chain.join(' -> ')}`;
  }
  if (status !== 'modified' || rules.isTest(path) || !(await rules.isHelper(path))) return undefined;
  const [base = '', candidate = ''] = await read();
  return isEmptied(base, candidate) ? 'only tests load it, and it cannot make any of them fail any more' : undefined;
}

/** Why a script or a configuration file needs a person that only running the check shows to be a part of it. */
async function tracedReason(change: ChangedPath, rules: Rules, options: GuardOptions): Promise<string | undefined> {
  const { path, status } = change;
  if (options.trace === undefined || status === 'added' || rules.isTest(path) || rules.closure.entries.has(path))
    return undefined;
  const isShell = /\.(sh|bash|zsh|ksh|mk)$/i.test(path) || /^#!/.test((await readExtensionless(path, options)) ?? '');
  if (!isShell && !SETTINGS.test(path)) return undefined;
  if (options.targets?.includes(path)) return undefined;
  for (const gate of candidateGates(options.gates)) {
    if (rules.closure.judged.has(path) || !(await options.trace(gate)).includes(path)) continue;
    return `is ${status} and a check uses it while it runs: ${commandLabel(commandText(gate))}`;
  }
  return undefined;
}

/** The text of a file whose name does not say what it is. */
async function readExtensionless(path: string, { base }: GuardOptions): Promise<string | undefined> {
  return /(^|\/)[^./]+$/.test(path) ? base.read(path) : undefined;
}

function linkReason(path: string, rules: Rules, options: GuardOptions): string | undefined {
  return options.special.has(path) && rules.isTest(path) ? 'is a link among the tests' : undefined;
}

/** Whether the base's version of a changed file belongs to the base's tests: a check gives it to a test runner, or it is a helper of tests. */
async function isTestMaterial({ path, status }: ChangedPath, rules: Rules): Promise<boolean> {
  if (rules.closure.find(path)?.role === 'test') return true;
  return status !== 'added' && (await rules.isHelper(path));
}

/** Folders that became files or links, and files that became folders: either way what was guarded there is gone. */
function findReplacements(changed: readonly ChangedPath[], rules: Rules): Map<string, string> {
  const isGuarded = (path: string) =>
    rules.isTest(path) || rules.isConfig(path) || rules.closure.find(path) !== undefined;
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
      if (status === 'added' && lost !== undefined) return [[path, `replaces the folder of ${lost}`]];
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
  return PROGRAM.test(path) && SILENCES_OTHERS.test((await options.candidate.read(path)) ?? '');
}

/** The programs among the tests that a candidate adds or changes: a runner executes them. */
export function testPrograms({ changed, tests, allow }: Pick<GuardOptions, 'changed' | 'tests' | 'allow'>): {
  added: string[];
  modified: string[];
} {
  const isAllowed = pathMatcher(allow);
  const isConfiguredTest = pathMatcher(tests);
  const paths = (status: ChangedPath['status']) =>
    changed.flatMap((change) => {
      const isTest = testRule(change.path) !== undefined || isConfiguredTest(change.path);
      return change.status === status && isTest && PROGRAM.test(change.path) && !isAllowed(change.path)
        ? [change.path]
        : [];
    });
  return { added: paths('added'), modified: paths('modified') };
}

/** Paths changed between two commits that are no regular files in the later one: symbolic links and repositories. */
export async function specialFiles(mirror: Mirror, from: string, to: string): Promise<Map<string, SpecialFile>> {
  const { stdout } = await git(['diff-tree', '-r', '-z', '--raw', '--no-renames', '--end-of-options', from, to], {
    gitDir: mirror.dir,
  });
  const fields = stdout.split('\0');
  const special = new Map<string, SpecialFile>();
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [, mode, , oid = ''] = fields[index]?.split(' ') ?? [];
    const path = fields[index + 1];
    if (path === undefined) continue;
    if (mode === '120000')
      special.set(path, {
        kind: 'link',
        target: (await git(['cat-file', 'blob', oid], { gitDir: mirror.dir })).stdout,
      });
    if (mode === '160000') special.set(path, { kind: 'repository', isDeclared: await isSubmodule(mirror, to, path) });
  }
  return special;
}

async function isSubmodule(mirror: Mirror, commit: string, path: string): Promise<boolean> {
  const declared = (await showFile(mirror, commit, '.gitmodules')) ?? '';
  return declared.split('\n').some((line) => /^\s*path\s*=\s*(.*?)\s*$/.exec(line)?.[1] === path);
}
