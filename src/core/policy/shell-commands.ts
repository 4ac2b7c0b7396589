import { expandedLine, SHELLS, spellingsOf, UNKNOWN } from './command-spellings.ts';

/** One simple command of a command line, as far as it can be known without running it; `forms` are its spellings, as written first. */
type SimpleCommand = { text: string; forms: string[]; writes: string[] };

/** A command line; `isOpaque`: it runs or writes what only the shell knows, so that no rule may allow it. */
export type CommandLine = { commands: SimpleCommand[]; isOpaque: boolean };

/** Programs all of whose operands they write to, and those whose last operand it is. */
const WRITES_ALL = new Set(['rm', 'rmdir', 'unlink', 'shred', 'mv', 'touch', 'truncate', 'tee', 'chmod', 'chown']);
const WRITES_LAST = new Set(['cp', 'ln', 'install', 'sed', 'perl']);
const EDITS_IN_PLACE = /^-[a-z]*i/;
/** Redirections to descriptors and to and from files, operators, then words made of quoted and plain parts. */
const WORD = String.raw`(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s;|&<>()'"\\])+`;
const TOKEN = new RegExp(
  String.raw`(?<!<)\d*<(?![<>(&])\s*${WORD}|\d*[<>]&(?:\d+|-)(?![^\s;|&()<>])|(>&|\d?>>?\|?|&>>?)|(&&|\|\||[;|&\n()])|(${WORD})`,
  'g',
);
/** An operator in quotes may be one for the shell after all, if it reads the quotes in another way. */
const OPAQUE = /`|\$\(|<\(|>\(|\n|['"][^'"]*[;|&][^'"]*['"]/;
const SUBSTITUTED = /\$\(([^()]*)\)|`([^`]*)`/g;
const LONGEST_COMMAND = 20_000;
const DEEPEST = 4;
/** The syntax of agents for a shell command among patterns of tools. */
const SHELL_PATTERN = /^(?:Bash|ShellTool|run_shell_command)\((.+)\)$/;

/** The shell command prefixes of tool patterns in any agent's syntax: `Bash(git push *)` is `git push`. */
export function shellPrefixes(patterns: readonly string[]): string[] {
  return patterns.flatMap((pattern) => SHELL_PATTERN.exec(pattern)?.[1]?.replace(/[\s:]*\*$/, '') ?? []);
}

/** The simple commands of a command line, also those that it hands to a shell or substitutes. */
export function parseCommandLine(line: string, depth = 0): CommandLine {
  const text = withoutShell(line.slice(0, LONGEST_COMMAND));
  const { commands, hasUnknownTarget } = splitCommands(text);
  const isOpaque = hasUnknownTarget || OPAQUE.test(text) || line.length > LONGEST_COMMAND;
  if (depth >= DEEPEST) return { commands, isOpaque: true };
  const inner = [
    ...commands.flatMap(({ forms }) => forms.map(shellArgument).find((argument) => argument !== undefined) ?? []),
    ...[...text.matchAll(SUBSTITUTED)].map(([, substituted, quoted]) => substituted ?? quoted ?? ''),
    expandedLine(text),
  ].filter((each) => each.trim() !== '' && each !== text);
  const nested = inner.flatMap((each) => parseCommandLine(each, depth + 1).commands);
  return { commands: [...commands, ...nested], isOpaque };
}

/** Whether a command begins with these words. */
export function startsWithWords(command: string, words: string): boolean {
  return command === words || command.startsWith(`${words} `);
}

/** A relative path counts only where no `cd` comes before it. */
function splitCommands(text: string): { commands: SimpleCommand[]; hasUnknownTarget: boolean } {
  const found: SimpleCommand[] = [];
  let words: string[] = [];
  let known: string[] = [];
  let targets: string[] = [];
  let isRedirected = false;
  let hasMoved = false;
  let hasUnknownTarget = false;
  const end = () => {
    if (words.length > 0 || targets.length > 0) {
      hasMoved ||= words[0] === 'cd' || words[0] === 'pushd';
      const writes = [...targets, ...targetsOf(known)].filter((path) => path.startsWith('/') || !hasMoved);
      const command = words.join(' ');
      found.push({ text: command, forms: spellingsOf(words), writes });
    }
    words = [];
    known = [];
    targets = [];
  };
  for (const [, redirect, operator, word] of text.matchAll(TOKEN)) {
    if (redirect !== undefined) {
      isRedirected = true;
      // Before a redirection, the variable that gets its descriptor.
      if (/^\{\w+\}$/.test(words.at(-1) ?? '')) words.pop();
    }
    if (operator !== undefined) {
      isRedirected = false;
      end();
    } else if (word !== undefined) {
      const plain = unquoted(word);
      const isKnown = !UNKNOWN.test(word);
      if (isRedirected && isKnown) targets.push(plain);
      hasUnknownTarget ||= isRedirected && !isKnown;
      if (!isRedirected) words.push(plain);
      if (!isRedirected && isKnown) known.push(plain);
      isRedirected = false;
    }
  }
  end();
  return { commands: found, hasUnknownTarget };
}

/** The command that a shell gets as its argument: `sh -c 'git push'`; quotes are already removed. */
function shellArgument(form: string): string | undefined {
  const [program = '', ...rest] = form.split(' ');
  if (program === 'eval') return rest.join(' ');
  if (!SHELLS.test(program.slice(program.lastIndexOf('/') + 1))) return undefined;
  const at = rest.findIndex((word) => /^-\w*c$/.test(word));
  const argument = at < 0 ? [] : rest.slice(rest[at + 1] === '--' ? at + 2 : at + 1);
  return at < 0 ? undefined : argument.join(' ');
}

/** A command without the shell that runs it. */
function withoutShell(command: string): string {
  return /^(?:\S*\/)?(?:ba|z)?sh -l?c (?:-- )?(['"]?)([\s\S]*)\1$/.exec(command)?.[2] ?? command;
}

function targetsOf(words: readonly string[]): string[] {
  const at = words.findIndex((word) => !/^\w+=/.test(word) && word !== 'sudo' && word !== 'command');
  const program = words[at] ?? '';
  const rest = words.slice(at + 1);
  const operands = rest.filter((word) => !word.startsWith('-'));
  if (WRITES_ALL.has(program)) return operands;
  if (program === 'git') return outputOf(rest);
  if (!WRITES_LAST.has(program)) return [];
  const isEditor = program === 'sed' || program === 'perl';
  if (isEditor && !rest.some((word) => EDITS_IN_PLACE.test(word) || word.startsWith('--in-place'))) return [];
  return operands.slice(1).slice(-1);
}

/** Git takes the file for a difference as an option, also abbreviated. */
function outputOf(words: readonly string[]): string[] {
  return words.flatMap((word, at) => {
    const [, , value] = /^--ou(?:t|tp|tpu|tput)?(=(.*))?$/s.exec(word) ?? [];
    if (value !== undefined) return value;
    return /^--ou(?:t|tp|tpu|tput)?$/.test(word) ? (words[at + 1] ?? []) : [];
  });
}

function unquoted(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g,
    (_, single?: string, double?: string, escaped?: string) => {
      return single ?? double?.replace(/\\(["\\])/g, '$1') ?? escaped ?? '';
    },
  );
}
