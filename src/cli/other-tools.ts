import { ORCHESTRATOR_YAML } from '../init/import/orchestrator-yaml.ts';

/** Values of a typed command line that a replacement uses; `<name>` where the command line has none. */
type Typed = Readonly<Record<'file' | 'text' | 'run' | 'node' | 'role', string>>;

/** Commands of other tools, by their first words, and what to type here. */
export const OTHER_COMMANDS: Readonly<Record<string, string>> = {
  auto: 'manyhands do {text}',
  claude: 'manyhands do {text} --agent claude',
  codex: 'manyhands do {text} --agent codex',
  runs: 'manyhands ls',
  'retry-failed': 'manyhands retry',
  visualize: 'manyhands run {file} --dry-run',
  'self-improve': 'manyhands improve',
  dashboard: 'manyhands serve',
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
  generate: 'manyhands plan {file}',
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
  'benchmark-model': 'manyhands models bench',
  'benchmark-suite': 'manyhands models bench',
  'run-streaming': 'manyhands job {text} --role {role} --detach',
  'run-visible': 'manyhands job {text} --role {role} --visible',
  'poll-run': 'manyhands show {run} --compact',
  'summarize-run': 'manyhands show {run} --compact',
  'compact-events': 'manyhands show {run} --compact',
  'run-status': 'manyhands ls',
  'stop-run': 'manyhands cancel {run}',
  'send-instruction': 'manyhands send {run} {text}',
  'last-run': 'manyhands show',
  'open-run-folder': 'manyhands open {run}',
  'spawn-role-team': 'manyhands team {text}',
  'collect-team-results': 'manyhands report {run}',
  'cross-review': 'manyhands job "<what to review>" --role review',
  'preflight-write-scope': 'manyhands job {text} --scope-allow "<paths>" --max-diff-lines 800',
  'check-write-scope': 'manyhands verify {run}',
  'diff-summary': 'manyhands diff {run} --summary',
  'secret-scan-run': 'manyhands verify {run}',
  'rollback-run': 'manyhands undo {run}',
  'verify-run': 'manyhands verify {run}',
  'decision-review': 'manyhands judge {run}',
  'supervise-decision': 'manyhands judge {run}',
  'controller-report': 'manyhands report {run}',
  'pressure-report': 'manyhands report {run}',
  'export-report': 'manyhands report {run}',
  'usage-summary': 'manyhands usage',
  'queue-submit': 'manyhands job {text} --role {role} --detach',
  'queue-tick': 'manyhands resume',
  'queue-status': 'manyhands ls',
  'queue-cancel': 'manyhands cancel {run}',
  'queue-policy': 'manyhands config set limits.agents "<count>"',
  'cost-guard': 'manyhands config set limits.agents "<count>"',
  'init-workspace': 'manyhands init',
  'workspace-status': 'manyhands where',
  'migrate-data': 'manyhands migrate',
  'clean-workspace': 'manyhands clean',
  'archive-runs': 'manyhands archive',
  'repair-mcp-paths': 'manyhands doctor',
  'folder-policy': 'manyhands where',
  'write-claude-md': 'manyhands init --agents-md',
  'upgrade-check': 'manyhands upgrade --check',
  'workflow-plan': 'manyhands plan {text} --as workflow',
  'workflow-validate': 'manyhands check {file}',
  'workflow-dry-run': 'manyhands run {file} --dry-run',
  'workflow-run': 'manyhands run {file}',
  'workflow-status': 'manyhands show {run}',
  'workflow-retry-node': 'manyhands retry {run} {node}',
  'workflow-stop': 'manyhands cancel {run}',
  'workflow-report': 'manyhands report {run}',
  'handoff-template': 'manyhands show {run} --json',
  'handoff-validate': 'manyhands verify {run}',
  'handoff-read': 'manyhands show {run} --json',
  'handoff-repair-prompt': 'manyhands retry {run}',
  'prompt-pack': 'manyhands template ls',
  'render-prompt': 'manyhands template render "<name>" {text}',
};

/** Options of other tools, and what to type here. */
export const OTHER_OPTIONS: Readonly<Record<string, string>> = {
  '--provider': '--agent <agent>',
  '--phase-provider': '--agent <role>=<agent>; decompose is the role plan, execute is implement',
  '--quality-gate': '--check <command>',
  '--test-command': '--check <command>',
  '--doc': 'manyhands do @<file>',
  '--max-hours': '--budget <usd>, or the setting limits.runtimeSeconds',
  '--max-iterations': 'the setting review.rounds',
  '--max-execution-processes': '--max-parallel <n>',
  '--phase-parallelism': '--max-parallel <n>',
  '--error-policy': 'nothing: a task that needs a failed one does not start',
  '--rate-limit': 'nothing: a rate-limited agent is not used until its reset',
  '--isolate': 'nothing: every task has its own workspace',
  '--manifest': 'manyhands bulk run {file}',
  '--task-file': 'manyhands bulk run {file}',
  '--prompt-file': 'manyhands bulk scan --prompt "<instruction>"',
  '--from-todo': 'manyhands run {file}',
  '--yolo': 'manyhands yolo {file}',
  '--auto-approve': '--yes',
  '--keep-worktrees': 'nothing: work is saved before a workspace is removed',
  '--list': 'manyhands config list',
  '--mock': '--rehearse',
  '--file': 'manyhands run {file}',
  '--run-id': 'the run as an argument: manyhands show {run}',
  '--workflow-id': 'the run as an argument: manyhands show {run}',
  '--node-id': 'the node as an argument: manyhands retry <run> {node}',
  '--cwd': '-C <folder>',
  '--allow-write': '--write',
  '--allow': '--scope-allow <paths>',
  '--deny': '--scope-deny <paths>',
  '--role': 'manyhands job {text} --role {role}',
  '--timeout-seconds': '--stop time=<duration>',
  '-d': '-C <folder>',
};

const FILE = /^[^\s]+\.(?:toml|ya?ml|json|jsonl|csv|md)$/;
const FILE_OPTIONS = ['--from-todo', '-t', '--task-file', '--manifest', '--file'];
const RUN_OPTIONS = ['--run-id', '--workflow-id', '--team-id', '--job-id'];
const VALUED = new Set([...FILE_OPTIONS, ...RUN_OPTIONS, '--node-id', '--role', '--provider', '-d', '--cwd']);

/** What replaces a command line of another tool whose command is not one of ours; undefined if it is not known. */
export function replacedCommand(argv: readonly string[]): string | undefined {
  const words = operandsOf(argv);
  const [first = '', second = ''] = words;
  if (first === 'config') return replacedSetting(argv);
  if (FILE.test(first)) return `manyhands run ${first}`;
  const row = OTHER_COMMANDS[`${first} ${second}`];
  const rest = words.slice(row === undefined ? 1 : 2);
  return filled(row ?? OTHER_COMMANDS[first], typedIn(argv, rest));
}

/** What replaces an option of another tool; undefined if it is not known. */
export function replacedOption(option: string, argv: readonly string[]): string | undefined {
  const [first] = operandsOf(argv);
  if (first === 'config') return replacedSetting(argv);
  const row = option === '--from-todo' && argv.includes('--yolo') ? '--yolo' : option;
  const kept = row === '--from-todo' && argv.includes('--execute') ? ' --execute' : '';
  const use = filled(OTHER_OPTIONS[row], typedIn(argv, operandsOf(argv).slice(1)));
  return use === undefined ? undefined : `${use}${kept}`;
}

/** `config <key> [value]` of another tool, with our name of the setting. */
function replacedSetting(argv: readonly string[]): string | undefined {
  const [, key, ...value] = operandsOf(argv);
  if (key === undefined) return argv.includes('--list') ? 'manyhands config list' : undefined;
  const row = ORCHESTRATOR_YAML.find((mapping) => mapping.key === key);
  const name = row !== undefined && 'to' in row ? row.to : key;
  if (value.length === 0) return `manyhands config get ${name}`;
  return `manyhands config set ${name} ${quoted(value.join(' '))}${argv.includes('--global') ? ' --global' : ''}`;
}

function typedIn(argv: readonly string[], operands: readonly string[]): Typed {
  const text = operands[0];
  const file = optionValue(argv, FILE_OPTIONS) ?? operands.find((word) => FILE.test(word));
  return {
    file: file ?? '<file>',
    text: text === undefined ? '"<text>"' : quoted(text),
    run: optionValue(argv, RUN_OPTIONS) ?? '<run>',
    node: optionValue(argv, ['--node-id']) ?? '<node>',
    role: optionValue(argv, ['--role']) ?? '<role>',
  };
}

function filled(template: string | undefined, typed: Typed): string | undefined {
  return template?.replaceAll(/\{(file|text|run|node|role)\}/g, (_, name: keyof Typed) => typed[name]);
}

function optionValue(argv: readonly string[], options: readonly string[]): string | undefined {
  const at = argv.findIndex((word) => options.includes(word));
  return at < 0 ? undefined : argv[at + 1];
}

function operandsOf(argv: readonly string[]): string[] {
  return argv.filter((word, index) => !word.startsWith('-') && !VALUED.has(argv[index - 1] ?? ''));
}

function quoted(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `"${text.replaceAll(/["\\$`]/g, '\\$&')}"`;
}
