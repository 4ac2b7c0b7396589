import { z } from 'zod';

/** A manifest of which only some sections are free to change; all other text must stay as it is. */
interface SectionRules {
  free: RegExp;
  /** Keys that decide how checks run although their section is free. */
  heldKeys: RegExp;
}

const POINTED = /\b(git|path|url|registry|registry-index|file|workspace)\b\s*=|file:|git\+|:\/\/|\s@\s|"""|'''/;
const SECTION_RULES: ReadonlyMap<string, SectionRules> = new Map([
  [
    'pyproject.toml',
    {
      free: /^(project|project\.(urls|optional-dependencies|scripts)|dependency-groups|tool\.poetry|tool\.poetry\.(.+\.)?(dependencies|dev-dependencies|urls))$/,
      heldKeys: /^(entry-points|plugins|packages|include|dynamic|build)$/,
    },
  ],
  // What an installed package offers: programs are free, plug-ins are loaded by the runners that they are for.
  ['entry_points.txt', { free: /^(console_scripts|gui_scripts)$/, heldKeys: /^$/ }],
  ['setup.cfg', { free: /^(metadata|options\.extras_require)$/, heldKeys: /^$/ }],
  [
    'cargo.toml',
    {
      free: /^(package|dependencies|dev-dependencies|build-dependencies|target\..+\.(dev-|build-)?dependencies|workspace\.dependencies)$/,
      heldKeys: /^(build|autotests|autobins|autobenches|autoexamples|links|workspace|metadata|default-run)$/,
    },
  ],
]);
/** Longer lines are not written by hand, and matching a hostile one could take hours. */
const LONGEST_LINE = 2_000;
const LINE_RULES: ReadonlyMap<string, RegExp> = new Map([
  ['gemfile', /^\s*(#.*|gem\s+(['"])[\w.-]+\2(\s*,\s*(['"])[^'"]*\4)*\s*)?$/],
  [
    'requirements',
    /^\s*(#.*|[A-Za-z0-9][\w.-]*(\[[\w,\s.-]*\])?\s*([<>=!~]=?=?\s*[\w.*+!,<>=~\s-]+)?(;[^/:]*)?(#.*)?)?$/,
  ],
  [
    'go.mod',
    /^\s*(\/\/.*|go\s+[\d.]+\w*|require\s+\S+\s+v\S+.*|[\w.-]+\.[\w.-]+(\/\S+)?\s+v\S+(\s*\/\/.*)?|require\s+\(|\))?\s*$/,
  ],
]);

/** Whether this file is free to change in part; such a file is judged by `manifestReason`. */
export function isManifest(path: string): boolean {
  return ruleName(path) !== undefined;
}

/** Why a changed manifest needs a person, or nothing: dependencies from a registry, versions and descriptions are free. */
export function manifestReason(
  path: string,
  base: string | undefined,
  candidate: string | undefined,
): string | undefined {
  const name = ruleName(path);
  if (name === undefined) return undefined;
  if (candidate === undefined) return `${name} is removed`;
  const rules = SECTION_RULES.get(name);
  return rules ? sectionReason(rules, base ?? '', candidate) : lineReason(name, base ?? '', candidate);
}

function ruleName(path: string): string | undefined {
  const file = (path.split('/').at(-1) ?? '').toLowerCase();
  if (/^([\w.-]*-)?requirements([\w.-]*)\.(txt|in)$/.test(file)) return 'requirements';
  if (file === 'gems.rb') return 'gemfile';
  if (file === 'entry_points.txt' && !/\.(egg|dist)-info\/[^/]+$/i.test(path)) return undefined;
  return SECTION_RULES.has(file) || LINE_RULES.has(file) ? file : undefined;
}

function sectionReason(rules: SectionRules, base: string, candidate: string): string | undefined {
  const before = splitSections(rules, base);
  const after = splitSections(rules, candidate);
  if (before.held !== after.held) return 'changes a section that can decide how checks run';
  const line = changedLines(before.free, after.free).find((text) => isHeldLine(rules, text));
  return line === undefined ? undefined : `changes what is built or where it comes from: ${line.trim().slice(0, 80)}`;
}

function splitSections(rules: SectionRules, text: string): { held: string; free: string[] } {
  const held: string[] = [];
  const free: string[] = [];
  let isFree = false;
  for (const line of text.split(/\r?\n/)) {
    const header = line.length > LONGEST_LINE ? '' : /^\s*\[\[?\s*([^\]]+?)\s*\]/.exec(line)?.[1];
    if (header !== undefined) isFree = !line.trim().startsWith('[[') && rules.free.test(header);
    if (line.trim() !== '' && !/^\s*#/.test(line)) (isFree ? free : held).push(line.trimEnd());
  }
  return { held: held.join('\n'), free };
}

function isHeldLine(rules: SectionRules, line: string): boolean {
  if (line.length > LONGEST_LINE) return true;
  if (/^\s*\[/.test(line)) return false;
  if (/^\s*(?:(["'])[^"'\\]*\1\s*,?\s*)+(#.*)?$/.test(line)) return POINTED.test(line);
  const key = /^\s*([^\s=]+)\s*=/.exec(line)?.[1];
  const isDotted = key !== undefined && /["'.]/.test(key);
  const isAddress = /^\s*(homepage|repository|documentation|readme|license|[\w-]+)\s*=\s*"https?:\/\/[^"]*"\s*$/i.test(
    line,
  );
  return isDotted || (key !== undefined && rules.heldKeys.test(key)) || (POINTED.test(line) && !isAddress);
}

function lineReason(name: string, base: string, candidate: string): string | undefined {
  const rule = LINE_RULES.get(name);
  const line = changedLines(base.split(/\r?\n/), candidate.split(/\r?\n/)).find(
    (text) => text.length > LONGEST_LINE || !rule?.test(text),
  );
  return line === undefined ? undefined : `changes more than dependencies of a registry: ${line.trim().slice(0, 80)}`;
}

function changedLines(before: readonly string[], after: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of before) counts.set(line, (counts.get(line) ?? 0) + 1);
  for (const line of after) counts.set(line, (counts.get(line) ?? 0) - 1);
  return [...counts].flatMap(([line, count]) => (count === 0 ? [] : [line]));
}

const LOCKFILES = new Set([
  ...['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'bun.lockb', 'deno.lock'],
  ...['cargo.lock', 'go.sum', 'gemfile.lock', 'gems.locked', 'poetry.lock', 'uv.lock', 'pdm.lock', 'pipfile.lock'],
  ...['composer.lock', 'mix.lock', 'pubspec.lock', 'packages.lock.json', 'gradle.lockfile', 'flake.lock'],
]);
const SOURCE =
  /\b(?:resolved|tarball|source|resolution|remote|repo|directory)\b["':={ ]{0,8}(?:(?:tarball|type|registry|git|url|path|directory|editable)\b["':= ]{1,8})?([a-z+]+:[^\s"',}]+|\.{0,2}\/[^\s"',}]*)/gi;
const NpmLock = z.object({ packages: z.record(z.string(), z.object({ link: z.boolean().optional() })) });

/** Whether a file pins dependencies; those are free to change but part of the set-up's hash. */
export function isLockfile(path: string): boolean {
  return LOCKFILES.has((path.split('/').at(-1) ?? '').toLowerCase());
}

/** Why a changed lockfile needs a person, or nothing: it takes a package from a new origin that the settings do not allow. */
export function lockfileReason(
  base: string | undefined,
  candidate: string | undefined,
  registries: readonly string[],
): string | undefined {
  if (candidate === undefined) return undefined;
  const [before, after] = [plainText(base ?? ''), plainText(candidate)];
  if (after.includes('\\') && !before.includes('\\'))
    return 'spells something with escapes, which could hide an address';
  const known = new Set([...sources(before), ...registries.map((registry) => registry.toLowerCase())]);
  const foreign = sources(after).find((source) => !known.has(source));
  if (foreign !== undefined) return `takes a package from ${foreign}, where none came from before`;
  const linked = newlyLinked(before, after);
  return linked === undefined ? undefined : `replaces ${linked} by a folder of the repository`;
}

/** The text without spellings that mean the same: escapes of JSON, and white space. */
function plainText(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    // Not JSON, as most lockfiles are not.
    return text.replace(/\s+/g, ' ');
  }
}

function sources(text: string): string[] {
  return [...text.matchAll(SOURCE)].map((match) => {
    const address = match[1] ?? '';
    return /^([a-z+]+:\/\/[^/]+)/i.exec(address)?.[1]?.toLowerCase() ?? address;
  });
}

function newlyLinked(base: string, candidate: string): string | undefined {
  const before = npmPackages(base);
  for (const [name, entry] of npmPackages(candidate)) {
    const known = before.get(name);
    if (entry.link === true && known !== undefined && known.link !== true) return name;
  }
  return undefined;
}

function npmPackages(text: string): Map<string, { link?: boolean | undefined }> {
  if (!text.trimStart().startsWith('{')) return new Map();
  try {
    const parsed = NpmLock.safeParse(JSON.parse(text));
    return parsed.success ? new Map(Object.entries(parsed.data.packages)) : new Map();
  } catch {
    // Not JSON: npm refuses such a lockfile, so it installs nothing.
    return new Map();
  }
}
