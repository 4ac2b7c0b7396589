import { z } from 'zod';
import { ignoredBelow, type KeyMapping, mapped, widening } from './key-mapping.ts';

/** Every key of the section `simple` in `config.toml`: bulk work. */
export const BULK_TOML: readonly KeyMapping[] = [
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

function translated(command: string): string {
  return command.replaceAll('{python}', 'python3').replaceAll('{target}', '{file}');
}
