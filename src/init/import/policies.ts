import { z } from 'zod';
import { ignored, type KeyMapping, mapped } from './key-mapping.ts';
import { Amount, Flag, Whole } from './value.ts';

/** Every key of `folder-policy.json`. */
export const FOLDER_POLICY: readonly KeyMapping[] = ignored(
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
export const QUEUE_POLICY: readonly KeyMapping[] = [
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
export const COST_GUARD: readonly KeyMapping[] = [
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
export const LOCAL_POLICY: readonly KeyMapping[] = [
  ...ignored('a model belongs to an agent: set agents.<name>.models, and routing.prefer for the role', [
    'preferred_models',
  ]),
  ...ignored('profiles are logins of an agent: see routing.ccswitch', ['preferred_profiles']),
  ...ignored('it is a remark', ['notes', 'updated_at']),
];
