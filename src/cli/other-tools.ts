import { ORCHESTRATOR_YAML } from '../init/import/orchestrator-yaml.ts';
import { EQUIVALENT_ROLES } from '../work-files/equivalent-roles.ts';
import { OTHER_COMMANDS } from './other-commands.ts';
import { OTHER_OPTIONS, RUN_WORKER } from './other-options.ts';

/** What to type instead of a command line of another tool, and which of its words and options that does not use. */
export type Replacement = { use: string; omitted: string[] };

/** A word, or an option with its values, as it was typed. */
type Token = { name?: string; values: string[]; typed: string[] };
/** A command line of another tool, and what of it the replacement uses so far. */
type Typed = { command: string; words: Token[]; options: Token[]; tokens: Token[]; used: Set<Token> };

const FILE = /^[^\s]+\.(?:toml|ya?ml|json|jsonl|csv|md)$/;
const FILE_OPTIONS = ['--from-todo', '-t', '--task-file', '--manifest', '--file', '--config'];
const RUN_OPTIONS = ['--run-id', '--workflow-id', '--team-id', '--job-id'];
const PROVIDERS = ['claude', 'codex'];
const NOTHING = 'nothing: ';
const AND = '\n  and: ';
const wordsOf = (text: string) => new Set(text.split(/\s+/));
const PROVIDER_COMMANDS = wordsOf(
  'do auto run runs resume retry-failed status visualize improve self-improve simple dashboard',
);
/** Options of other tools that have no value; all others are followed by one, unless another option follows. */
const SWITCHES = wordsOf(
  `--resume runs:--retry --graph --discover --yolo --execute --with-review --auto-approve --keep-worktrees --list --mock --allow-write
  --apply --remove --append --force --global --confirm --create --refresh --write-report --json --rehearse --dry-run
  --gather --disable-adaptive-tuning --monitor-required --skip-gather --skip-introspection --skip-external --smart-discover
  --disable-discovery-research --use-claude --use-sdk --parallel --open --reroute --show --enable-streaming --force-close
  --kill-on-excessive-output --include-output --write-artifacts --include-secrets --repair-mcp
  --sequential --detach --write --visible --interactive --final-only --include-finished --active-only --automerge --from-run --all
  --yes -y -s -n -e -l -g review:-m -r -f -v`,
);
/** Options of other tools that are followed by one value or several. */
const LISTS = wordsOf(
  '--doc --quality-gate --files --glob --source --keywords --rss-feed --search-provider --disable-search-provider',
);
const FOLDER_OPTIONS = ['-d', '--dir', '--cwd', '--project', '--project-dir'];
/** The phases of another tool by the names of our roles. */
const PHASES: Readonly<Record<string, string>> = { decompose: 'plan', execute: 'implement', simple: 'implement' };

/** What replaces a command line of another tool whose command is not one of ours; undefined if it is not known. */
export function replacedCommand(argv: readonly string[]): Replacement | undefined {
  const typed = parse(argv);
  const [first, second] = typed.words;
  if (first === undefined) return undefined;
  if (typed.command === 'config') return replacedSetting(typed);
  if (PROVIDERS.includes(typed.command)) return replacedProvider(typed);
  if (FILE.test(typed.command)) return answer(`manyhands run${rewrittenTokens('run', typed)}`, typed);
  const pair = `${typed.command} ${second?.typed[0] ?? ''}`;
  const flags = [
    ...typed.options.map(({ name = '' }) => name),
    ...(typed.words.some((word) => FILE.test(word.typed[0] ?? '')) ? ['<file>'] : []),
  ];
  const names = [pair, typed.command].flatMap((text) => [...flags.map((flag) => `${text} ${flag}`), text]);
  const name = names.find((each) => Object.hasOwn(OTHER_COMMANDS, each));
  if (name === undefined) return undefined;
  const row = OTHER_COMMANDS[name] ?? '';
  if (row.startsWith(NOTHING)) return { use: row, omitted: [] };
  const chosen = typed.options.filter((token) => name.endsWith(` ${token.name}`));
  for (const token of [first, ...(second !== undefined && name.startsWith(pair) ? [second] : []), ...chosen])
    typed.used.add(token);
  const whole = row.includes('{options}') ? wholeRow(commandOf(row), typed) : undefined;
  return answer(filled(whole ?? row, typed), typed);
}

/** What replaces a command line with an option of another tool; undefined if the option is not known. */
export function replacedOption(option: string, argv: readonly string[]): Replacement | undefined {
  const typed = parse(argv);
  if (typed.command === 'config') return replacedSetting(typed);
  if (optionRow(typed.command, option) === undefined) return undefined;
  return replacedLine(typed);
}

/** A command line whose command is ours: with our names of its options, or what one of them stands for. */
function replacedLine(typed: Typed): Replacement {
  const isTask = typed.command === 'run' && typed.words.some((word) => /\s/.test(word.typed[0] ?? ''));
  const whole = isTask ? RUN_WORKER : wholeRow(typed.command, typed);
  if (whole === undefined) return answer(`manyhands${rewrittenTokens(typed.command, typed)}`, typed);
  const [first] = typed.words;
  if (first !== undefined) typed.used.add(first);
  return answer(filled(whole, typed), typed);
}

/** `codex run dag.toml` is `run dag.toml` with that agent; `codex <goal>` is a goal. */
function replacedProvider({ command, words: [first, second], tokens }: Typed): Replacement {
  const rest = tokens.filter((token) => token !== first).flatMap(({ typed }) => typed);
  const name = second?.typed[0] ?? '';
  const agent = rest.some((word) => word.startsWith('--provider')) ? [] : ['--provider', command];
  const argv = [...(PROVIDER_COMMANDS.has(name) ? [] : ['do']), ...rest, ...agent];
  const { use, omitted } = replacedCommand(argv) ?? replacedLine(parse(argv));
  return { use, omitted: agent.length === 0 ? [command, ...omitted] : omitted };
}

/** A replacement in the folder and with the form of output that were typed, and what was typed and is not in it. */
function answer(use: string, typed: Typed): Replacement {
  const added = `${folderIn(use, typed)}${jsonIn(typed)}`;
  return { use: use.replaceAll(/$|(?=\n {2}and: )/g, added), omitted: omittedIn(typed) };
}

function folderIn(use: string, typed: Typed): string {
  const folder = typed.options.find((token) => FOLDER_OPTIONS.includes(token.name ?? '') && !typed.used.has(token));
  if (folder?.values[0] === undefined || /^manyhands (?:serve|upgrade)/.test(use)) return '';
  typed.used.add(folder);
  return ` -C ${quoted(folder.values[0])}`;
}

function jsonIn(typed: Typed): string {
  const json = typed.options.find((token) => token.name === '--json' && !typed.used.has(token));
  if (json === undefined) return '';
  typed.used.add(json);
  return ' --json';
}

/** What was typed and is not used, with the reasons that there are. */
function omittedIn({ command, tokens, used }: Typed): string[] {
  const byReason = new Map<string, string[]>();
  for (const token of tokens.filter((each) => !used.has(each))) {
    const row = token.name === undefined ? undefined : optionRow(command, token.name);
    const reason = row?.startsWith(NOTHING) ? ` (${row.slice(NOTHING.length)})` : '';
    byReason.set(reason, [...(byReason.get(reason) ?? []), token.typed.map(quoted).join(' ')]);
  }
  return [...byReason].map(([reason, texts]) => `${texts.join(', ')}${reason}`);
}

/** The row of an option: that of this command, or that of all commands. */
function optionRow(command: string, option: string): string | undefined {
  const name = [`${command}:${option}`, option].find((each) => Object.hasOwn(OTHER_OPTIONS, each));
  return name === undefined ? undefined : OTHER_OPTIONS[name];
}

/** What the first typed option that stands for another command stands for. */
function wholeRow(command: string, { options, used }: Typed): string | undefined {
  const token = options.find(({ name = '' }) => optionRow(command, name)?.startsWith('manyhands'));
  if (token?.name === undefined) return undefined;
  if (token.values.length === 0) used.add(token);
  return optionRow(command, token.name);
}

/** All typed words and options, each with our name and after a space; nothing for an option without an equivalent. */
function rewrittenTokens(command: string, typed: Typed): string {
  return typed.tokens.map((token) => rewritten(command, token, typed)).join('');
}

function rewritten(command: string, token: Token, typed: Typed): string {
  const { name } = token;
  const row = name === undefined ? undefined : optionRow(command, name);
  if (row?.startsWith(NOTHING) || row?.startsWith('manyhands')) return '';
  typed.used.add(token);
  const isYolo = token === typed.words[0] && typed.options.some((each) => each.name === '--yolo');
  if (isYolo) return fileIn(typed) === undefined ? ' yolo <file>' : ' yolo';
  if (row === undefined) return ` ${token.typed.map(quoted).join(' ')}`;
  const values = token.values.length === 0 ? [[]] : token.values.map((value) => [value]);
  const alone = (each: string[]) => ({ ...typed, options: [{ ...token, values: each }] });
  return row === '' ? '' : values.map((each) => ` ${filled(row, alone(each))}`).join('');
}

/** `config <key> [value]` of another tool, with our name of the setting and our form of its value. */
function replacedSetting(typed: Typed): Replacement {
  const [, key, ...given] = typed.words.map((token) => token.typed[0] ?? '');
  const level = typed.options.some(({ name }) => name === '--global' || name === '-g') ? ' --global' : '';
  for (const token of typed.tokens) if (!FOLDER_OPTIONS.includes(token.name ?? '')) typed.used.add(token);
  if (key === undefined) return answer(`manyhands config list${level}`, typed);
  const row = ORCHESTRATOR_YAML.find((mapping) => mapping.key === key);
  if (row?.fate === 'ignored') return { use: `${NOTHING}${row.reason}`, omitted: [] };
  const name = row?.to ?? key;
  if (given.length === 0) return answer(`manyhands config get ${name}${level}`, typed);
  const text = given.join(' ');
  const read = row?.read(scalar(text), { whole: {}, hasBranch: () => true, hasFile: () => true });
  const { settings, files: [file] = [] } = read === undefined || 'error' in read ? {} : read;
  if (file !== undefined)
    return answer(`a file with that text, ${file.path}, and manyhands config set ${name} ${file.path}${level}`, typed);
  const set = settings === undefined || settings.length === 0 ? [{ to: name, value: text }] : settings;
  return answer(
    set.map(({ to, value }) => `manyhands config set ${to} ${settingText(value)}${level}`).join(AND),
    typed,
  );
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

/** A row with what was typed; `[--option: text]` once for each value of the option. */
function filled(template: string, typed: Typed): string {
  const kept = template.replaceAll(/\[(run|--?[\w-]+):([^\]]*)\]/g, (_, option: string, text: string) => {
    const names = option === 'run' ? RUN_OPTIONS : [option];
    const tokens = typed.options.filter(({ name = '' }) => names.includes(name));
    for (const token of option === 'run' ? [] : tokens) typed.used.add(token);
    const values = tokens.flatMap((token) => token.values);
    if (!text.includes(`{${option}}`) || option === 'run') return tokens.length === 0 ? '' : text;
    return values.map((value) => text.replaceAll(`{${option}}`, () => optionText(option, value))).join('');
  });
  return kept.replaceAll(/\{([\w-]+)\}/g, (_, name: string) => valueIn(name, typed, commandOf(template)));
}

function valueIn(name: string, typed: Typed, command: string): string {
  switch (name) {
    case 'text':
      return textIn(typed);
    case 'options':
      return typed.options.map((token) => rewritten(command, token, typed)).join('');
    case 'file':
      return quoted(fileIn(typed, true) ?? '<file>');
    case 'run':
      return quoted(firstValue(RUN_OPTIONS, typed) ?? '<run>');
    case 'node':
      return quoted(firstValue(['--node-id'], typed) ?? '<node>');
    case 'role':
      return ourRole(firstValue(['--role'], typed) ?? 'implement');
    default:
      return optionText(name, firstValue([name], typed));
  }
}

/** All words that are not part of the command, as one text. */
function textIn({ words, used }: Typed): string {
  const rest = words.filter((token) => !used.has(token));
  for (const token of rest) used.add(token);
  return rest.length === 0 ? '"<text>"' : quoted(rest.map(({ typed }) => typed[0]).join(' '));
}

function fileIn(typed: Typed, isUsed = false): string | undefined {
  const option = typed.options.find(({ name = '', values }) => FILE_OPTIONS.includes(name) && values.length > 0);
  const word = typed.words.find((token) => FILE.test(token.typed[0] ?? ''));
  const token = option ?? word;
  if (token !== undefined && isUsed) typed.used.add(token);
  return option?.values[0] ?? word?.typed[0];
}

function firstValue(names: readonly string[], { options, used }: Typed): string | undefined {
  const token = options.find(({ name = '', values }) => names.includes(name) && values.length > 0);
  if (token !== undefined) used.add(token);
  return token?.values[0];
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

/** The command line as words and options with their values. */
function parse(argv: readonly string[]): Typed {
  const command = argv.find((word) => !word.startsWith('-')) ?? '';
  const tokens: Token[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    const [, name, value] = /^(--?[a-zA-Z][\w-]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined) tokens.push({ values: [], typed: [word] });
    else if (value !== undefined) tokens.push({ name, values: [value], typed: [word] });
    else {
      const values = valuesAfter(argv.slice(index + 1), name, command);
      tokens.push({ name, values, typed: [word, ...values] });
      index += values.length;
    }
  }
  const words = tokens.filter(({ name }) => name === undefined);
  return { command, words, options: tokens.filter(({ name }) => name !== undefined), tokens, used: new Set() };
}

function valuesAfter(rest: readonly string[], name: string, command: string): string[] {
  if (SWITCHES.has(name) || SWITCHES.has(`${command}:${name}`) || name.startsWith('--no-')) return [];
  const next = rest.findIndex((word) => word.startsWith('-'));
  return rest.slice(0, next < 0 ? rest.length : next).slice(0, LISTS.has(name) ? rest.length : 1);
}

function quoted(text: string): string {
  return /^[\w./@%+=:,<>-]+$/.test(text) ? text : `"${text.replaceAll(/["\\$`]/g, '\\$&')}"`;
}
