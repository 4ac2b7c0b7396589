import { ORCHESTRATOR_YAML } from '../init/import/orchestrator-yaml.ts';

/** A command line of another tool: its words, and the values of its options by name. */
type Typed = { words: string[]; options: Map<string, string[]> };

/**
 * Commands of other tools, by their first words, and what to type here. `{name}` is a word or an option's value of what was typed;
 * `[--option: text]` is kept if that option was typed.
 */
export const OTHER_COMMANDS: Readonly<Record<string, string>> = {
  auto: 'manyhands do {text}[--max-hours: --max-hours {--max-hours}][--max-iterations: --max-iterations {--max-iterations}]',
  claude: 'manyhands do {text} --agent claude',
  'claude do': 'manyhands do {text} --agent claude',
  'claude improve': 'manyhands improve --agent claude',
  codex: 'manyhands do {text} --agent codex',
  'codex do': 'manyhands do {text} --agent codex',
  'codex improve': 'manyhands improve --agent codex',
  runs: 'manyhands ls',
  'runs --resume': 'manyhands resume',
  'runs --retry': 'manyhands retry',
  'runs --graph': 'manyhands run {file} --dry-run',
  'retry-failed': 'manyhands retry',
  visualize: 'manyhands run {file} --dry-run',
  'self-improve': 'manyhands improve[--discover: --plan-only]',
  dashboard: 'manyhands serve[--port: --port {--port}]',
  simple: 'manyhands bulk --help',
  'simple run': 'manyhands bulk run {file}',
  'simple scan': 'manyhands bulk scan --glob "<files>" --prompt "<instruction>"',
  'simple resume': 'manyhands bulk resume',
  'simple retry': 'manyhands bulk retry',
  'simple status': 'manyhands bulk status',
  'simple manifest': 'manyhands bulk status --failed-out failed.jsonl',
  'simple cancel': 'manyhands cancel {run}',
  'simple reconcile': 'manyhands bulk resume',
  start: 'manyhands run features.json',
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
  'pressure-report': 'manyhands report {run}',
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

/**
 * Options of other tools, and what to type here: other options (they replace what was typed), a whole command, or `nothing` with
 * the reason.
 */
export const OTHER_OPTIONS: Readonly<Record<string, string>> = {
  '--provider': '--agent {--provider}',
  '--phase-provider': '--agent {--phase-provider}',
  '--quality-gate': '--check {--quality-gate}',
  '--test-command': '--check {--test-command}',
  '--doc': 'manyhands do @{--doc}',
  '--max-execution-processes': '--max-parallel {--max-execution-processes}',
  '--phase-parallelism': '--max-parallel {--phase-parallelism}',
  '--discover': '--plan-only',
  '--error-policy': 'nothing: a task that needs a failed one does not start',
  '--rate-limit': 'nothing: a rate-limited agent is not used until its reset',
  '--isolate': 'nothing: every task has its own workspace',
  '--manifest': 'manyhands bulk run {file}',
  '--task-file': 'manyhands bulk run {file}',
  '--prompt-file': 'manyhands bulk scan --prompt "<instruction>"',
  '--from-todo': 'manyhands run {file}[--execute: --execute]',
  '--yolo': 'manyhands yolo {file}',
  '--auto-approve': '--yes',
  '--keep-worktrees': 'nothing: work is saved before a workspace is removed',
  '--list': 'manyhands config list',
  '--mock': '--rehearse',
  '--file': 'manyhands run {file}',
  '--run-id': 'the run as an argument: manyhands show {run}',
  '--workflow-id': 'the run as an argument: manyhands show {run}',
  '--node-id': 'the node as an argument: manyhands retry <run> {node}',
  '--cwd': '-C {--cwd}',
  '--allow-write': '--write',
  '--allow': '--scope-allow {--allow}',
  '--deny': '--scope-deny {--deny}',
  '--role': 'manyhands job {text} --role {role}[--allow-write: --write]',
  '--timeout-seconds': '--stop time={--timeout-seconds}s',
  '-d': '-C {-d}',
};

const FILE = /^[^\s]+\.(?:toml|ya?ml|json|jsonl|csv|md)$/;
const FILE_OPTIONS = ['--from-todo', '-t', '--task-file', '--manifest', '--file'];
const RUN_OPTIONS = ['--run-id', '--workflow-id', '--team-id', '--job-id'];
/** Options of other tools that have no value; all others are followed by one, unless another option follows. */
const SWITCHES = new Set(
  `--resume --retry --graph --discover --yolo --execute --with-review --auto-approve --keep-worktrees --list --mock --allow-write
  --apply --remove --append --force --global --confirm --create --refresh --write-report --solved --json --rehearse --dry-run
  --sequential --no-pr --detach --write --visible --interactive --final-only --include-finished --active-only --automerge --from-run --all --yes -y -s -n`.split(
    /\s+/,
  ),
);
/** The phases of another tool by the names of our roles. */
const PHASES: Readonly<Record<string, string>> = { decompose: 'plan', execute: 'implement', simple: 'implement' };

/** What replaces a command line of another tool whose command is not one of ours; undefined if it is not known. */
export function replacedCommand(argv: readonly string[]): string | undefined {
  const typed = parse(argv);
  const [first = '', second = ''] = typed.words;
  if (first === 'config') return replacedSetting(typed);
  if (FILE.test(first)) return `manyhands run ${first}`;
  const flag = [...typed.options.keys()].find((option) => `${first} ${option}` in OTHER_COMMANDS);
  const name = [`${first} ${flag}`, `${first} ${second}`, first].find((each) => Object.hasOwn(OTHER_COMMANDS, each));
  if (name === undefined) return undefined;
  const ownWords = name === `${first} ${second}` ? 2 : 1;
  const use = filled(OTHER_COMMANDS[name] ?? '', { ...typed, words: typed.words.slice(ownWords) });
  const folder = [...(typed.options.get('-d') ?? []), ...(typed.options.get('--cwd') ?? [])][0];
  return folder === undefined || use.startsWith('manyhands serve') ? use : `${use} -C ${quoted(folder)}`;
}

/** What replaces a command line with an option of another tool; undefined if the option is not known. */
export function replacedOption(option: string, argv: readonly string[]): string | undefined {
  const typed = parse(argv);
  const [first = ''] = typed.words;
  if (first === 'config') return replacedSetting(typed);
  if (!Object.hasOwn(OTHER_OPTIONS, option)) return undefined;
  const rest = { ...typed, words: typed.words.slice(1) };
  if (option === '--from-todo' && typed.options.has('--with-review'))
    return filled('manyhands yolo {file} --with-review', rest);
  const row = OTHER_OPTIONS[option === '--from-todo' && typed.options.has('--yolo') ? '--yolo' : option] ?? '';
  return row.startsWith('-') ? rewritten(argv) : filled(row, rest);
}

/** The same command line with the options of Manyhands. */
function rewritten(argv: readonly string[]): string {
  const parts: string[] = ['manyhands'];
  for (const { name, value, typed } of tokensOf(argv)) {
    const row = name === undefined ? undefined : OTHER_OPTIONS[name];
    if (name === undefined || row === undefined || row.startsWith('manyhands')) parts.push(...typed.map(quoted));
    else if (row.startsWith('-'))
      parts.push(filled(row, { words: [], options: new Map([[name, value === undefined ? [] : [value]]]) }));
  }
  return parts.join(' ');
}

/** `config <key> [value]` of another tool, with our name of the setting and our form of its value. */
function replacedSetting({ words: [, key, ...words], options }: Typed): string | undefined {
  if (key === undefined) return options.has('--list') ? 'manyhands config list' : undefined;
  const row = ORCHESTRATOR_YAML.find((mapping) => mapping.key === key);
  if (row?.fate === 'ignored') return `nothing: ${row.reason}`;
  const name = row?.to ?? key;
  if (words.length === 0) return `manyhands config get ${name}`;
  const level = options.has('--global') ? ' --global' : '';
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

function filled(template: string, typed: Typed): string {
  return template
    .replaceAll(/\[(--?[\w-]+):([^\]]*)\]/g, (_, option: string, text: string) =>
      typed.options.has(option) ? text : '',
    )
    .replaceAll(/\{([\w-]+)\}/g, (_, name: string) => valueIn(name, typed));
}

function valueIn(name: string, { words, options }: Typed): string {
  const first = (names: readonly string[]) => names.flatMap((option) => options.get(option) ?? [])[0];
  const text = words[0] === undefined ? '"<text>"' : quoted(words[0]);
  switch (name) {
    case 'text':
      return text;
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
  for (const { name, value, typed } of tokensOf(argv)) {
    if (name === undefined) words.push(...typed);
    else options.set(name, [...(options.get(name) ?? []), ...(value === undefined ? [] : [value])]);
  }
  return { words, options };
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
    else if (SWITCHES.has(name) || next === undefined || next.startsWith('-')) tokens.push({ name, typed: [word] });
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
