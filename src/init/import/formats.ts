import { posix } from 'node:path';
import { z } from 'zod';
import { isPlain, type Plain, valueAt } from '../../config/merge.ts';
import { CONFIG_TOML } from './config-toml.ts';
import type { Syntax } from './foreign-file.ts';
import { type ImportContext, ignored, type KeyMapping, type KeyResult, left, mapped } from './key-mapping.ts';
import { ORCHESTRATOR_JSON } from './orchestrator-json.ts';
import { ORCHESTRATOR_YAML, TASK_CONFIG } from './orchestrator-yaml.ts';
import { Amount, Flag, Text, Texts, Whole } from './value.ts';

/** Every key of `folder-policy.json`. */
const FOLDER_POLICY: readonly KeyMapping[] = ignored(
  "it is a rule for that tool's own folders; ours are listed by manyhands where",
  [
    'schema_version',
    'generated_at',
    'workspace_root',
    'artifact_root',
    'principle',
    'allowed_agent_artifact_dirs',
    'allowed_project_files_when_explicitly_requested',
    'forbidden_project_paths',
    'commands',
  ],
);

/** Every key of `queue_policy.json`. */
const QUEUE_POLICY: readonly KeyMapping[] = [
  mapped('max_concurrent', 'limits.agents', { type: Whole }),
  mapped('default_timeout_seconds', 'limits.runtimeSeconds', { type: Amount }),
  ...ignored('a job has a priority of its own: manyhands job --priority', ['default_priority']),
  ...ignored('what follows a failure is decided by its kind; limits.attempts is the most', [
    'retry_failed_read_only',
    'retry_write_enabled',
  ]),
  ...ignored('an attempt that takes too long is always ended', ['stop_timed_out']),
  ...ignored('it records when the file was created', ['updated_at']),
];

/** Every key of `cost_guard.json`. */
const COST_GUARD: readonly KeyMapping[] = [
  mapped('max_concurrent', 'limits.agents', { type: Whole }),
  mapped('max_timeout_seconds', 'limits.runtimeSeconds', { type: Amount }),
  mapped('output_budget.max_output_bytes', 'limits.output.maxBytes', { type: Whole }),
  mapped('output_budget.soft_output_bytes', 'limits.output.softBytes', { type: Whole }),
  mapped('output_budget.policy', 'limits.output.onMax', { type: z.enum(['stop', 'truncate']) }),
  mapped('output_budget.final_only', 'limits.output.finalOnly', { type: Flag }),
  ...ignored('a limit of one agent is agents.<name>.runtimeSeconds', ['per_model']),
  ...ignored('one limit counts all output of an attempt', [
    'output_budget.max_events_bytes',
    'output_budget.final_max_chars',
  ]),
  ...ignored('it records when the file was created', ['updated_at']),
];

/** Every key of `local_policy.override.json`. */
const LOCAL_POLICY: readonly KeyMapping[] = [
  ...ignored('a model belongs to an agent: set agents.<name>.models, and routing.prefer for the role', [
    'preferred_models',
  ]),
  ...ignored('profiles are logins of an agent: see routing.ccswitch', ['preferred_profiles']),
  ...ignored('it is a remark', ['notes', 'updated_at']),
];

/** Every key of `.claude-code-orchestrator/write-scope.json`. */
const WRITE_SCOPE: readonly KeyMapping[] = [
  mapped('allowed_paths', 'scope.allow', {
    type: Texts,
    turn: (paths, context) => scoped('scope.allow', paths, context),
  }),
  mapped('denied_paths', 'scope.deny', { type: Texts, turn: (paths, context) => scoped('scope.deny', paths, context) }),
  mapped('max_diff_lines', 'scope.maxChangedLines', { type: Whole }),
  ...ignored('it records when and where the file was created', ['created_at', 'cwd']),
  ...ignored('they are sentences for an agent; the gate is what counts here', ['rules']),
];

/** A file of another tool's settings: its path, and what becomes of its keys. */
export type ForeignFormat = {
  file: string;
  syntax: Syntax;
  keys: readonly KeyMapping[];
  /** Files that the tool reads where its settings name none. */
  defaults?: Readonly<Record<string, string>>;
  /** Tells a file of that tool from one that only has its name. */
  matches?(value: Plain): boolean;
};

const POLICIES = 'scripts/cc-orchestrator/config';

/** Every file that is read, in order: of two that set the same, the first counts. */
export const FORMATS: readonly ForeignFormat[] = [
  {
    file: '.orchestrator/config.json',
    syntax: 'yaml',
    keys: ORCHESTRATOR_JSON,
    defaults: { instructionsFile: 'ORCHESTRATOR.md', progressFile: '.orchestrator/progress.txt' },
  },
  { file: '.claude-orchestrator.yaml', syntax: 'yaml', keys: ORCHESTRATOR_YAML },
  { file: '.claude-orchestrator/config.toml', syntax: 'toml', keys: CONFIG_TOML },
  {
    file: 'config.toml',
    syntax: 'toml',
    keys: CONFIG_TOML,
    matches: hasAnyOf(['orchestrator', 'claude', 'codex', 'simple']),
  },
  { file: 'task_config.yaml', syntax: 'yaml', keys: TASK_CONFIG, matches: hasAnyOf(['settings', 'tasks']) },
  { file: '.claude-code-orchestrator/write-scope.json', syntax: 'yaml', keys: WRITE_SCOPE },
  {
    file: '.agent-workspace/claude-code-orchestrator/policies/folder-policy.json',
    syntax: 'yaml',
    keys: FOLDER_POLICY,
  },
  { file: `${POLICIES}/queue_policy.json`, syntax: 'yaml', keys: QUEUE_POLICY },
  { file: `${POLICIES}/cost_guard.json`, syntax: 'yaml', keys: COST_GUARD },
  { file: `${POLICIES}/local_policy.override.json`, syntax: 'yaml', keys: LOCAL_POLICY },
];

/** A file below the home folder, and the one of a project that takes precedence. */
export type HomeFormat = ForeignFormat & { below: string };

/** Files that tools keep for all projects of a person; whatever a project has counts before them. */
export const HOME_FORMATS: readonly HomeFormat[] = [
  {
    file: '.config/claude-orchestrator/config.yaml',
    syntax: 'yaml',
    keys: ORCHESTRATOR_YAML,
    below: '.claude-orchestrator.yaml',
  },
];

function hasAnyOf(sections: readonly string[]): (value: Plain) => boolean {
  return (value) => sections.some((section) => isPlain(value[section]) || Array.isArray(value[section]));
}

/** Paths were written in full; what lies outside of the folder they were made for cannot be kept to. */
function scoped(to: string, paths: readonly string[], { whole }: ImportContext): KeyResult {
  const from = Text.safeParse(valueAt(whole, ['cwd'])).data;
  const inside = paths.flatMap((path) => insideOf(from === undefined ? undefined : slashed(from), slashed(path)) ?? []);
  if (inside.length === 0) return left('no path lies inside the project');
  const lost = paths.length - inside.length;
  return {
    settings: [{ to, value: inside }],
    ...(lost === 0 ? {} : { note: `${lost} of ${paths.length} paths lie outside the project, or are the whole of it` }),
  };
}

function insideOf(folder: string | undefined, path: string): string | undefined {
  const isWhole = path.startsWith('/') || /^[A-Za-z]:\//.test(path);
  if (isWhole && folder === undefined) return undefined;
  const way = posix.normalize(isWhole && folder !== undefined ? posix.relative(folder, path) : path);
  return way === '' || way === '.' || way.startsWith('..') || way.startsWith('/') ? undefined : way;
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/');
}
