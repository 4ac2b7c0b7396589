import picomatch from 'picomatch';
import { type CommandGateSpec, commandText, quoted } from '../gate-kinds.ts';
import { packageOf, type WorkspacePackage } from './workspace-graph.ts';

type Command = CommandGateSpec['run'];

/** The values of the placeholders of a command. */
export type Selection = { packages: readonly string[]; changed: readonly string[] };

const PLACEHOLDER = /\{(?:packages|changed(?::[^{}]*)?)\}/;
/** A word of a shell text that contains a placeholder, with the option before it. */
const TEMPLATE_WORD =
  /(?<option>(?<=^|\s)--?[\w-]+\s+)?(?<word>[^\s;&|()<>]*\{(?:packages|changed(?::[^{}]*)?)\}[^\s;&|()<>]*)/g;
/** Options of package managers that select one package each. */
const SELECTS_PACKAGE = /^(-w|--workspace|-F|--filter|--filter-prod|-p|--package|--include|--scope)$/;
/** Linux limits one argument to 128 KiB; the text of a shell command is one. */
const MAX_COMMAND_BYTES = 100_000;
/** Files in any folder that decide how all packages are built. */
const SHARED_FILES = /^(Cargo\.(toml|lock)|go\.(mod|sum|work|work\.sum)|rust-toolchain(\.toml)?|\.cargo\/.*)$/;

/** Whether a check runs only on what a candidate affects. */
export function isAffectedOnly(gate: CommandGateSpec): boolean {
  return PLACEHOLDER.test(commandText(gate));
}

/** Whether a check needs the packages of a workspace. */
export function needsPackages(gate: CommandGateSpec): boolean {
  return commandText(gate).includes('{packages}');
}

/**
 * The packages that a change affects, and those that need them, with the dependencies of both commits. A file outside of
 * every package affects all of them, unless it is documentation.
 */
export function affectedPackages(options: {
  base: readonly WorkspacePackage[];
  candidate: readonly WorkspacePackage[];
  changed: readonly string[];
  isDocumentation(path: string): boolean;
}): Set<string> {
  const { base, candidate, changed, isDocumentation } = options;
  const all = [...base, ...candidate];
  const affected = new Set<string>();
  for (const path of changed) {
    const owners = [packageOf(path, base), packageOf(path, candidate)].filter((owner) => owner !== undefined);
    if (owners.length === 0 && isDocumentation(path)) continue;
    if (owners.length === 0 || SHARED_FILES.test(path)) return new Set(all.map(({ name }) => name));
    for (const { name } of owners) affected.add(name);
  }
  const users = new Map<string, string[]>();
  for (const { name, needs } of all) for (const need of needs) users.set(need, [...(users.get(need) ?? []), name]);
  // A set that grows while it is iterated also visits what is added.
  for (const name of affected) for (const user of users.get(name) ?? []) affected.add(user);
  return affected;
}

/**
 * A command with its placeholders replaced. A word with a placeholder is repeated for each value, together with an option
 * before `{packages}` that selects one package; undefined where a placeholder has no value, so that there is nothing to check.
 */
export function expandCommand(run: Command, selection: Selection): Command | undefined {
  const placeholders = placeholdersOf(run);
  if (placeholders.some((placeholder) => valuesOf(placeholder, selection).length === 0)) return undefined;
  if (typeof run === 'string') return shellWords(run).replaced((word) => expandShellWord(word, selection));
  return run.flatMap((word, index) => {
    const isOptionOf = (at: number) => SELECTS_PACKAGE.test(run[at] ?? '') && run[at + 1] === '{packages}';
    if (isOptionOf(index)) return [];
    const option = isOptionOf(index - 1) ? [run[index - 1] ?? ''] : [];
    return expandWord(word, selection).flatMap((each) => [...option, each]);
  });
}

/** Whether a command is short enough to be started. */
export function isStartable(run: Command): boolean {
  return Buffer.byteLength(typeof run === 'string' ? run : run.join(' ')) <= MAX_COMMAND_BYTES;
}

/** The first value that cannot be part of a quoted text of a shell command. */
export function unquotable(run: Command, selection: Selection): string | undefined {
  if (typeof run !== 'string') return undefined;
  for (const { placeholder, isQuoted } of shellWords(run).words) {
    const found = isQuoted ? valuesOf(placeholder, selection).find((value) => quoted(value) !== value) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A word of a shell text with a placeholder, and the option before it with the space between them. */
type TemplateWord = { option: string; word: string; placeholder: string; isQuoted: boolean };

/** The words of a shell text that have a placeholder; quotes around nothing but a placeholder are left out. */
function shellWords(run: string): { words: TemplateWord[]; replaced(by: (word: TemplateWord) => string): string } {
  const text = run.replace(/(["'])(\{(?:packages|changed(?::[^{}]*)?)\})\1/g, '$2');
  const found = [...text.matchAll(TEMPLATE_WORD)].map(({ 0: whole, index, groups }) => {
    const [placeholder = ''] = PLACEHOLDER.exec(whole) ?? [];
    const isQuoted = openQuote(text.slice(0, index + whole.indexOf(placeholder))) !== undefined;
    return { option: groups?.option ?? '', word: groups?.word ?? whole, placeholder, isQuoted, whole, index };
  });
  const replaced = (by: (word: TemplateWord) => string) => {
    let end = 0;
    const parts = found.map((each) => {
      const before = text.slice(end, each.index);
      end = each.index + each.whole.length;
      return `${before}${by(each)}`;
    });
    return `${parts.join('')}${text.slice(end)}`;
  };
  return { words: found, replaced };
}

function placeholdersOf(run: Command): string[] {
  if (typeof run === 'string') return shellWords(run).words.map(({ placeholder }) => placeholder);
  return run.flatMap((word) => PLACEHOLDER.exec(word)?.[0] ?? []);
}

function expandShellWord({ option, word, placeholder, isQuoted }: TemplateWord, selection: Selection): string {
  const isRepeated = word === '{packages}' && SELECTS_PACKAGE.test(option.trim());
  const each = valuesOf(placeholder, selection).map((value) => {
    const filled = word.replace(placeholder, () => (isQuoted ? value : quoted(value)));
    return isRepeated ? `${option}${filled}` : filled;
  });
  return isRepeated ? each.join(' ') : `${option}${each.join(' ')}`;
}

function expandWord(word: string, selection: Selection): string[] {
  const [placeholder] = PLACEHOLDER.exec(word) ?? [];
  if (placeholder === undefined) return [word];
  return valuesOf(placeholder, selection).map((value) => word.replace(placeholder, () => value));
}

/** `{changed:*.ts,*.tsx}` selects among the changed files; a glob without a slash matches in every folder. */
function valuesOf(placeholder: string, { packages, changed }: Selection): readonly string[] {
  if (placeholder === '{packages}') return packages;
  const globs = placeholder
    .slice('{changed:'.length, -1)
    .split(',')
    .filter((glob) => glob !== '');
  const isMatch = globs.length === 0 ? () => true : picomatch(globs, { dot: true, basename: true });
  return changed.filter((path) => isMatch(path)).map((path) => (path.startsWith('-') ? `./${path}` : path));
}

/** The quote that is open at the end of a shell text. */
function openQuote(text: string): string | undefined {
  let quote: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '\\' && quote !== "'") at += 1;
    else if (quote === undefined ? char === "'" || char === '"' : char === quote)
      quote = quote === undefined ? char : undefined;
  }
  return quote;
}
