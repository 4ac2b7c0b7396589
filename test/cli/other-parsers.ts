/** The options of a command that a goal starts with, in the first tool. */
const GOAL = `-d|--dir= --provider= --phase-provider= --doc= --mode= --pool-config= --pool-profile= -y|--yes --max-hours= --max-iterations=
  --max-phase-iterations= --phase-parallelism= --convergence-threshold= --convergence-window= --score-improvement-min=
  --disable-adaptive-tuning --max-execution-processes= --log-file= --log-dir= --resume --runtime-dir= --quality-gate= --gather
  --gather-mode= --gather-max-rounds= --gather-file= --skip-gather --architecture-mode= --architecture-pattern=
  --architecture-deliberation= --files= --glob= --task-file= --prompt-file= --isolate=`;
const IMPROVE = `-d|--dir= --provider= --phase-provider= --source= --approval-mode= --approval-file= --plan-file= --plan-phase= --quality-gate=
  --monitor-required --monitor-flow= --max-hours= --max-iterations= --log-file= --log-dir= --skip-introspection --skip-external
  --discover --smart-discover --keywords= --rss-feed= --discover-max= --search-template= --search-provider=
  --disable-search-provider= --min-source-score= --max-hits-per-provider= --disable-discovery-research --research-iterations=
  --research-probe-budget= --research-max-leads= --sogou-cookie-header= --sogou-cookie-file= --sogou-storage-state= --rounds=
  --auto-approve --round-delay=`;

/**
 * Every command of the other tools with its words and options, as their parsers declare them; `=` marks an option with a value,
 * `|` its other name.
 */
export const OTHER_PARSERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Master Orchestrator': {
    'do <target>': `${GOAL} --run-id= --rate-limit= --error-policy= --enable-streaming`,
    'runs <dag>': `-d|--dir= --log-file= --log-dir= --pool-config= --pool-profile= --run-id= --json --resume --retry --graph`,
    improve: IMPROVE,
    'claude do <target>': GOAL,
    'claude auto <goal>': GOAL,
    'claude run <dag>': '-d|--dir=',
    'claude improve': IMPROVE,
    'codex do <target>': GOAL,
    'codex runs <dag>': '-d|--dir= --resume',
    'run <dag>': `-d|--dir= --log-file= --log-dir= --pool-config= --pool-profile= --rate-limit= --error-policy= --enable-streaming`,
    'resume <dag>': '--run-id= -d|--dir= --log-file= --log-dir= --pool-config= --pool-profile=',
    'retry-failed <dag>': '--run-id= -d|--dir= --log-file= --log-dir= --pool-config= --pool-profile=',
    status: '--run-id= --json',
    'visualize <dag>': '--run-id=',
    'auto <goal>': GOAL,
    'self-improve': IMPROVE,
    'simple run <instruction>': `-d|--dir= --provider= --files= --glob= --task-file= --prompt-file= --isolate= --log-file= --log-dir=`,
    'simple scan <instruction>': `-d|--dir= --provider= --files= --glob= --task-file= --prompt-file= --isolate= --log-file= --log-dir= --json`,
    'simple resume': '--run-id= --log-file= --log-dir=',
    'simple retry': '--run-id= --log-file= --log-dir=',
    'simple cancel': `--run-id= --reason= --no-kill-processes --force-close --grace-seconds= --kill-timeout-seconds= --dry-run --json --log-file=
    --log-dir=`,
    'simple reconcile': `--run-id= --item-status= --run-status= --reason= --force --dry-run --json --log-file= --log-dir=`,
    'simple status': '--run-id= --json',
    'simple manifest': '--run-id= --out=',
    dashboard: '--port= --no-open',
  },
  'agent-orchestrator': {
    init: '',
    start: '--project= --port=',
    '--port=3001': '--project=',
  },
  'controller skill': {
    healthcheck: '',
    'init-workspace': '--cwd= --role= --no-claude-md --repair-mcp',
    'workspace-status': '--cwd=',
    'migrate-data': '--cwd= --apply',
    'clean-workspace': '--cwd= --older-than-days= --apply',
    'archive-runs': '--cwd= --older-than-days= --run-id= --apply --remove',
    'repair-mcp-paths': '--cwd= --mcp-path= --create --apply',
    'folder-policy': '--cwd= --apply',
    'list-profiles': '--include-secrets',
    pick: '--role= --task-type= --profile=',
    'run <task>': '--role= --task-type= --profile= --allow-write --timeout-seconds= --cwd=',
    'run-streaming <task>': `--role= --task-type= --profile= --allow-write --timeout-seconds= --cwd= --context= --no-include-partial-messages
    --max-output-bytes= --max-events-bytes= --soft-output-bytes= --output-budget-policy= --kill-on-excessive-output --final-only
    --final-max-chars=`,
    'poll-run': `--run-id= --stdout-offset= --stderr-offset= --event-offset= --max-bytes= --tail-chars= --no-output-tail --mode=
    --max-events= --max-summary-chars= --no-write-artifacts`,
    'summarize-run': `--run-id= --event-offset= --max-bytes= --max-events= --max-summary-chars= --no-write-artifacts`,
    'compact-events': '--run-id= --event-offset= --max-bytes= --max-events= --write-artifacts',
    'stop-run': '--run-id= --force --timeout-seconds=',
    'run-status': '--run-id= --include-output --include-finished --tail-chars= --limit=',
    'send-instruction <instruction>': `--run-id= --force --role= --task-type= --timeout-seconds= --no-preserve-route --reroute --route-profile= --route-model=`,
    'spawn-role-team <task>': '--roles= --cwd= --context= --timeout-seconds=',
    'collect-team-results': '--team-id= --run-id= --tail-chars=',
    'cross-review': '--run-id= --reviewer-roles= --cwd= --timeout-seconds=',
    'preflight-write-scope': '--cwd= --allow= --deny= --max-diff-lines=',
    'check-write-scope': '--run-id= --cwd=',
    'diff-summary': '--cwd=',
    'secret-scan-run': '--run-id= --no-diff',
    'rollback-run': '--run-id= --confirm',
    'verify-run': '--run-id= --test-command= --test-timeout-seconds= --no-diff',
    'benchmark-model': '--profile= --role= --task= --timeout-seconds= --execute',
    'benchmark-suite': '--profile= --timeout-seconds= --execute',
    'calibrate-policy': '--preferences-json= --preference= --no-apply',
    'cost-guard': '--config-json= --max-concurrent= --max-timeout-seconds= --apply',
    'usage-summary': '--date= --write-report',
    'queue-submit <task>': '--role= --priority= --cwd= --context= --timeout-seconds= --max-retries= --allow-write',
    'queue-tick': '--max-concurrent=',
    'queue-status': '--active-only',
    'queue-cancel': '--job-id=',
    'queue-policy': '--config-json= --max-concurrent= --default-timeout-seconds= --apply',
    'model-registry': '--refresh --apply',
    'local-policy': '--config-json= --preference= --show --apply',
    'score-worker': '--run-id= --solved= --hallucination= --needs-rework= --notes= --no-apply',
    'prompt-pack': '--list',
    'render-prompt': '--template= --task= --var=',
    'upgrade-check': '--apply',
    'mock-stream-test': '--timeout-seconds=',
    dashboard: '--include-finished --active-only --limit= --open',
    'open-run-folder': '--run-id= --no-open',
    'export-report': '--run-id= --team-id= --output-dir=',
    'controller-report': '--run-id= --team-id= --date= --active-only --limit= --output-dir=',
    'pressure-report': '--run-id= --team-id= --date= --active-only --limit= --output-dir=',
    'decision-review <proposed_action>': '--task= --run-id= --team-id= --evidence= --output-dir=',
    'supervise-decision <proposed_action>': '--task= --run-id= --team-id= --evidence= --output-dir=',
    'run-visible <task>': '--role= --task-type= --profile= --allow-write --cwd=',
    diff: '--cwd=',
    'workflow-plan <task>': '--cwd=',
    'workflow-validate': '--file= --cwd=',
    'workflow-dry-run': '--file= --task= --cwd=',
    'workflow-run': '--file= --task= --cwd= --mock --loop-guard=',
    'workflow-status': '--workflow-id= --cwd=',
    'workflow-retry-node': '--workflow-id= --node-id= --cwd=',
    'workflow-stop': '--workflow-id= --cwd= --force',
    'workflow-report': '--workflow-id= --cwd=',
    'handoff-template': '--role=',
    'handoff-validate': '--run-id= --schema=',
    'handoff-read': '--run-id=',
    'handoff-repair-prompt': '--run-id=',
    'score-models': '',
    'write-auto-policy': '',
    'write-reports': '--output-dir=',
    'write-claude-md': '--cwd= --role= --project-name= --append --force',
    selftest: '',
    'last-run': '--run-id=',
  },
  'claude-code-orchestrator': {
    doctor: '-d|--project-dir= -m|--mcps=',
    init: '-d|--project-dir= -f|--force --use-claude --no-claude',
    generate: '-t|--from-todo= -o|--output= --use-sdk --no-sdk -d|--project-dir=',
    run: `-c|--config= -t|--from-todo= -e|--execute --yolo --with-review --tasks= -y|--auto-approve --keep-worktrees -n|--dry-run
    --no-pr -s|--sequential -d|--project-dir=`,
    'yolo <todo>': '-c|--config= --tasks= -s|--sequential -d|--project-dir=',
    'config <key> <value>': '-g|--global -d|--project-dir=',
    config: '-l|--list -g|--global -d|--project-dir=',
    'config <key>': '-g|--global',
    status: '-d|--project-dir=',
    cleanup: '-d|--project-dir= -f|--force',
    review: `-p|--pr= -r|--from-run -m|--automerge -y|--auto-approve --sequential --parallel -d|--project-dir=`,
  },
};

/** What is typed for a word or the value of an option. */
const VALUES: Readonly<Record<string, string>> = {
  '<dag>': 'dag.toml',
  '<todo>': 'todo.md',
  '<key>': 'workflow.auto_pr',
  '<value>': 'false',
  '--provider': 'codex',
  '--phase-provider': 'execute=codex',
  '--doc': 'goal.md',
  '--glob': 'src/*.ts',
  '--files': 'src/a.ts',
  '--task-file': 'tasks.jsonl',
  '--file': 'flow.yaml',
  '--from-todo': 'todo.md',
  '--config': 'tasks.yaml',
  '--output': 'planned.yaml',
  '--out': 'failed.jsonl',
  '--role': 'security',
  '--reviewer-roles': 'security,testing',
  '--roles': 'security,testing',
  '--profile': 'claude',
  '--template': 'bugfix',
  '--var': 'area=shop',
  '--date': '2026-03-01',
  '--tasks': 'one',
  '--pr': '42',
  '--quality-gate': 'npm test',
  '--test-command': 'npm test',
  '--run-id': 'k3v9x2ab',
  '--team-id': 'k3v9x2ab',
  '--workflow-id': 'k3v9x2ab',
  '--job-id': 'k3v9x2ab',
  '--node-id': 'review',
  '--preference': 'review=claude',
};
const NUMBERS =
  /hours|rounds|iterations|parallelism|processes|seconds|lines|days|concurrent|retries|limit|port|priority|max|bytes|chars/;
const FOLDERS = /^--(?:dir|cwd|project|project-dir)$/;

function typedFor(name: string): string {
  if (FOLDERS.test(name)) return '.';
  return VALUES[name] ?? (NUMBERS.test(name) ? '7' : name.startsWith('<') ? 'Fix the parser' : `its${name.slice(1)}`);
}

/** A command line of another tool, and the option that was added to the command alone. */
export type OtherLine = { tool: string; argv: string[]; alone: string[]; option?: string };

/** Every command of the other tools alone, with each of its options (in both forms), and with all of them. */
export function otherLines(): OtherLine[] {
  return Object.entries(OTHER_PARSERS).flatMap(([tool, commands]) =>
    Object.entries(commands).flatMap(([command, declared]): OtherLine[] => {
      const alone = command.split(' ').map((word) => (word.startsWith('<') ? typedFor(word) : word));
      const options = declared.split(/\s+/).filter((each) => each !== '');
      const typed = options.map((each) => {
        const names = each.replace('=', '').split('|');
        const value = each.endsWith('=') ? [typedFor(names.at(-1) ?? '')] : [];
        return names.map((name) => [name, ...value]);
      });
      const all = typed.flatMap(([first = []]) => first);
      return [
        { tool, argv: alone, alone },
        ...typed.flatMap((forms) =>
          forms.map((form) => ({ tool, argv: [...alone, ...form], alone, option: form.join(' ') })),
        ),
        ...(options.length > 1 ? [{ tool, argv: [...alone, ...all], alone }] : []),
      ];
    }),
  );
}
