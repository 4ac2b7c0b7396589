import { testRule } from '../core/finish/file-kind.ts';
import type { ChangedPath } from '../gates/gate.ts';
import { type CommandGateSpec, candidateGates, commandText } from '../gates/gate-kinds.ts';
import type { GateSpec } from '../schema/gate.ts';
import { isCheckData, isEmptied, isScriptSubject, isShellScript } from './check-files.ts';
import { closureOf } from './closure.ts';

import { COMPILERS } from './configured-files.ts';
import { CHECK_CONFIG, INSTALLED, looseMatcher, pathMatcher, TOOL_FILES } from './guard-globs.ts';
import { runsTheSame } from './guard-make.ts';
import { isLockfile, isManifest, lockfileReason, manifestReason } from './guard-manifest.ts';
import { exportReason, packageReason } from './guard-package.ts';
import { compilerReason, isCompilerSettings } from './guard-tsconfig.ts';
import { inlineTestReason } from './inline-tests.ts';
import { measuringFiles } from './measuring-files.ts';
import type { Closure } from './reached-files.ts';
import { areTestsMoved, withoutRenames } from './renamed-source.ts';
import { commandLabel } from './shell-commands.ts';
import { compiledReason, type SpecialFile, specialReason } from './special-files.ts';
import { isLoadedByTests, isOnlyConfigured, type SearchedFiles, testHelpers } from './test-modules.ts';
import { earlyExit } from './weakened-source.ts';

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

export interface Guarded {
  /** Test files that the checks must also pass with in the base's version (absent there: without them). */
  overlay: string[];
  /** What a person must review before it lands. */
  held: { path: string; reason: string }[];
}

interface Rules {
  closure: Closure;
  /** Whether a command that measures the work of the task runs this file. */
  isMeasuring(path: string): boolean;
  isTest(path: string): boolean;
  isTestFile(path: string): boolean;
  isConfig(path: string): boolean;
  isInstalled(path: string): boolean;
  /** Whether only tests and what checks run load this module, and it serves them. */
  isHelper(path: string): Promise<boolean>;
  isExportedHelper(path: string): Promise<boolean>;
  /** Whether a configuration of a check loads this module, and no source does. */
  isOnlyConfigured(path: string): Promise<boolean>;
  /** Whether a test or something that a check runs loads this file of the candidate. */
  isLoaded(path: string): Promise<boolean>;
}

/** In an added test, what can silence the other tests of the same process. */
const SILENCES_OTHERS =
  /\.only\b|\bonly\s*:|\b[fx](describe|it|context)\b|\bexit\b|_exit\b|\babort\s*\(|\bTestMain\b|\bexitCode\b|\bcollect_ignore|pytest_(collection|runtest|sessionfinish)|\bkill\s*\(/;
const PROGRAM =
  /\.([cm]?[jt]sx?|py|go|rb|php|rs|java|kts?|scala|groovy|cs|fs|exs?|lua|pl|pm|t|sh|bats|swift|dart|clj|jl|r)$/i;
const MAKEFILE = /(^|\/)(GNU)?makefile$/i;
/** Modules of Python that tests and checks import; a file of such a name in the repository would be loaded instead. */
const PYTHON_LIBRARIES =
  /^(unittest|pytest|_pytest|hypothesis|nose2?|mock|doctest|abc|argparse|ast|asyncio|base64|collections|contextlib|copy|csv|dataclasses|datetime|decimal|difflib|enum|fractions|functools|glob|hashlib|importlib|inspect|io|itertools|json|logging|numbers|operator|os|pathlib|pprint|random|re|shutil|statistics|string|subprocess|tempfile|textwrap|threading|traceback|types|typing|uuid|warnings|numpy|pandas|requests|django|flask|sitecustomize)$/;
/** A command that starts a program of Python without a test runner. */
const PLAIN_SCRIPT = /\bpython[\d.]*\s+(?!-)\S+\.py\b/;
/** Files that programs read their settings from, by their names. */
const SETTINGS = /(^|\/)\.[\w-]+rc(\.\w+)?$|\.(ini|cfg)$|(^|\/)[\w.-]+\.config\.\w+$/i;

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
  const judged = await withoutRenames(tests, options);
  // What a check runs by a pattern is no test for its runner, so that only a run without it shows what it does to the others.
  const isRunner = judged.some(({ path }) => !rules.isTest(path));
  return { overlay: isRunner ? judged.map(({ path }) => path) : await overlayOf(judged, options), held };
}

async function rulesFor(options: GuardOptions): Promise<Rules> {
  const isConfiguredTest = pathMatcher(options.tests);
  const isTest = (path: string) => testRule(path) !== undefined || isConfiguredTest(path);
  const closure = await closureOf(candidateGates(options.gates), options.base, new Set(options.targets));
  const measures = candidateGates(options.gates).filter(({ measure }) => measure !== undefined);
  const tools = [...TOOL_FILES].flatMap(([program, globs]) => (closure.words.has(program) ? globs : []));
  return {
    closure,
    isMeasuring: await measuringFiles(measures, options),
    isTest,
    isTestFile: (path) => testRule(path) === 'name',
    isConfig: looseMatcher([...CHECK_CONFIG, ...tools, ...options.config]),
    isInstalled: looseMatcher(INSTALLED),
    isHelper: testHelpers(options.base, { closure, isTest }),
    isExportedHelper: testHelpers(options.base, { closure: { ...closure, entries: new Set() }, isTest }),
    isOnlyConfigured: (path) => isOnlyConfigured(path, options.base, { closure, isTest }),
    isLoaded: (path) => isLoadedByTests(path, options.candidate, { closure, isTest }),
  };
}

async function heldReason(change: ChangedPath, rules: Rules, options: GuardOptions): Promise<string | undefined> {
  const { path } = change;
  const special = specialReason(path, options.special.get(path)) ?? (await compiledReason(change, options.candidate));
  const misleading = special ?? replacementReason(change, rules, options);
  if (misleading !== undefined) return misleading;
  if (rules.isMeasuring(path)) return `is ${change.status}, and the measurement runs it`;
  if (rules.isInstalled(path)) return 'is an installed dependency; the checks bring their own';
  // The base's tests must pass without an added one, as without any added test.
  const isAddedFixtures = change.status === 'added' && /(^|\/)conftest\.py$/.test(path);
  if (rules.isConfig(path) && !isAddedFixtures) return `is ${change.status} and can decide how checks run`;
  const isPackage = /(^|\/)package\.json$/i.test(path);
  if (isPackage || isManifest(path) || isLockfile(path)) {
    if (options.special.has(path)) return 'is a link, so what a check reads there cannot be judged';
    const [base, candidate] = await Promise.all([options.base.read(path), options.candidate.read(path)]);
    if (isPackage)
      return (
        packageReason(base, candidate, rules.closure) ?? exportReason(path, { base, candidate }, rules.isExportedHelper)
      );
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

/** Why an added file needs a person that is used instead of what a check uses now: of a program, of a library, or of a typed file. */
function replacementReason(
  { path, status }: ChangedPath,
  { closure }: Rules,
  { base, candidate }: GuardOptions,
): string | undefined {
  if (status === 'modified') return undefined;
  const name = path.split('/').at(-1) ?? '';
  const module = /^([\w]+)(?:\.py|\/__init__\.py)$/.exec(path.replace(/^(?:tests?|src)\//, ''))?.[1];
  if (status === 'added' && module !== undefined && PYTHON_LIBRARIES.test(module))
    return `is loaded instead of the library ${module}`;
  const typed = path.replace(/(\.d)?\.[cm]?[jt]sx?$/, '');
  const untyped = ['.js', '.jsx', '.mjs', '.cjs', '.d.ts'].find(
    (end) => !base.paths.has(typed + end) && candidate.paths.has(typed + end),
  );
  if (status === 'deleted' && /(?<!\.d)\.[cm]?tsx?$/.test(path) && untyped !== undefined && hasCompiler(closure))
    return `becomes ${typed.split('/').at(-1)}${untyped}, which the compiler does not check`;
  if (status !== 'added' || !closure.programFolders.has(path.slice(0, Math.max(0, path.length - name.length - 1))))
    return undefined;
  return closure.words.has(name) ? `takes the place of the program ${name}, which a check starts` : undefined;
}

function hasCompiler({ words }: Closure): boolean {
  return COMPILERS.some((program) => words.has(program));
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
  const hasRunner = !rules.closure.texts.some((text) => PLAIN_SCRIPT.test(text));
  const exit = earlyExit(path, { base, candidate, hasRunner });
  if (exit === undefined || !(await rules.isLoaded(path))) return undefined;
  return `a check loads it, and it can end the check early or change what it finds: ${exit}`;
}

/** Why a file needs a person that a check runs or is configured by, with the steps that lead to it. */
async function closureReason(change: ChangedPath, rules: Rules, options: GuardOptions): Promise<string | undefined> {
  const { path, status } = change;
  const { closure } = rules;
  const found = closure.find(path);
  const read = () => Promise.all([options.base.read(path), options.candidate.read(path)]);
  const isExtended = found?.role === 'configuration' && /"compilerOptions"/.test((await options.base.read(path)) ?? '');
  if (
    isExtended ||
    (isCompilerSettings(path) && found !== undefined) ||
    (isCompilerSettings(path) && hasCompiler(closure))
  ) {
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
  if (status !== 'added' && (await rules.isOnlyConfigured(path)))
    return `is ${status} and the settings of a check load it: ${found?.chain.join(' -> ')}`;
  if (status !== 'modified' || rules.isTest(path) || !(await rules.isHelper(path))) return undefined;
  const [base = '', candidate = ''] = await read();
  return isEmptied(base, candidate) ? 'only tests load it, and it cannot make any of them fail any more' : undefined;
}

/** Why a script or a configuration file needs a person that only running the check shows to be a part of it. */
async function tracedReason(change: ChangedPath, rules: Rules, options: GuardOptions): Promise<string | undefined> {
  const { path, status } = change;
  if (options.trace === undefined || status === 'added' || rules.isTest(path) || rules.closure.entries.has(path))
    return undefined;
  const text = (await options.base.read(path)) ?? '';
  const isShell = isShellScript(path, text);
  if (status === 'modified' && isShell && isScriptSubject(path, text)) return undefined;
  const isData = isCheckData(path, text, options.base.paths);
  if (!isShell && !isData && !SETTINGS.test(path)) return undefined;
  if (options.targets?.includes(path)) return undefined;
  for (const gate of candidateGates(options.gates)) {
    if (rules.closure.judged.has(path) || !(await options.trace(gate)).includes(path)) continue;
    return `is ${status} and a check uses it while it runs: ${commandLabel(commandText(gate))}`;
  }
  return undefined;
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
