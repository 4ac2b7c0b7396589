/** Options without an equivalent: the reason, and their names. */
const UNUSED: Readonly<Record<string, string>> = {
  'what is monitored is a check: --check "<command>"': '--monitor-required --monitor-flow',
  'the instruction is the text of --prompt': '--prompt-file',
  'output is always streamed': '--enable-streaming',
  'a task that needs a failed one does not start': '--error-policy',
  'a rate-limited agent is not used until its reset': '--rate-limit',
  'every task has its own workspace': '--isolate',
  'pull requests are reviewed in parallel; --max-parallel 1 does one at a time': 'review:--parallel',
  'work is saved before a workspace is removed': '--keep-worktrees',
  'a run starts without confirmation; --plan-only waits for one': 'do:-y do:--yes auto:-y auto:--yes',
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
  'a run keeps its agents; manyhands retry --agent changes them': 'resume:--provider status:--provider',
  'checks belong to a run: --check when it starts': 'verify-run:--test-command verify-run:--test-timeout-seconds',
  'nothing is installed by it': 'upgrade-check:--apply',
  'it is written only with --apply': 'archive-runs:--remove',
  'keys are never printed': '--include-secrets',
  'your .mcp.json is never written': '--repair-mcp repair-mcp-paths:--apply --create --mcp-path',
  'planned tasks are kept with the run; manyhands plan --run writes them': 'yolo:--config',
};

/** The options of a worker of another tool, as those of a job. */
export const WORKER_OPTIONS =
  '[--role: --role {--role}][--profile: --agent {--profile}][--allow-write: --write][--timeout-seconds: --stop time={--timeout-seconds}s]';

/** A file of tasks, and files to which an instruction applies, of another tool. */
export const BULK_RUN = 'manyhands bulk run {file}[--provider: --agent {--provider}]';
export const BULK_SCAN =
  'manyhands bulk scan[--glob: --glob {--glob}][--files: --glob {--files}] --prompt {text} --output tasks.jsonl\n  and: manyhands bulk run tasks.jsonl[--provider: --agent {--provider}]';

/** One task of one worker of another tool, as a job. */
export const RUN_WORKER = `manyhands job {text}${WORKER_OPTIONS}`;

/**
 * Options of other tools, and what to type here: other options (they replace what was typed), an argument, nothing at
 * all, a whole command, or `nothing` with the reason. `review:-m` is `-m` of the command `review` only.
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
  '--doc': 'manyhands do @{--doc}{options}',
  '--max-execution-processes': '--max-parallel {--max-execution-processes}',
  '--phase-parallelism': '--max-parallel {--phase-parallelism}',
  '--discover': '--plan-only',
  '--resume': 'manyhands resume',
  '--runtime-dir': 'manyhands resume',
  '--manifest': BULK_RUN,
  '--task-file': BULK_RUN,
  '--glob': BULK_SCAN,
  '--files': BULK_SCAN,
  '--config': 'manyhands init --import',
  '-c': 'manyhands init --import',
  'run:--config': '{--config}',
  'run:--from-todo': '{--from-todo}',
  'run:--yolo': '',
  '--auto-approve': '--yes',
  '-e': '--execute',
  '-n': '--dry-run',
  '-s': '--sequential',
  'review:-r': '--from-run',
  'review:-m': '--automerge',
  'review:-p': '--pr {-p}',
  'review:--sequential': '--max-parallel 1',
  'review:-s': '--max-parallel 1',
  '--list': 'manyhands config list',
  '--mock': '--rehearse',
  '--file': 'manyhands run {file}',
  'resume:--run-id': 'manyhands resume {run}',
  'retry:--run-id': 'manyhands retry {run}',
  'do:--run-id': 'manyhands resume {run}',
  '--run-id': '{--run-id}',
  '--workflow-id': '{--workflow-id}',
  '--node-id': '{--node-id}',
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
