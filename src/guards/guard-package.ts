import { z } from 'zod';

/** The texts that the checks reach. */
export interface Commands {
  texts: readonly string[];
  /** Whether a script that a check runs could not be read: it may run any script of the package. */
  isOpaque: boolean;
}

/** Keys that no check and no installation acts on; everything else in a package.json is held when it changes. */
const FREE_KEYS = new Set([
  ...[
    'name',
    'version',
    'description',
    'keywords',
    'author',
    'contributors',
    'maintainers',
    'license',
    'homepage',
    'bugs',
  ],
  ...['repository', 'funding', 'files', 'main', 'module', 'browser', 'types', 'typings', 'typesVersions', 'bin', 'man'],
  ...['exports', 'sideEffects', 'private', 'publishConfig', 'browserslist', '$schema', 'icon', 'preferGlobal'],
]);
const DEPENDENCY_KEYS = new Set(['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']);
const FREE_WHEN_NEW = new Set(['type', 'engines', 'peerDependenciesMeta']);

const Manifest = z.record(z.string(), z.unknown());
const Texts = z.record(z.string(), z.string());

/** Why a changed package.json needs a person, or nothing: ordinary dependencies, new scripts and descriptions are free. */
export function packageReason(
  base: string | undefined,
  candidate: string | undefined,
  commands: Commands,
): string | undefined {
  if (candidate === undefined) return 'package.json is removed';
  const before = base === undefined ? new Map<string, unknown>() : read(base);
  const after = read(candidate);
  if (before === undefined || after === undefined) return 'package.json cannot be read as JSON';
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const pair = { key, before: before.get(key), after: after.get(key) };
    if (JSON.stringify(pair.before) === JSON.stringify(pair.after) || FREE_KEYS.has(key)) continue;
    if (base === undefined && FREE_WHEN_NEW.has(key)) continue;
    const reason = keyReason(pair, commands);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Why a package.json whose own names lead elsewhere needs a person: one of them led to a helper of tests. */
export async function exportReason(
  path: string,
  { base, candidate }: { base: string | undefined; candidate: string | undefined },
  isHelper: (path: string) => Promise<boolean>,
): Promise<string | undefined> {
  const [before, after] = [base, candidate].map((text) => (text === undefined ? undefined : read(text)));
  for (const key of ['exports', 'main', 'module', 'browser']) {
    const targets = targetsIn(after?.get(key));
    for (const [name, target] of targetsIn(before?.get(key))) {
      const file = `${path.slice(0, -'package.json'.length)}${target.replace(/^\.\//, '')}`;
      if (targets.get(name) !== target && (await isHelper(file)))
        return `package.json changes "${key}", which led tests to ${file}`;
    }
  }
  return undefined;
}

/** The files that a map of exports names, by their names and conditions. */
function targetsIn(value: unknown, name = ''): Map<string, string> {
  if (typeof value === 'string') return new Map([[name, value]]);
  const map = Manifest.safeParse(value);
  if (!map.success) return new Map();
  return new Map(Object.entries(map.data).flatMap(([key, each]) => [...targetsIn(each, `${name} ${key}`)]));
}

/** The scripts of a package.json, or none if it has none that can be read. */
export function scriptsOf(text: string | undefined): Map<string, string> {
  return textsIn(text === undefined ? undefined : read(text)?.get('scripts')) ?? new Map();
}

function keyReason(pair: { key: string; before: unknown; after: unknown }, commands: Commands): string | undefined {
  if (pair.key === 'scripts') return scriptReason(pair.before, pair.after, commands);
  if (pair.key === 'imports' && onlyAdds(pair.before, pair.after)) return undefined;
  if (DEPENDENCY_KEYS.has(pair.key)) return dependencyReason(pair.before, pair.after);
  return `package.json changes "${pair.key}", which can decide how checks run`;
}

/** Whether a map of imports only gets names that nothing in it matched before. */
function onlyAdds(before: unknown, after: unknown): boolean {
  const [known, found] = [Manifest.safeParse(before ?? {}), Manifest.safeParse(after)];
  if (!known.success || !found.success) return false;
  const isSame = ([key, value]: [string, unknown]) => JSON.stringify(value) === JSON.stringify(found.data[key]);
  const added = Object.keys(found.data).filter((key) => !(key in known.data));
  const isPattern = (key: string) => key.includes('*');
  return Object.entries(known.data).every(isSame) && !added.some(isPattern) && !Object.keys(known.data).some(isPattern);
}

function scriptReason(beforeRaw: unknown, afterRaw: unknown, commands: Commands): string | undefined {
  const before = textsIn(beforeRaw);
  const after = textsIn(afterRaw);
  if (before === undefined || after === undefined) return 'package.json has scripts that are not texts';
  const { isOpaque } = commands;
  const seen = isOpaque ? [...commands.texts, ...before.values()] : commands.texts;
  const reached = new Set([...reachableScripts(before, seen), ...reachableScripts(after, seen)]);
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    if (before.get(name) === after.get(name)) continue;
    const isReached = reached.has(name) || (isOpaque && before.has(name));
    if (isReached) return `package.json changes the script "${name}", which a check can reach`;
  }
  return undefined;
}

function dependencyReason(beforeRaw: unknown, afterRaw: unknown): string | undefined {
  const before = textsIn(beforeRaw);
  const after = textsIn(afterRaw);
  if (before === undefined || after === undefined) return 'package.json has dependencies that are not texts';
  for (const [name, range] of after) {
    if (before.get(name) === range) continue;
    const isNewSibling = !before.has(name) && range.startsWith('workspace:');
    if (/[:/\\]/.test(range) && !isNewSibling) return `package.json points the dependency "${name}" at ${range}`;
  }
  return undefined;
}

function textsIn(value: unknown): Map<string, string> | undefined {
  if (value === undefined) return new Map();
  const parsed = Texts.safeParse(value);
  return parsed.success ? new Map(Object.entries(parsed.data)) : undefined;
}

function read(text: string): Map<string, unknown> | undefined {
  try {
    const parsed = Manifest.safeParse(JSON.parse(text));
    return parsed.success ? new Map(Object.entries(parsed.data)) : undefined;
  } catch {
    // Not JSON: the caller holds the file.
    return undefined;
  }
}

/** Runs of these programs read `scripts` of a package.json. */
export const SCRIPT_RUNNERS =
  /(^|[\s;&|("'])(npm|pnpm|yarn|bun|npx|corepack|turbo|nx|lerna|wireit|run-s|run-p|npm-run-all)(?=$|[\s;&|)"'])|--run\b/;
/** Words of a command that runs a script in several packages. */
export const WORKSPACES = /^(-w|-ws|--workspaces?(=.*)?|-r|--recursive|--filter(=.*)?|turbo|nx|lerna|foreach)$/;
/** Scripts that an installation runs by itself. */
const LIFECYCLE =
  /^(pre|post)?(install|prepare|pack|publish|version|dependencies)$|^prepublishOnly$|^(pre|post)?uninstall$/;
/** Names of scripts that these commands can reach, through each other, through pre and post, and through an installation. */
function reachableScripts(scripts: ReadonlyMap<string, string>, texts: readonly string[]): Set<string> {
  const reached = new Set<string>();
  const queue = [...scripts.keys()].filter((name) => LIFECYCLE.test(name));
  const read = (text: string) => queue.push(...namedScripts(text, scripts));
  for (const text of texts) read(text);
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    for (const around of [`pre${name}`, `post${name}`]) if (scripts.has(around)) queue.push(around);
    read(scripts.get(name) ?? '');
  }
  return reached;
}

/** Scripts that a text of commands names. */
export function namedScripts(text: string, scripts: ReadonlyMap<string, string>): string[] {
  return words(text).flatMap((word) => {
    if (/^(t|tst|it|cit|install-test)$/.test(word)) return scripts.has('test') ? ['test'] : [];
    if (scripts.has(word)) return [word];
    // A pattern with a slash or a dot is one of files, not of scripts; a bracket alone belongs to the shell.
    if (/[./]|^[{[(!+@]+$/.test(word)) return [];
    const start = /^[^*?{[(!+@]*(?=[*?{[(!+@])/.exec(word)?.[0];
    return start === undefined ? [] : [...scripts.keys()].filter((name) => name.startsWith(start));
  });
}

function words(text: string): string[] {
  return text.split(/[\s;&|()<>"'`=,]+/).filter((word) => word !== '');
}
