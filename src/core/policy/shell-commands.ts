/**
 * One simple command of a command line, as far as it can be known without running it. `forms` are the spellings by which
 * rules may refuse it: as written first, then without wrappers, variables, the folder of the program and options of git.
 */
type SimpleCommand = { text: string; forms: string[]; writes: string[] };

/** A command line; `isOpaque`: it runs what only the shell knows, so that no rule may allow it. */
export type CommandLine = { commands: SimpleCommand[]; isOpaque: boolean };

/** Programs all of whose operands they write to, and those whose last operand it is. */
const WRITES_ALL = new Set(['rm', 'rmdir', 'unlink', 'shred', 'mv', 'touch', 'truncate', 'tee', 'chmod', 'chown']);
const WRITES_LAST = new Set(['cp', 'ln', 'install', 'sed', 'perl']);
const EDITS_IN_PLACE = /^-[a-z]*i/;
/** Operators, then words made of quoted and plain parts. */
const TOKEN = /(\d?>>?\|?|&>>?)|(&&|\|\||[;|&\n()])|((?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s;|&<>()'"\\])+)/g;
/** What the shell would make something else of is not known from here. */
const UNKNOWN = /[$`*?~{[]/;
/** An operator in quotes may be one for the shell after all, if it reads the quotes in another way. */
const OPAQUE = /`|\$\(|<\(|>\(|\n|['"][^'"]*[;|&][^'"]*['"]/;
const SUBSTITUTED = /\$\(([^()]*)\)|`([^`]*)`/g;
const LONGEST_COMMAND = 20_000;
const DEEPEST = 4;
/** Programs that run the command behind their own options; a number or an assignment may come before it. */
const WRAPPERS = new Set([
  'sudo',
  'command',
  'env',
  'nohup',
  'time',
  'exec',
  'xargs',
  'timeout',
  'nice',
  'setsid',
  'stdbuf',
  'doas',
]);
const SHELLS = /^(?:ba|da|z|k)?sh$/;
/** Options of git itself whose value is the next word. */
const GIT_OPTIONS = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path', '--config-env']);

/** The syntax of agents for a shell command among patterns of tools. */
const SHELL_PATTERN = /^(?:Bash|ShellTool|run_shell_command)\((.+)\)$/;

/** The shell command prefixes of tool patterns in any agent's syntax: `Bash(git push *)` is `git push`. */
export function shellPrefixes(patterns: readonly string[]): string[] {
  return patterns.flatMap((pattern) => SHELL_PATTERN.exec(pattern)?.[1]?.replace(/[\s:]*\*$/, '') ?? []);
}

/** The simple commands of a command line, also those that it hands to a shell or substitutes. */
export function parseCommandLine(line: string, depth = 0): CommandLine {
  const text = withoutShell(line.slice(0, LONGEST_COMMAND));
  const commands = splitCommands(text);
  if (depth >= DEEPEST) return { commands, isOpaque: true };
  const inner = [
    ...commands.flatMap(({ forms }) => forms.flatMap((form) => shellArgument(form) ?? [])),
    ...[...text.matchAll(SUBSTITUTED)].map(([, substituted, quoted]) => substituted ?? quoted ?? ''),
  ].filter((each) => each.trim() !== '' && each !== text);
  const nested = inner.flatMap((each) => parseCommandLine(each, depth + 1).commands);
  return { commands: [...commands, ...nested], isOpaque: OPAQUE.test(text) || line.length > LONGEST_COMMAND };
}

/** The paths that a command line plainly writes to. It errs on the side of seeing too little. */
export function writtenPaths(line: string): string[] {
  return parseCommandLine(line).commands.flatMap(({ writes }) => writes);
}

/** Whether a command begins with these words. */
export function startsWithWords(command: string, words: string): boolean {
  return command === words || command.startsWith(`${words} `);
}

/** A relative path counts only where no `cd` comes before it. */
function splitCommands(text: string): SimpleCommand[] {
  const found: SimpleCommand[] = [];
  let words: string[] = [];
  let known: string[] = [];
  let targets: string[] = [];
  let isRedirected = false;
  let hasMoved = false;
  const end = () => {
    if (words.length > 0 || targets.length > 0) {
      hasMoved ||= words[0] === 'cd' || words[0] === 'pushd';
      const writes = [...targets, ...targetsOf(known)].filter((path) => path.startsWith('/') || !hasMoved);
      const command = words.join(' ');
      found.push({ text: command, forms: formsOf(words), writes });
    }
    words = [];
    known = [];
    targets = [];
  };
  for (const [, redirect, operator, word] of text.matchAll(TOKEN)) {
    if (redirect !== undefined) isRedirected = true;
    else if (operator !== undefined) {
      // `>&2` goes to no file.
      isRedirected = false;
      end();
    } else if (word !== undefined) {
      const plain = unquoted(word);
      const isKnown = !UNKNOWN.test(word);
      if (isRedirected && isKnown) targets.push(plain);
      if (!isRedirected) words.push(plain);
      if (!isRedirected && isKnown) known.push(plain);
      isRedirected = false;
    }
  }
  end();
  return found;
}

function formsOf(words: readonly string[]): string[] {
  const bare = unwrapped(words);
  const [program = '', ...rest] = bare;
  const named = [program.slice(program.lastIndexOf('/') + 1), ...rest];
  const forms = [words, bare, named, named[0] === 'git' ? withoutGitOptions(named) : named];
  return [...new Set(forms.map((form) => form.join(' ')).filter((form) => form !== ''))];
}

/** The words without variables and programs that only run others. */
function unwrapped(words: readonly string[]): readonly string[] {
  let rest = words;
  for (;;) {
    const [first = '', ...others] = rest;
    const name = first.slice(first.lastIndexOf('/') + 1);
    if (/^\w+=/.test(first)) rest = others;
    else if (WRAPPERS.has(name) && others.length > 0) {
      const at = others.findIndex((word) => !/^(-|\d+[smhd]?$|\w+=)/.test(word));
      if (at < 0) return rest;
      rest = others.slice(at);
    } else return rest;
  }
}

function withoutGitOptions([git = '', ...words]: readonly string[]): string[] {
  let at = 0;
  while (at < words.length && (words[at] ?? '').startsWith('-')) at += GIT_OPTIONS.has(words[at] ?? '') ? 2 : 1;
  return [git, ...words.slice(at)];
}

/** The command that a shell gets as its argument: `sh -c 'git push'`; quotes are already removed. */
function shellArgument(form: string): string | undefined {
  const [program = '', ...rest] = form.split(' ');
  if (program === 'eval') return rest.join(' ');
  if (!SHELLS.test(program.slice(program.lastIndexOf('/') + 1))) return undefined;
  const at = rest.findIndex((word) => /^-\w*c$/.test(word));
  return at < 0 ? undefined : rest.slice(at + 1).join(' ');
}

/** A command without the shell that runs it. */
function withoutShell(command: string): string {
  return /^(?:\S*\/)?(?:ba|z)?sh -l?c (['"]?)([\s\S]*)\1$/.exec(command)?.[2] ?? command;
}

function targetsOf(words: readonly string[]): string[] {
  const at = words.findIndex((word) => !/^\w+=/.test(word) && word !== 'sudo' && word !== 'command');
  const program = words[at] ?? '';
  const rest = words.slice(at + 1);
  const operands = rest.filter((word) => !word.startsWith('-'));
  if (WRITES_ALL.has(program)) return operands;
  if (!WRITES_LAST.has(program)) return [];
  const isEditor = program === 'sed' || program === 'perl';
  if (isEditor && !rest.some((word) => EDITS_IN_PLACE.test(word) || word.startsWith('--in-place'))) return [];
  return operands.slice(1).slice(-1);
}

function unquoted(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g,
    (_, single?: string, double?: string, escaped?: string) => {
      return single ?? double?.replace(/\\(["\\])/g, '$1') ?? escaped ?? '';
    },
  );
}
