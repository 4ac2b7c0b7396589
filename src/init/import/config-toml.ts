import { z } from 'zod';
import { UNUSED_TOML } from './config-toml-unused.ts';
import { ignored, ignoredBelow, type KeyMapping, left, mapped, widening } from './key-mapping.ts';
import { Amount, Flag, Text, Whole } from './value.ts';

/** Every key of the section `simple` in `config.toml`: bulk work. */
const BULK_TOML: readonly KeyMapping[] = [
  mapped('simple.syntax_checkers', 'syntax.checkers', {
    type: z.record(z.string(), z.string()),
    turn: (checkers) => {
      const value = Object.fromEntries(
        Object.entries(checkers).map(([ending, command]) => [ending, translated(command)]),
      );
      return widening(
        'syntax.checkers',
        value,
        `these commands check changed files: ${Object.values(value).join('; ')}`,
      );
    },
  }),
  ...ignoredBelow('simple', 'every item has a workspace of its own, and its work is always kept', [
    'enabled',
    'default_isolation',
    'none_file_conflict_strategy',
    'copy_root_dir',
    'manifest_dir',
    'auto_recover_unauthorized_changes',
    'rollback_on_validation_failure',
    'cleanup_policy',
    'cache_repo_status_baseline',
    'conflict_detection_enabled',
    'claude_exec_ephemeral',
    'claude_home_isolation',
    'codex_exec_ephemeral',
    'codex_home_isolation',
    'windows_path_budget',
  ]),
  ...ignoredBelow('simple', 'items start as soon as a slot is free', [
    'max_pending_tasks',
    'initial_execution_slots',
    'execution_slot_batch_size',
    'execution_slot_ramp_interval_seconds',
    'global_max_running_processes',
    'global_fair_share_enabled',
    'prepare_workers',
    'validate_workers',
    'max_prepared_items',
    'bucket_strategy',
    'fair_scheduling',
    'dynamic_throttle_enabled',
    'starvation_seconds',
    'max_bucket_alerts',
  ]),
  ...ignoredBelow('simple', 'an item sets it itself, or limits does', [
    'default_timeout_seconds',
    'default_max_attempts',
    'default_max_turns',
    'verify_command_timeout_seconds',
    'cpu_percent_max',
    'memory_percent_max',
    'disk_free_mb_min',
  ]),
  ...ignoredBelow('simple', 'an agent reads files itself, and its prompt always says why an earlier attempt failed', [
    'prompt_inline_file_bytes',
    'prompt_inline_file_chars',
    'prompt_inline_directory_entries',
    'retry_feedback_in_prompt_enabled',
  ]),
  ...ignoredBelow('simple', 'patterns and checks belong to the item', [
    'pattern_checks_enabled',
    'default_semantic_validators',
    'validate_task_file_targets',
  ]),
  ...ignoredBelow('simple', 'everything is recorded, and a run continues after any crash', [
    'event_log_enabled',
    'resume_reset_running_to_pending',
    'execution_lease_db_path',
    'execution_lease_ttl_seconds',
    'run_heartbeat_interval_seconds',
    'stale_run_timeout_seconds',
  ]),
  ...ignoredBelow('simple', 'failed items are tried again with manyhands retry', [
    'completion_until_clean_enabled',
    'completion_retry_cancelled_runs',
    'completion_max_retry_waves',
    'completion_max_stagnant_waves',
    'completion_max_identical_failure_waves',
  ]),
  ...ignoredBelow('simple', 'use --max-parallel or limits.agents', ['max_running_processes']),
];

const Provider = z.enum(['auto', 'claude', 'codex']);
const MAX_AGENTS = 150;
/** Phases of that tool and the roles that do the same here. */
const PHASES = {
  decompose: 'plan',
  execute: 'implement',
  review: 'review',
  discover: 'discover',
  requirement: 'requirements',
};

/** Every key of `config.toml`. */
export const CONFIG_TOML: readonly KeyMapping[] = [
  mapped('orchestrator.max_parallel', 'limits.agents', {
    type: Whole,
    turn: (most) => ({
      settings: [{ to: 'limits.agents', value: Math.min(most, MAX_AGENTS) }],
      ...(most > MAX_AGENTS ? { note: `at most ${MAX_AGENTS} work at once` } : {}),
    }),
  }),
  ...ignoredBelow('orchestrator', 'agents start as soon as a slot is free; nothing is polled or queued by size', [
    'min_parallel',
    'adaptive_enabled',
    'queue_capacity',
    'health_check_interval',
    'shutdown_timeout',
    'concurrency_groups',
    'max_write_parallel',
  ]),
  ...providerKeys('claude'),
  ...providerKeys('codex'),
  mapped('codex.execution_security_mode', 'agents.codex.permission', {
    type: z.enum(['restricted', 'trusted_local']),
    turn: (mode) =>
      mode === 'restricted'
        ? left('that is how it is anyway')
        : widening('agents.codex.permission', 'bypass', 'codex does everything without asking'),
  }),
  mapped('routing.default_provider', 'routing.order', {
    type: Provider,
    turn: (provider) =>
      provider === 'auto'
        ? left('agents are chosen by role anyway')
        : { settings: [{ to: 'routing.order', value: [provider] }] },
  }),
  mapped('routing.auto_fallback', 'routing.fallback', { type: Flag }),
  ...Object.entries(PHASES).map(([phase, role]) =>
    mapped(`routing.phase_defaults.${phase}`, `routing.prefer.${role}`, {
      type: Provider,
      turn: (provider) =>
        provider === 'auto'
          ? left('agents are chosen by role anyway')
          : { settings: [{ to: `routing.prefer.${role}`, value: [provider] }] },
    }),
  ),
  ...ignoredBelow('routing.phase_defaults', 'there is no such phase; items of bulk work are tasks like others', [
    'simple',
    'self_improve',
  ]),
  mapped('retry.max_attempts', 'limits.attempts', { type: Whole }),
  mapped('retry.backoff_base', 'limits.retryDelaySeconds', { type: Amount }),
  ...ignoredBelow('retry', 'the kind of a failure decides how long to wait', [
    'backoff_multiplier',
    'jitter',
    'max_delay',
  ]),
  mapped('limits.max_output_size_bytes', 'limits.output.maxBytes', { type: Whole }),
  mapped('limits.min_disk_space_mb', 'limits.freeDiskMb', { type: Amount }),
  ...ignoredBelow('limits', 'there is no such limit here', [
    'max_prompt_size_chars',
    'max_memory_percent',
    'max_process_rss_mb',
    'max_nesting_depth',
    'stream_file_max_bytes',
    'blackboard_value_max_chars',
    'lru_max_outputs',
    'lru_max_results',
  ]),
  mapped('delivery.local_only', 'land', {
    type: Flag,
    turn: (value) =>
      value ? { settings: [{ to: 'land', value: 'branch' }] } : left('choose how it lands with land: merge or pr'),
  }),
  ...ignoredBelow('delivery', 'pull requests are settings of their own: pr', ['allow_multi_branch', 'write_pr_drafts']),
  ...BULK_TOML,
  ...UNUSED_TOML,
];

function providerKeys(name: 'claude' | 'codex'): KeyMapping[] {
  return [
    mapped(`${name}.default_model`, `agents.${name}.model`, { type: Text }),
    mapped(`${name}.default_timeout`, `agents.${name}.runtimeSeconds`, { type: Amount }),
    mapped(`${name}.max_budget_usd`, `agents.${name}.spendUsd`, {
      type: Amount,
      turn: (value) =>
        value > 0 ? { settings: [{ to: `agents.${name}.spendUsd`, value }] } : left('0 is no limit there'),
    }),
    mapped(`${name}.cli_path`, `agents.${name}.command`, {
      type: Text,
      turn: (value) =>
        value === name
          ? left('it is the usual program')
          : widening(`agents.${name}.command`, value, `${value} is started as the agent ${name}`),
    }),
    ...ignored('a budget is always a limit', [`${name}.budget_enforcement_mode`]),
  ];
}

function translated(command: string): string {
  return command.replaceAll('{python}', 'python3').replaceAll('{target}', '{file}');
}
