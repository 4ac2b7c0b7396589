/** Stands for a program whose name only the shell knows: `$x push`. */
export const UNKNOWN_PROGRAM = '\u0001';

/** Programs and words of the shell that run the command behind them, somewhere after their own options. */
const RUNNERS = new Set([
  ...['sudo', 'doas', 'command', 'builtin', 'env', 'nohup', 'time', 'exec', 'xargs', 'timeout', 'nice', 'ionice'],
  ...['setsid', 'stdbuf', 'chroot', 'unshare', 'nsenter', 'flock', 'strace', 'ltrace', 'watch', 'parallel', 'script'],
  ...['su', 'runuser', 'ssh', 'trap', 'find', 'busybox', 'taskset', 'chrt', 'systemd-run', 'unbuffer', 'coproc'],
  ...['pkexec', 'setpriv', 'prlimit', 'numactl', 'fakeroot', 'caffeinate', 'perf', 'valgrind', 'npx', 'bunx', 'entr'],
  ...['tmux', 'screen', 'source', '.'],
  ...['if', 'then', 'elif', 'else', 'while', 'until', 'do', '!', '{', 'function'],
]);
/** Those that also take the command as one word, or directly behind the letter of an option. */
const TAKES_TEXT = new Set([
  ...['env', 'watch', 'parallel', 'script', 'su', 'runuser', 'ssh', 'trap', 'tmux', 'screen', 'source', '.', 'entr'],
]);
/** Subcommands and options of any program behind which it takes a command, also as one word: `mise exec -- git`, `git rebase --exec 'make'`. */
const TAKES_COMMAND = new Set(['exec', 'run', 'foreach', '--exec', '--run', '-x']);
export const SHELLS = /^(?:ba|da|z|k|a|fi|mk|c|tc)?sh$/;
/** Options of git itself whose value is the next word. */
const GIT_OPTIONS = new Set([
  ...['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path', '--config-env', '--attr-source'],
  '--super-prefix',
]);
const GIT_ALIAS = /^alias\.[^=]+=(!?)(.*)$/s;
/** What the shell would make something else of is not known from here. */
export const UNKNOWN = /[$`*?~{[]/;
/** A command line can have any number of them. */
const MOST_STARTS = 30;
const MOST_REPLACED = 20;

const VALUE = `'[^']*'|"[^"$\`]*"|[^\\s;|&()'"$\`]+`;
const ASSIGNMENT = new RegExp(`(?:^|[\\s;&|(])([A-Za-z_]\\w*)=(${VALUE})`, 'g');
const ALIAS = new RegExp(`\\balias\\s+([\\w.-]+)=(${VALUE})`, 'g');
const WORD_OF_BRACES = /(?<=^|[\s;&|(])\{([^{}\s]*,[^{}\s]*)\}(?=$|[\s;&|)])/g;
const ESCAPED = /\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)/g;
const PIPED_TO_SHELL = /\|&?\s*(?:\S*\/)?(?:ba|da|z|k|a)?sh(?=\s*(?:$|[;|&\n-]))/;
const PRINTED = /(?:^|[;&|(\n])\s*(?:echo|printf)\s+(?:-[neE]+\s+|(['"]?)%s(?:\\n)?\1\s+)*([^|]*)\|/g;
/** What is substituted for a command is known only to the shell. */
const SUBSTITUTED = /\$\([^()]*\)|`[^`]*`/g;
const ANYTHING = '$?';

/** A command line as a shell reads it, as far as its own text says: continued lines, quotes with escapes, separators, braces, and the variables and aliases that it sets. */
export function expandedLine(text: string): string {
  const plain = text
    .replaceAll(/\\\r?\n/g, '')
    .replaceAll(SUBSTITUTED, ANYTHING.replace('$', '$$$$'))
    .replaceAll(/\$'((?:[^'\\]|\\.)*)'/g, (_, quoted: string) => `'${unescaped(quoted).replaceAll("'", '')}'`)
    .replaceAll(/\$(?=")/g, '')
    .replaceAll(/\$\{?IFS\}?(?:\$\d)?/g, ' ')
    .replaceAll(WORD_OF_BRACES, (_, list: string) => list.replaceAll(',', ' '));
  const values = new Map([...plain.matchAll(ASSIGNMENT)].map(([, name = '', value = '']) => [name, bare(value)]));
  const aliases = [...plain.matchAll(ALIAS)]
    .slice(0, MOST_REPLACED)
    .map(([, name = '', value = '']) => [name, bare(value)] as const);
  const replaced = plain.replaceAll(/\$(?:\{(\w+)\}|(\w+))/g, (whole, braced?: string, name?: string) => {
    return values.get(braced ?? name ?? '') ?? whole;
  });
  const named = aliases.reduce(
    (line, [name, value]) => line.replaceAll(startOf(name), (_, before: string) => `${before}${value}`),
    replaced,
  );
  const printed = PIPED_TO_SHELL.test(named)
    ? [...named.matchAll(PRINTED)].slice(0, MOST_REPLACED).map(([, , words = '']) => bare(words))
    : [];
  return [named, ...printed].join('\n');
}

/** The spellings of a command by which rules may refuse it: as written first, then without what runs it, variables, the folder of the program and options of git. */
export function spellingsOf(words: readonly string[]): string[] {
  const spellings = startsOf(words).flatMap((start) => [start, ...plainForms(start)]);
  return [...new Set([words, ...spellings].map((form) => form.join(' ')).filter((form) => form !== ''))];
}

/** The command itself, and each place behind a runner at which another one may begin. */
function startsOf(words: readonly string[]): (readonly string[])[] {
  const own = words.slice(
    Math.max(
      0,
      words.findIndex((word) => !isAssignment(word)),
    ),
  );
  const name = nameOf(own[0] ?? '');
  const isShell = SHELLS.test(name);
  const isRunner = RUNNERS.has(name) || isShell;
  // `git run` would be an alias, of which nothing is known.
  const taking = isRunner ? 0 : own.findIndex((word, at) => at > 0 && TAKES_COMMAND.has(word));
  if (taking < 0) return [own];
  const takesText = !isRunner || isShell || TAKES_TEXT.has(name);
  const starts = own.slice(taking + 1, MOST_STARTS).flatMap((word, at) => {
    if (isAssignment(word) || (/\s/.test(word) && !takesText)) return [];
    if (word.startsWith('-')) return takesText ? textOfOption(word).map((text) => [text]) : [];
    return [own.slice(taking + 1 + at)];
  });
  return [own, ...starts];
}

/** The command that follows the letters or the name of an option in the same word: `-cgit push`, `--split-string=git push`. */
function textOfOption(word: string): string[] {
  if (!/\s/.test(word)) return [];
  if (word.startsWith('--')) return [word.slice(word.indexOf('=') + 1)];
  return [word.slice(2), word.slice(3)];
}

function plainForms([program = '', ...rest]: readonly string[]): (readonly string[])[] {
  const named = [nameOf(program), ...rest];
  if (UNKNOWN.test(program)) return [named, [UNKNOWN_PROGRAM, ...rest]];
  return named[0] === 'git' ? [named, ...gitForms(rest)] : [named];
}

function gitForms(words: readonly string[]): string[][] {
  let at = 0;
  while (at < words.length && (words[at] ?? '').startsWith('-')) at += GIT_OPTIONS.has(words[at] ?? '') ? 2 : 1;
  const aliases = words.slice(0, at).flatMap((word) => {
    const [, isProgram, value] = GIT_ALIAS.exec(word.replace(/^-c/, '')) ?? [];
    if (value === undefined) return [];
    return [isProgram === '!' ? [value] : ['git', value]];
  });
  return [['git', ...words.slice(at)], ...aliases];
}

/** The name of a program without its folder; some file systems do not tell capitals apart. */
function nameOf(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1).toLowerCase();
}

function isAssignment(word: string): boolean {
  return /^\w+(?:\[[^\]]*\])?\+?=/.test(word);
}

function startOf(name: string): RegExp {
  return new RegExp(`(^|[;&|(\\n]\\s*)${name.replaceAll('.', '\\.')}(?=\\s|$)`, 'g');
}

function bare(value: string): string {
  return value.trim().replaceAll(/^(['"])(.*)\1$/gs, '$2');
}

function unescaped(text: string): string {
  return text.replaceAll(ESCAPED, (_, code: string) => {
    if (/^x/.test(code)) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /^[0-7]/.test(code) ? String.fromCharCode(Number.parseInt(code, 8) & 0xff) : code;
  });
}
