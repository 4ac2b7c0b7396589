import { SHELLS, type ShellCommand } from './shell-commands.ts';

/**
 * How a command uses a file that it names. `run`: executes it; `module`: executes it by its module name; `configuration`: is configured by it;
 * `test`: gives it to a test runner; `compared`: compares with it. A file that is only read or inspected is not used.
 */
export type Use = { word: string; how: 'run' | 'module' | 'configuration' | 'test' | 'compared' };

const INTERPRETERS =
  /^(node|nodejs|bun|deno|tsx|ts-node|jiti|babel-node|esno|python[\d.]*|pypy[\d.]*|ruby|perl|php|lua|Rscript|julia|groovy|elixir|escript)$/;
export const TEST_RUNNERS =
  /^(vitest|jest|mocha|ava|tap|tape|jasmine|cypress|playwright|pytest|py\.test|unittest|nose2?|rspec|phpunit|pest|bats|busted|minitest|prove|uvu|japa)$/;
/** Programs that read their operands and run nothing of them. */
const READS =
  /^(test|\[\[?|ls|stat|wc|cat|head|tail|find|echo|printf|chmod|touch|mkdir|rm|cp|mv|which|type|file|sha256sum|md5sum|sort|uniq|awk|sed|git|tar|export|set|readonly|local|declare|return|shift|trap)$/;
const SEARCHES = /^(grep|egrep|fgrep|rg)$/;
/** Programs that judge their operands by a configuration. */
const LINTERS =
  /^(shellcheck|shfmt|eslint|prettier|biome|oxlint|markdownlint|cspell|tsc|vue-tsc|black|ruff|flake8|mypy|pylint|pyright|gofmt|rustfmt|rubocop|jq)$/;
const COMPARES = /^(cmp|diff|comm|colordiff|sdiff)$/;
const CONFIGURES =
  /^(-r|--require|--import|--loader|--experimental-loader|--config|--conf|--cfg|--config-file|--configFile|-c|-p|--project|--tsconfig|-b|--build|--setup-?files?\w*|--rcfile|--ini\w*|--rules\w*|--ignore-path|--ignore-file|--env-file|--confcutdir|--preset|--globalSetup|--reporter|--test-reporter|--plugin|-f|--file|--makefile|--justfile|--eslintrc)$/;
/** Options of interpreters after which no script follows: a text to run, or only a look at the syntax. */
const NO_SCRIPT = /^(-e|--eval|-p|--print|-c|--check|-n|--syntax-check|-l|--version|-v|-V)$/;
/** Modules of Python that only inspect the files they are given. */
const INSPECTING_MODULES =
  /^(py_compile|compileall|json\.tool|black|ruff|flake8|mypy|pylint|tabnanny|ast|tokenize|pip|venv)$/;
const SHELL_FILE = /\.(sh|bash|zsh|ksh|dash|fish|bats)$/i;

/** The files that a command uses, as it spells them. */
export function usesOf(command: ShellCommand): Use[] {
  const [program = '', ...rest] = command.words;
  const name = program.split('/').at(-1) ?? '';
  const operands = rest.filter((word) => !word.startsWith('-'));
  if (command.isFedToShell) return [...operands, ...command.inputs].map((word) => ({ word, how: 'run' }));
  if (COMPARES.test(name)) return [...operands, ...command.inputs].map((word) => ({ word, how: 'compared' }));
  if (name === '.' || name === 'source') return operands.slice(0, 1).map((word) => ({ word, how: 'run' }));
  if (READS.test(name)) return [];
  if (SEARCHES.test(name)) return patternFiles(rest);
  const configured = configurations(command.words);
  if (LINTERS.test(name)) return configured;
  const isScript = program.includes('/') || SHELL_FILE.test(program);
  const own: Use[] = isScript ? [{ word: program, how: 'run' }] : [];
  const inputs: Use[] = SHELLS.test(program) ? command.inputs.map((word) => ({ word, how: 'run' })) : [];
  return [...own, ...inputs, ...configured, ...executed(command.words)];
}

/** The files that hold what a search looks for. */
function patternFiles(words: readonly string[]): Use[] {
  return words.flatMap((word, index): Use[] => {
    const joined = /^--file=(.+)$/.exec(word)?.[1];
    if (joined !== undefined) return [{ word: joined, how: 'compared' }];
    return /^(-\w*f|--file)$/.test(words[index - 1] ?? '') ? [{ word, how: 'compared' }] : [];
  });
}

function configurations(words: readonly string[]): Use[] {
  const isInterpreter = words.some((word) => INTERPRETERS.test(word) || SHELLS.test(word));
  const isOption = (option: string) => CONFIGURES.test(option) && !(isInterpreter && /^-[cpf]$/.test(option));
  return words.flatMap((word, index): Use[] => {
    const [, option, value] = /^(--?[\w-]+)=(.+)$/.exec(word) ?? [];
    if (option !== undefined && value !== undefined)
      return isOption(option) ? [{ word: value, how: 'configuration' }] : [];
    const before = words[index - 1] ?? '';
    if (word.startsWith('-') || index === 0) return [];
    return isOption(before) ? [{ word, how: 'configuration' }] : [];
  });
}

/** What interpreters, shells and test runners among the words execute. */
function executed(words: readonly string[]): Use[] {
  const uses: Use[] = [];
  let mode: 'none' | 'script' | 'tests' | 'arguments' | 'inspects' = words[0] === 'for' ? 'arguments' : 'none';
  let isShell = false;
  words.forEach((word, index) => {
    const name = word.split('/').at(-1) ?? '';
    const before = words[index - 1] ?? '';
    if (mode !== 'script' && TEST_RUNNERS.test(name)) mode = 'tests';
    else if (mode !== 'tests' && (INTERPRETERS.test(name) || SHELLS.test(word))) {
      mode = 'script';
      isShell = SHELLS.test(word);
    } else if (word === 'test' && /^(bun|deno)$/.test(before)) mode = 'tests';
    else if (word.startsWith('-')) {
      if (mode === 'script' && /^--test(-|$)/.test(word)) mode = 'tests';
      else if (mode === 'script' && (isShell ? /^-\w*[nc]\w*$/ : NO_SCRIPT).test(word)) mode = 'inspects';
    } else if (before === '-m') {
      if (TEST_RUNNERS.test(word)) mode = 'tests';
      else if (INSPECTING_MODULES.test(word)) mode = 'inspects';
      if (mode !== 'inspects') uses.push({ word, how: 'module' });
      if (mode === 'script') mode = 'arguments';
    } else if (mode === 'inspects' || (CONFIGURES.test(before) && mode !== 'none')) return;
    else if (word === 'run' && /^(bun|deno)$/.test(before)) return;
    else if (mode === 'tests') uses.push({ word, how: 'test' });
    else if (mode === 'script') {
      uses.push({ word, how: 'run' });
      mode = 'arguments';
    } else if (SHELL_FILE.test(word) && index > 0) uses.push({ word, how: 'run' });
  });
  return uses;
}
