import { ORCHESTRATOR_YAML } from '../init/import/orchestrator-yaml.ts';
import { OTHER_OPTIONS } from './other-options.ts';

/** A command line of another tool: its words, and the values of its options by name. */
type Typed = { words: string[]; options: Map<string, string[]>; tokens: Token[] };

/**
 * Commands of other tools, by their first words, and what to type here. `{name}` is a word or an option's value of what was typed;
 * `[--option: text]` is kept if that option was typed; `{options}` are all typed options, each with our name.
 */
export const OTHER_COMMANDS: Readonly<Record<string, string>> = {
  auto: 'manyhands do {text}{options}',
  claude: 'manyhands do {text} --agent claude{options}',
  'claude do': 'manyhands do {text} --agent claude{options}',
  'claude auto': 'manyhands do {text} --agent claude{options}',
  'claude improve': 'manyhands improve --agent claude{options}',
  codex: 'manyhands do {text} --agent codex{options}',
  'codex do': 'manyhands do {text} --agent codex{options}',
  'codex auto': 'manyhands do {text} --agent codex{options}',
  'codex improve': 'manyhands improve --agent codex{options}',
  runs: 'manyhands ls',
  'runs --resume': 'manyhands resume[--run-id: {run}]',
  'runs --retry': 'manyhands retry[--run-id: {run}]',
  'runs --run-id': 'manyhands show {run}',
  'runs --graph': 'manyhands run {file} --dry-run',
  'retry-failed': 'manyhands retry[--run-id: {run}]',
  visualize: 'manyhands run {file} --dry-run',
  'self-improve': 'manyhands improve{options}',
  dashboard: 'manyhands serve[--port: --port {--port}]',
  simple: 'manyhands bulk --help',
  'simple run': 'manyhands bulk run {file}[--provider: --agent {--provider}]',
  'simple run --glob': 'manyhands bulk scan --glob {--glob} --prompt {text} --output tasks.jsonl',
  'simple run --files': 'manyhands bulk scan --glob {--files} --prompt {text} --output tasks.jsonl',
  'simple scan': 'manyhands bulk scan --glob "<files>" --prompt "<instruction>"',
  'simple resume': 'manyhands bulk resume',
  'simple retry': 'manyhands bulk retry',
  'simple status': 'manyhands bulk status',
  'simple manifest': 'manyhands bulk status --failed-out failed.jsonl',
  'simple cancel': 'manyhands cancel {run}',
  'simple reconcile': 'manyhands bulk resume',
  start: 'manyhands run features.json',
  'server:start': 'manyhands serve',
  generate: 'manyhands plan {file}[-o: --output {-o}][--output: --output {--output}]',
  cleanup: 'manyhands clean',
  healthcheck: 'manyhands doctor',
  selftest: 'manyhands doctor --self-test',
  'mock-stream-test': 'manyhands doctor --self-test',
  'list-profiles': 'manyhands models',
  pick: 'manyhands models pick --role {role}',
  'score-models': 'manyhands models scores',
  'score-worker': 'manyhands models scores',
  'write-auto-policy': 'manyhands config set routing.order "<agents>"',
  'write-reports': 'manyhands models report',
  'model-registry': 'manyhands models report',
  'local-policy': 'manyhands config set routing.order "<agents>" --global',
  'calibrate-policy': 'manyhands config set routing.order "<agents>" --global',
  'benchmark-model': 'manyhands models bench[--profile: --agent {--profile}][--execute: --execute]',
  'benchmark-suite': 'manyhands models bench[--profile: --agent {--profile}][--execute: --execute]',
  'run-streaming':
    'manyhands job {text} --role {role}[--allow-write: --write][--timeout-seconds: --stop time={--timeout-seconds}s] --detach',
  'run-visible': 'manyhands job {text} --role {role}[--allow-write: --write] --visible',
  'poll-run': 'manyhands show {run} --compact',
  'summarize-run': 'manyhands show {run} --compact',
  'compact-events': 'manyhands show {run} --compact',
  'run-status': 'manyhands ls',
  'stop-run': 'manyhands cancel {run}',
  'send-instruction': 'manyhands send {run} {text}',
  'last-run': 'manyhands show',
  'open-run-folder': 'manyhands open {run}',
  'spawn-role-team': 'manyhands team {text}[--roles: --roles {--roles}]',
  'collect-team-results': 'manyhands report {run}',
  'cross-review': 'manyhands job "<what to review>" --role review',
  'preflight-write-scope':
    'manyhands job "<text>" --write[--allow: --scope-allow {--allow}][--deny: --scope-deny {--deny}][--max-diff-lines: --max-diff-lines {--max-diff-lines}]',
  'check-write-scope': 'manyhands verify {run}',
  'diff-summary': 'manyhands diff {run} --summary',
  'secret-scan-run': 'manyhands verify {run}',
  'rollback-run': 'manyhands undo {run}[--confirm: --yes]',
  'verify-run': 'manyhands verify {run}',
  'decision-review': 'manyhands judge {run}',
  'supervise-decision': 'manyhands judge {run}',
  'controller-report': 'manyhands report {run}',
  'pressure-report': 'manyhands report --pressure',
  'export-report': 'manyhands report {run}',
  'usage-summary': 'manyhands usage',
  'queue-submit':
    'manyhands job {text} --role {role}[--priority: --priority {--priority}][--allow-write: --write][--timeout-seconds: --stop time={--timeout-seconds}s] --detach',
  'queue-tick': 'manyhands resume',
  'queue-status': 'manyhands ls',
  'queue-cancel': 'manyhands cancel {run}',
  'queue-policy': 'manyhands config set limits.agents {--max-concurrent}',
  'cost-guard': 'manyhands config set limits.agents {--max-concurrent}',
  'init-workspace': 'manyhands init',
  'workspace-status': 'manyhands where',
  'migrate-data': 'manyhands migrate[--apply: --apply]',
  'clean-workspace': 'manyhands clean[--older-than-days: --older-than {--older-than-days}d]',
  'archive-runs':
    'manyhands archive[--older-than-days: --older-than {--older-than-days}][--apply: --apply][--remove: --remove]',
  'repair-mcp-paths': 'manyhands doctor',
  'folder-policy': 'manyhands where',
  'write-claude-md': 'manyhands init --agents-md[--force: --force]',
  'upgrade-check': 'manyhands upgrade --check',
  'workflow-plan': 'manyhands plan {text} --as workflow',
  'workflow-validate': 'manyhands check {file}',
  'workflow-dry-run': 'manyhands run {file} --dry-run',
  'workflow-run': 'manyhands run {file}[--mock: --rehearse]',
  'workflow-status': 'manyhands show {run}',
  'workflow-retry-node': 'manyhands retry {run} {node}',
  'workflow-stop': 'manyhands cancel {run}',
  'workflow-report': 'manyhands report {run}',
  'handoff-template': 'manyhands show {run} --json',
  'handoff-validate': 'manyhands verify {run}',
  'handoff-read': 'manyhands show {run} --json',
  'handoff-repair-prompt': 'manyhands retry {run}',
  'prompt-pack': 'manyhands template ls',
  'render-prompt': 'manyhands template render {--template} {--task}',
};

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
    .replaceAll(/\[(--?[\w-]+):([^\]]*)\]/g, (_, option: string, text: string) =>
      typed.options.has(option) ? text : '',
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
    case 'role':
      return quoted(first([name === 'node' ? '--node-id' : '--role']) ?? `<${name}>`);
    default:
      return optionText(name, options.get(name)?.[0]);
  }
}

function optionText(name: string, value: string | undefined): string {
  if (value === undefined) return `"<${name.replace(/^-+/, '')}>"`;
  if (name !== '--phase-provider') return quoted(value);
  const [phase = '', provider] = value.split('=');
  return provider === undefined ? value : `${PHASES[phase] ?? phase}=${provider}`;
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
