/** Options without an equivalent: the reason, and their names. */
const UNUSED: Readonly<Record<string, string>> = {
  'a task that needs a failed one does not start': '--error-policy',
  'a rate-limited agent is not used until its reset': '--rate-limit',
  'every task has its own workspace': '--isolate',
  'work is saved before a workspace is removed': '--keep-worktrees',
  'a run starts without confirmation; --plan-only waits for one': 'do:-y do:--yes',
  'say it in the goal, or in a role': `--mode --gather --gather-mode --gather-max-rounds --gather-file --skip-gather
    --architecture-mode --architecture-pattern --architecture-deliberation`,
  'a run ends by its checks, its budget and its deadline; --max-iterations limits the rounds': `--max-phase-iterations
    --convergence-threshold --convergence-window --score-improvement-min --disable-adaptive-tuning`,
  'manyhands logs prints what the agents did': '--log-file --log-dir',
  'several logins of an agent are the setting agents.<name>.accounts': '--pool-config --pool-profile',
  'weak spots are found in the repository, by commands that show them; no web page is read': `--source --skip-introspection
    --skip-external --smart-discover --keywords --rss-feed --discover-max --search-template --search-provider
    --disable-search-provider --min-source-score --max-hits-per-provider --disable-discovery-research --research-iterations
    --research-probe-budget --research-max-leads --sogou-cookie-header --sogou-cookie-file --sogou-storage-state`,
  'it asks which weak spots to work on; --yes and --top decide it': '--approval-mode --approval-file',
  'every round discovers again; manyhands run starts a file of tasks': '--plan-file --plan-phase',
  'a round begins when the one before has ended': '--round-delay',
  'doctor checks every MCP server of the settings': '--mcps doctor:-m',
  'the project is analyzed without a model': '--use-claude --no-claude',
  'tasks are always planned with a schema': '--use-sdk --no-sdk',
  'existing settings are kept, and a missing file is written': 'init:-f',
};

/** The options of a worker of another tool, as those of a job. */
export const WORKER_OPTIONS =
  '[--role: --role {--role}][--profile: --agent {--profile}][--allow-write: --write][--timeout-seconds: --stop time={--timeout-seconds}s]';

const RUN_WORKER = `manyhands job {text}${WORKER_OPTIONS}`;

/**
 * Options of other tools, and what to type here: other options (they replace what was typed), a whole command, or `nothing` with
 * the reason. `review:-m` is `-m` of the command `review` only.
 */
export const OTHER_OPTIONS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(UNUSED).flatMap(([reason, names]) =>
      names.split(/\s+/).map((name) => [name, `nothing: ${reason}`] as const),
    ),
  ),
  '--provider': '--agent {--provider}',
  '--phase-provider': '--agent {--phase-provider}',
  '--quality-gate': '--check {--quality-gate}',
  '--test-command': '--check {--test-command}',
  '--monitor-required': '--check "<command>"',
  '--monitor-flow': '--check "<command>"',
  '--doc': 'manyhands do @{--doc}',
  '--max-execution-processes': '--max-parallel {--max-execution-processes}',
  '--phase-parallelism': '--max-parallel {--phase-parallelism}',
  '--discover': '--plan-only',
  '--resume': 'manyhands resume',
  '--runtime-dir': 'manyhands resume',
  '--manifest': 'manyhands bulk run {file}',
  '--task-file': 'manyhands bulk run {file}',
  '--prompt-file': 'manyhands bulk scan --prompt "<instruction>"',
  '--glob': 'manyhands bulk scan --glob {--glob} --prompt {text} --output tasks.jsonl',
  '--files': 'manyhands bulk scan --glob {--files} --prompt {text} --output tasks.jsonl',
  '--config': 'manyhands init --import',
  '-c': 'manyhands init --import',
  'run:--config': 'manyhands run {file}',
  'yolo:--config': 'manyhands yolo {text}',
  '--from-todo': 'manyhands run {file}[--execute: --execute][-e: --execute]',
  '--yolo': 'manyhands yolo {file}',
  '--auto-approve': '--yes',
  '-e': '--execute',
  '-n': '--dry-run',
  '-s': '--sequential',
  'review:-r': '--from-run',
  'review:-m': '--automerge',
  'review:--sequential': '--max-parallel 1',
  'review:-s': '--max-parallel 1',
  'review:--parallel': 'nothing: pull requests are reviewed in parallel; --max-parallel 1 does one at a time',
  '--list': 'manyhands config list',
  '--mock': '--rehearse',
  '--file': 'manyhands run {file}',
  'resume:--run-id': 'manyhands resume {run}',
  'retry:--run-id': 'manyhands retry {run}',
  'do:--run-id': 'manyhands resume {run}',
  '--run-id': 'the run as an argument: manyhands show {run}',
  '--workflow-id': 'the run as an argument: manyhands show {run}',
  '--node-id': 'the node as an argument: manyhands retry <run> {node}',
  '--cwd': '-C {--cwd}',
  '--project-dir': '-C {--project-dir}',
  '--project': '-C {--project}',
  '--allow-write': '--write',
  '--allow': '--scope-allow {--allow}',
  '--deny': '--scope-deny {--deny}',
  '--role': RUN_WORKER,
  'run:--profile': RUN_WORKER,
  'run:--task-type': RUN_WORKER,
  'run:--allow-write': RUN_WORKER,
  'run:--timeout-seconds': RUN_WORKER,
  '--timeout-seconds': '--stop time={--timeout-seconds}s',
  '--port': 'manyhands serve --port {--port}',
  '-v': '--version',
  '-d': '-C {-d}',
};
