import { z } from 'zod';
import { WorkflowNode } from '../../schema/work-file.ts';
import { keysOf } from '../../work-files/checked.ts';
import { FileId, oneOrMany } from '../../work-files/listed.ts';

const Text = z.string().trim().min(1, 'must not be empty').max(200_000, 'must have at most 200,000 characters');
const Retry = z.object({ max_attempts: z.number().int().min(1).max(20).optional() });

/** A task of a graph as the files write it: under `tasks.<id>`, or in a list with `id`, `instruction` and `inputs`. */
export const DagTask = z.object({
  id: FileId.optional(),
  title: WorkflowNode.shape.title,
  prompt: Text.optional(),
  prompt_template: Text.optional(),
  instruction: Text.optional(),
  depends_on: oneOrMany(FileId).optional(),
  needs: oneOrMany(FileId).optional(),
  inputs: oneOrMany(FileId).optional(),
  outputs: oneOrMany(FileId).optional(),
  timeout: WorkflowNode.shape.timeoutSeconds,
  retry: Retry.optional(),
  retry_policy: Retry.optional(),
  model: z.string().optional(),
  complexity: z.enum(['simple', 'moderate', 'complex']).optional(),
  output_schema: WorkflowNode.shape.outputSchema,
  output_format: z.enum(['json', 'text']).optional(),
  system_prompt: z.string().max(200_000).optional(),
  condition: z.string().optional(),
  loop: z
    .object({
      max_iterations: z.number().int().min(1).max(100).default(5),
      until_condition: z.string().default(''),
      retry_on_failure: z.boolean().optional(),
    })
    .optional(),
  links: z.array(z.object({ upstream_task: z.string(), output_path: z.string(), input_key: z.string() })).optional(),
  transform: z
    .array(z.object({ source_path: z.string(), target_key: z.string(), default: z.unknown().optional() }))
    .optional(),
  is_read_only: z.boolean().optional(),
  read_only: z.boolean().optional(),
  provider: WorkflowNode.shape.agent,
  type: z.enum(['agent_cli', 'claude_cli', 'codex_cli', 'analysis', 'operation']).default('agent_cli'),
});
export type DagTask = z.infer<typeof DagTask>;

export const DagHead = z.object({
  name: z.string().trim().min(1).max(200).optional(),
  max_parallel: z.number().int().min(1).optional(),
  retry: Retry.optional(),
});
export type DagHead = z.infer<typeof DagHead>;

/** Known keys that have no counterpart here, with what to use instead. */
export const UNUSED_TASK_KEYS: Record<string, string> = {
  outputs: 'the order follows from inputs and depends_on',
  working_dir: 'tasks work in a copy of the whole project',
  allowed_tools: 'set it in the config as tools',
  max_budget_usd: 'give the run a budget with --budget',
  max_turns: 'set it in the config as limits.turns',
  preload_skills: 'it is not understood',
  validation_gate: 'give a check with --check',
  error_policy: 'what needs a failed task does not start',
  priority: 'tasks start in the order of the graph',
  is_sequential: 'tasks start in the order of the graph',
  task_type: 'it is not needed',
  concurrency_group: 'use --max-parallel',
  lane: 'it is not needed',
  idempotent: 'it is not needed',
  executor_config: 'it is not understood',
  env_overrides: 'set it in the config of the agent',
  extra_args: 'set it in the config of the agent',
  ephemeral: 'it is not needed',
  is_critical: 'every task must succeed',
  tags: 'it is not needed',
  color: 'it is not needed',
};

/** Known keys of a retry and of a loop that have no counterpart here. */
export const UNUSED_RETRY_KEYS: Record<string, string> = Object.fromEntries(
  ['backoff_base', 'backoff_multiplier', 'max_delay', 'jitter'].map((key) => [
    key,
    'the delay is the setting limits.retryDelaySeconds',
  ]),
);
export const UNUSED_LOOP_KEYS: Record<string, string> = {
  retry_on_failure: 'a failed task has as many attempts as retry.max_attempts, or limits.attempts',
};

export const DAG_TASK_KEYS = [...keysOf(DagTask), ...Object.keys(UNUSED_TASK_KEYS)];
export const DAG_HEAD_KEYS = [...keysOf(DagHead), 'schema_version', 'description', 'hooks'];
export const DAG_KEYS = [...DAG_HEAD_KEYS, 'dag', 'meta', 'tasks', '$schema'];
