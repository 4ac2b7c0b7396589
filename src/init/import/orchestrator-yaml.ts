import { z } from 'zod';
import { valueAt } from '../../config/merge.ts';
import { ignored, type KeyMapping, left, mapped, widening } from './key-mapping.ts';
import { Amount, Listed, Text, Whole, YamlFlag } from './value.ts';

const Permission = z.enum(['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions']);
const TEST_INSTRUCTIONS = '.manyhands/test-instructions.md';
/** Programs that the tool's own list of servers names; each is found on PATH. */
const SERVERS: Record<string, string> = {
  atlassian: 'mcp-server-atlassian',
  bitbucket: 'mcp-server-bitbucket',
  linear: 'mcp-server-linear',
  postgres: 'mcp-server-postgres',
};

/** Every key of `.claude-orchestrator.yaml`. */
export const ORCHESTRATOR_YAML: readonly KeyMapping[] = [
  mapped('git.provider', 'git.provider', { type: z.enum(['auto', 'github', 'bitbucket', 'gitlab']) }),
  mapped('git.base_branch', 'git.base', {
    type: Text,
    turn: (value, { hasBranch }) =>
      hasBranch(value) ? { settings: [{ to: 'git.base', value }] } : left(`there is no branch ${value}`),
  }),
  mapped('git.destination_branch', 'git.destination', { type: Text }),
  mapped('git.repo_slug', 'git.repo', { type: Text }),
  mapped('git.owner', 'git.repo', {
    type: Text,
    turn: (owner, { whole }) => {
      const repo = valueAt(whole, ['git', 'repo']);
      return typeof repo === 'string'
        ? { settings: [{ to: 'git.repo', value: `${owner}/${repo}` }] }
        : left('there is no git.repo');
    },
  }),
  mapped('git.repo', 'git.repo', {
    type: Text,
    turn: (_, { whole }) =>
      left(valueAt(whole, ['git', 'owner']) === undefined ? 'there is no git.owner' : 'taken with git.owner'),
  }),
  mapped('worktree_dir', 'workspace.dir', { type: Text }),
  mapped('mcps.enabled', 'mcp', {
    type: Listed,
    turn: (names) => {
      const known = names.filter((name) => Object.hasOwn(SERVERS, name));
      const others = names.filter((name) => !known.includes(name));
      return {
        settings: known.map((name) => ({
          to: `mcp.${name}`,
          value: { command: SERVERS[name] },
          widens: `${SERVERS[name]} is started for every agent`,
        })),
        ...(others.length === 0 ? {} : { note: `${others.join(', ')}: name the command in mcp.<name>` }),
      };
    },
  }),
  ...ignored('a package name is no command; name the command in mcp.<name>', ['mcps.custom']),
  mapped('project.key_files', 'project.keyFiles', {
    type: Listed,
    turn: (files) => ({ settings: [{ to: 'project.keyFiles', value: files.map((file) => file.replace(/\/+$/, '')) }] }),
  }),
  mapped('project.test_command', 'project.testCommand', { type: Text }),
  mapped('project.test_instructions', 'project.testInstructions', {
    type: Text,
    turn: (text) => ({
      settings: [{ to: 'project.testInstructions', value: TEST_INSTRUCTIONS }],
      files: [{ path: TEST_INSTRUCTIONS, text: `${text.trimEnd()}\n` }],
      note: `the text is in ${TEST_INSTRUCTIONS}; commit it`,
    }),
  }),
  mapped('project.agent_instructions', 'instructions', {
    type: Text,
    turn: (value, { hasFile }) =>
      hasFile(value) ? { settings: [{ to: 'instructions', value }] } : left(`there is no file ${value}`),
  }),
  mapped('workflow.mode', 'mode', {
    type: z.enum(['review', 'yolo']),
    turn: (value) =>
      value === 'yolo' ? widening('mode', value, 'nothing stops for a review') : { settings: [{ to: 'mode', value }] },
  }),
  mapped('workflow.stop_after_generate', 'stopAfterGenerate', {
    type: YamlFlag,
    turn: (value) =>
      value
        ? left('mode review stops there anyway, and mode yolo never did')
        : widening('stopAfterGenerate', value, 'generated tasks start without review'),
  }),
  ...ignored('a run leaves a branch; more is requested with land', ['workflow.stop_after_run']),
  flag('workflow.auto_approve', 'autoApprove', { when: true, says: 'plans are approved without review' }),
  flag('workflow.auto_pr', 'autoPr', { when: true, says: 'pull requests are opened without asking' }),
  ...toolKeys('tools', 'tools'),
  flag('tools.skip_permissions', 'tools.skipPermissions', { when: true, says: 'agents do everything without asking' }),
  mapped('agent.inactivity_timeout', 'limits.inactivitySeconds', { type: Amount }),
  mapped('agent.max_runtime', 'limits.runtimeSeconds', { type: Amount }),
  mapped('agent.max_retries', 'limits.attempts', {
    type: Whole,
    turn: (retries) => ({ settings: [{ to: 'limits.attempts', value: retries + 1 }] }),
  }),
  ...ignored('a session is always resumed where that helps', ['agent.use_resume']),
  mapped('agent.retry_delay', 'limits.retryDelaySeconds', { type: Amount }),
  flag('review.automerge', 'review.automerge', { when: true, says: 'reviewed pull requests are merged' }),
  mapped('review.test_before_merge', 'review.testBeforeMerge', { type: YamlFlag }),
  mapped('review.require_all_tests_pass', 'review.requireAllTestsPass', { type: YamlFlag }),
  ...toolKeys('review.tools', 'review.tools'),
  ...ignored('reviewers never skip permissions', ['review.tools.skip_permissions']),
];

/** Every key of the settings in `task_config.yaml`; its tasks are read when it is run. */
export const TASK_CONFIG: readonly KeyMapping[] = [
  mapped('settings.base_branch', 'git.base', {
    type: Text,
    turn: (value, { hasBranch }) =>
      hasBranch(value) ? { settings: [{ to: 'git.base', value }] } : left(`there is no branch ${value}`),
  }),
  mapped('settings.destination_branch', 'git.destination', { type: Text }),
  mapped('settings.repo_slug', 'git.repo', { type: Text }),
  mapped('settings.worktree_dir', 'workspace.dir', { type: Text }),
  ...ignored('workspaces are kept until manyhands clean', ['settings.auto_cleanup']),
  ...ignored('they are work, not settings: manyhands run task_config.yaml', ['tasks']),
];

/** A switch that is copied, except for the value that lets agents do more. */
function flag(key: string, to: string, widens: { when: boolean; says: string }): KeyMapping {
  return mapped(key, to, {
    type: YamlFlag,
    turn: (value) => (value === widens.when ? widening(to, value, widens.says) : { settings: [{ to, value }] }),
  });
}

function toolKeys(from: string, to: string): KeyMapping[] {
  const more = (key: string, name: string, says: (items: string) => string) =>
    mapped(`${from}.${key}`, `${to}.${name}`, {
      type: Listed,
      turn: (items) =>
        items.length === 0 ? left('it is empty') : widening(`${to}.${name}`, items, says(items.join(', '))),
    });
  return [
    mapped(`${from}.permission_mode`, `${to}.permissionMode`, {
      type: Permission,
      turn: (mode) => permission(to, mode),
    }),
    more('allowed_cli', 'allowedCli', (items) => `agents run ${items} without asking`),
    more('allowed_tools', 'allowedTools', (items) => `agents use ${items} without asking`),
    more('add_dirs', 'addDirs', (items) => `agents use the folders ${items}`),
    mapped(`${from}.disallowed_tools`, `${to}.disallowedTools`, { type: Listed }),
  ];
}

function permission(to: string, mode: z.infer<typeof Permission>) {
  const key = `${to}.permissionMode`;
  if (mode === 'bypassPermissions') return widening(key, 'bypass', 'agents do everything without asking');
  if (mode === 'dontAsk') return widening(key, mode, 'agents never ask');
  return { settings: [{ to: key, value: mode }] };
}
