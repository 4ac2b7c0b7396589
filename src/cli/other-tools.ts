import { ORCHESTRATOR_YAML } from '../init/import/orchestrator-yaml.ts';
import { EQUIVALENT_ROLES } from '../work-files/equivalent-roles.ts';
import { OTHER_COMMANDS } from './other-commands.ts';
import { OTHER_OPTIONS } from './other-options.ts';

/** A command line of another tool: its words, and the values of its options by name. */
type Typed = { words: string[]; options: Map<string, string[]>; tokens: Token[] };

const FILE = /^[^\s]+\.(?:toml|ya?ml|json|jsonl|csv|md)$/;
const FILE_OPTIONS = ['--from-todo', '-t', '--task-file', '--manifest', '--file', '--config'];
const RUN_OPTIONS = ['--run-id', '--workflow-id', '--team-id', '--job-id'];
/** Options of other tools that have no value; all others are followed by one, unless another option follows. */
const SWITCHES = new Set(
  `--resume --retry --graph --discover --yolo --execute --with-review --auto-approve --keep-worktrees --list --mock --allow-write
  --apply --remove --append --force --global --confirm --create --refresh --write-report --solved --json --rehearse --dry-run
  --gather --disable-adaptive-tuning --monitor-required --skip-gather --skip-introspection --skip-external --smart-discover
  --disable-discovery-research --use-claude --use-sdk --parallel --open --reroute --show --needs-rework --hallucination
  --kill-on-excessive-output --include-output --write-artifacts --include-secrets --repair-mcp
  --sequential --detach --write --visible --interactive --final-only --include-finished --active-only --automerge --from-run --all --yes -y -s -n -e -l -g -m -r -f -v`.split(
    /\s+/,
  ),
);
const FOLDER_OPTIONS = ['-d', '--dir', '--cwd', '--project', '--project-dir'];
/** The phases of another tool by the names of our roles. */
const PHASES: Readonly<Record<string, string>> = { decompose: 'plan', execute: 'implement', simple: 'implement' };

/** What replaces a command line of another tool whose command is not one of ours; undefined if it is not known. */
export function replacedCommand(argv: readonly string[]): string | undefined {
  const typed = parse(argv);
  const [first = '', second = ''] = typed.words;
  if (first === 'config') return replacedSetting(typed);
  if (FILE.test(first)) return `manyhands run ${first}`;
  const flags = [...typed.options.keys()];
  const names = [`${first} ${second}`, first].flatMap((words) => [...flags.map((flag) => `${words} ${flag}`), words]);
  const name = names.find((each) => Object.hasOwn(OTHER_COMMANDS, each));
  if (name === undefined) return undefined;
  const rest = { ...typed, words: typed.words.slice(name.startsWith(`${first} ${second}`) ? 2 : 1) };
  const row = OTHER_COMMANDS[name] ?? '';
  if (!row.includes('{options}')) return inFolder(filled(row, rest), typed);
  const whole = flags.map((flag) => optionRow(commandOf(row), flag) ?? '').find((each) => each.startsWith('manyhands'));
  return filled(whole ?? row, rest);
}

/** What replaces a command line with an option of another tool; undefined if the option is not known. */
export function replacedOption(option: string, argv: readonly string[]): string | undefined {
  const typed = parse(argv);
  const [first = ''] = typed.words;
  if (first === 'config') return replacedSetting(typed);
  const row = optionRow(first, option);
  if (row === undefined) return undefined;
  const rest = { ...typed, words: typed.words.slice(1) };
  if (option === '--from-todo' && typed.options.has('--with-review'))
    return filled('manyhands yolo {file} --with-review', rest);
  if (option === '--from-todo' && typed.options.has('--yolo')) return filled(OTHER_OPTIONS['--yolo'] ?? '', rest);
  if (row.startsWith('-')) return `manyhands${typed.tokens.map((token) => rewritten(first, token)).join('')}`;
  return row.startsWith('manyhands') ? inFolder(filled(row, rest), typed) : filled(row, rest);
}

/** The options with a value that what replaces a command line does not contain, as they were typed. */
export function omittedOptions(argv: readonly string[], use: string): string[] {
  if (!use.startsWith('manyhands')) return [];
  return tokensOf(argv).flatMap(({ name, value, typed }) => {
    if (name === undefined || value === undefined || FOLDER_OPTIONS.includes(name)) return [];
    const forms = [quoted(value), optionText(name, value), ...value.split(/[=,]/)];
    return forms.some((form) => form !== '' && use.includes(form)) ? [] : [typed.map(quoted).join(' ')];
  });
}

/** The row of an option: that of this command, or that of all commands. */
function optionRow(command: string, option: string): string | undefined {
  const name = [`${command}:${option}`, option].find((each) => Object.hasOwn(OTHER_OPTIONS, each));
  return name === undefined ? undefined : OTHER_OPTIONS[name];
}

/** A part of a command line with our name of its option, after a space; nothing for an option without an equivalent. */
function rewritten(command: string, token: Token): string {
  const { name, value, typed } = token;
  const row = name === undefined ? undefined : optionRow(command, name);
  if (name === undefined || row === undefined || row.startsWith('manyhands'))
    return typed.map((part) => ` ${quoted(part)}`).join('');
  const options = new Map([[name, value === undefined ? [] : [value]]]);
  return row.startsWith('-') ? ` ${filled(row, { words: [], options, tokens: [] })}` : '';
}

function inFolder(use: string, { options }: Typed): string {
  const folder = FOLDER_OPTIONS.flatMap((option) => options.get(option) ?? [])[0];
  return folder === undefined || use.startsWith('manyhands serve') ? use : `${use} -C ${quoted(folder)}`;
}

/** `config <key> [value]` of another tool, with our name of the setting and our form of its value. */
function replacedSetting(typed: Typed): string | undefined {
  const {
    words: [, key, ...words],
    options,
  } = typed;
  if (key === undefined) return inFolder('manyhands config list', typed);
  const row = ORCHESTRATOR_YAML.find((mapping) => mapping.key === key);
  if (row?.fate === 'ignored') return `nothing: ${row.reason}`;
  const name = row?.to ?? key;
  if (words.length === 0) return `manyhands config get ${name}`;
  const level = options.has('--global') || options.has('-g') ? ' --global' : '';
  const given = words.join(' ');
  const read = row?.read(scalar(given), { whole: {}, hasBranch: () => true, hasFile: () => true });
  const { settings, files: [file] = [] } = read === undefined || 'error' in read ? {} : read;
  if (file !== undefined)
    return `a file with that text, ${file.path}, and manyhands config set ${name} ${file.path}${level}`;
  if (settings === undefined || settings.length === 0) return `manyhands config set ${name} ${quoted(given)}${level}`;
  return settings.map(({ to, value }) => `manyhands config set ${to} ${settingText(value)}${level}`).join('\n  and: ');
}

function scalar(text: string): unknown {
  return /^(?:true|false|-?\d+(?:\.\d+)?)$/.test(text) ? JSON.parse(text) : text;
}

function settingText(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string' && !item.includes(',')))
    return quoted(value.join(','));
  return typeof value === 'object' ? `'${JSON.stringify(value)}'` : quoted(String(value));
}

function commandOf(row: string): string {
  return /^manyhands (\w+)/.exec(row)?.[1] ?? '';
}

function filled(template: string, typed: Typed): string {
  return template
    .replaceAll(/\[(run|--?[\w-]+):([^\]]*)\]/g, (_, option: string, text: string) =>
      (option === 'run' ? RUN_OPTIONS : [option]).some((each) => typed.options.has(each)) ? text : '',
    )
    .replaceAll(/\{([\w-]+)\}/g, (_, name: string) => valueIn(name, typed, commandOf(template)));
}

function valueIn(name: string, { words, options, tokens }: Typed, command: string): string {
  const first = (names: readonly string[]) => names.flatMap((option) => options.get(option) ?? [])[0];
  const text = words[0] === undefined ? '"<text>"' : quoted(words[0]);
  switch (name) {
    case 'text':
      return text;
    case 'options':
      return tokens.map((token) => (token.name === undefined ? '' : rewritten(command, token))).join('');
    case 'file':
      return quoted(first(FILE_OPTIONS) ?? words.find((word) => FILE.test(word)) ?? '<file>');
    case 'run':
      return quoted(first(RUN_OPTIONS) ?? '<run>');
    case 'node':
      return quoted(first(['--node-id']) ?? '<node>');
    case 'role':
      return ourRole(first(['--role']) ?? 'implement');
    default:
      return optionText(name, options.get(name)?.[0]);
  }
}

function optionText(name: string, value: string | undefined): string {
  if (value === undefined) return `"<${name.replace(/^-+/, '')}>"`;
  if (name === '--role' || name === '--roles') return quoted(value.split(',').map(ourRole).join(','));
  if (name === '--priority') return ourPriority(value);
  if (name !== '--phase-provider') return quoted(value);
  const [phase = '', provider] = value.split('=');
  return provider === undefined ? value : `${PHASES[phase] ?? phase}=${provider}`;
}

function ourRole(role: string): string {
  return EQUIVALENT_ROLES[role.trim()] ?? role.trim();
}

/** Another tool counts from 100 upwards and downwards, without limits. */
function ourPriority(value: string): string {
  const number = Number(value);
  return Number.isInteger(number) && Math.abs(number) > 10
    ? String(Math.max(-10, Math.min(10, number - 100)))
    : quoted(value);
}

function parse(argv: readonly string[]): Typed {
  const words: string[] = [];
  const options = new Map<string, string[]>();
  const tokens = tokensOf(argv);
  for (const { name, value, typed } of tokens) {
    if (name === undefined) words.push(...typed);
    else options.set(name, [...(options.get(name) ?? []), ...(value === undefined ? [] : [value])]);
  }
  return { words, options, tokens };
}

type Token = { name?: string; value?: string; typed: string[] };

/** The command line as words and options with their values. */
function tokensOf(argv: readonly string[]): Token[] {
  const tokens: Token[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    const [, name, value] = /^(--?[a-zA-Z][\w-]*)(?:=(.*))?$/s.exec(word) ?? [];
    const next = argv[index + 1];
    if (name === undefined) tokens.push({ typed: [word] });
    else if (value !== undefined) tokens.push({ name, value, typed: [word] });
    else if (SWITCHES.has(name) || name.startsWith('--no-') || next === undefined || next.startsWith('-'))
      tokens.push({ name, typed: [word] });
    else {
      tokens.push({ name, value: next, typed: [word, next] });
      index += 1;
    }
  }
  return tokens;
}

function quoted(text: string): string {
  return /^[\w./@%+=:,<>-]+$/.test(text) ? text : `"${text.replaceAll(/["\\$`]/g, '\\$&')}"`;
}
