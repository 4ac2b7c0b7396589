import { z } from 'zod';
import { valueAt } from '../../config/merge.ts';
import { ignored, type KeyMapping, left, mapped, widening } from './key-mapping.ts';
import { Flag, Listed, Text, Texts, Whole } from './value.ts';

const Agent = z.enum(['claude', 'codex', 'gemini']);
const Track = z.object({
  name: z.string(),
  categories: Texts.default([]),
  color: z.string().optional(),
  isDefault: z.boolean().default(false),
});
const Pattern = z.object({ pattern: z.string(), label: z.string() });

/** Prompts of that tool, which also exist as files beside its settings, and the roles that do the same here. */
export const PROMPT_ROLES = { implementation: 'implement', verification: 'verify', fix: 'fix' } as const;

/** Where features land when no base is set. */
const FEATURES_BASE = 'ai-develop';
const PINNED_BROWSER = 'chrome-devtools-mcp@latest';

/** Every key of `.orchestrator/config.json`. */
export const ORCHESTRATOR_JSON: readonly KeyMapping[] = [
  ...ignored('a project is called by its folder', ['projectName']),
  mapped('baseBranch', 'git.base', {
    type: Text,
    turn: (value, { hasBranch }) =>
      hasBranch(value)
        ? { settings: [{ to: 'git.base', value }] }
        : left(
            value === FEATURES_BASE
              ? 'features land there anyway; it is made when it is needed'
              : `there is no branch ${value} yet; make it, then set git.base`,
          ),
  }),
  ...ignored('name the file when you start: manyhands run features.json', ['featuresFile']),
  mapped('progressFile', 'progress', { type: Text }),
  mapped('instructionsFile', 'instructions', {
    type: Text,
    turn: (value, { hasFile }) =>
      hasFile(value) ? { settings: [{ to: 'instructions', value }] } : left(`there is no file ${value}`),
  }),
  mapped('appUrl', 'verify.appUrl', {
    type: Text,
    turn: (value) => (value === '' ? left('it is empty') : { settings: [{ to: 'verify.appUrl', value }] }),
  }),
  ...ignored('tracks count as soon as they are there', ['tracksConfigured']),
  mapped('tracks', 'tracks', {
    type: z.array(Track),
    turn: (tracks) => ({ settings: [{ to: 'tracks', value: Object.fromEntries(tracks.map(trackOf)) }] }),
  }),
  mapped('worktree.symlinkDirs', 'workspace.copyDirs', { type: Texts }),
  mapped('worktree.copyFiles', 'workspace.copyFiles', {
    type: Texts,
    turn: (files) => widening('workspace.copyFiles', files, `agents can read ${files.join(', ')}`),
  }),
  ...ignored('your checkout is never switched, stashed or cleaned', ['worktree.preserveFiles']),
  ...ignored('it was put into a folder and never run; name commands in workspace.setup', [
    'worktree.setupScript',
    'worktree.setupScriptName',
  ]),
  mapped('worktree.dockerService', 'workspace.docker.service', { type: Text }),
  mapped('worktree.dockerWorkDir', 'workspace.docker.workDir', {
    type: Text,
    turn: (value, { whole }) =>
      typeof valueAt(whole, ['worktree', 'dockerService']) === 'string'
        ? { settings: [{ to: 'workspace.docker.workDir', value }] }
        : left('there is no dockerService'),
  }),
  ...ignored('docker compose finds its own file; COMPOSE_FILE names another', ['worktree.dockerComposeFile']),
  mapped('criticalPatterns', 'criticalPatterns', { type: z.array(Pattern) }),
  ...Object.entries(PROMPT_ROLES).map(([name, role]) =>
    mapped(`prompts.${name}`, `.manyhands/roles/${role}.md`, {
      type: Text,
      turn: (text) => (text.trim() === '' ? left('it is empty') : { prompt: { role, text } }),
    }),
  ),
  mapped('agent.preferred', 'routing.order', {
    type: Agent,
    turn: (first, { whole }) => {
      const others = Texts.safeParse(valueAt(whole, ['agent', 'fallbackAgents'])).data ?? [];
      return { settings: [{ to: 'routing.order', value: [...new Set([first, ...others])] }] };
    },
  }),
  mapped('agent.fallbackAgents', 'routing.fallback', {
    type: Texts,
    turn: (others) => ({ settings: [{ to: 'routing.fallback', value: others.length > 0 }] }),
  }),
  ...Agent.options.flatMap(agentKeys),
  mapped('agent.maxTurnsImplementation', 'limits.turns', { type: Whole }),
  mapped('agent.maxTurnsVerification', 'verify.turns', { type: Whole }),
  mapped('agent.allowedTools', 'tools.allowedTools', {
    type: Listed,
    turn: (tools) => widening('tools.allowedTools', tools, `agents use ${tools.join(', ')} without asking`),
  }),
  mapped('agent.allowedToolsVerification', 'verify.tools', {
    type: Listed,
    turn: (tools) => widening('verify.tools', tools, `verifiers use ${tools.join(', ')} without asking`),
  }),
  ...ignored('an agent is not used until the reset that its provider names', ['agent.rateLimitWaitMs']),
  mapped('verification.maxAttempts', 'verify.maxAttempts', { type: Whole }),
  mapped('verification.delayMs', 'verify.delayMs', { type: Whole }),
  mapped('verification.disabled', 'verify.disabled', { type: Flag }),
  mapped('browser.enabled', 'verify.browser.enabled', {
    type: Flag,
    turn: (value) =>
      value
        ? widening('verify.browser.enabled', true, 'verifiers drive a browser')
        : { settings: [{ to: 'verify.browser.enabled', value }] },
  }),
  mapped('browser.mcpPackage', 'verify.browser.package', {
    type: Text,
    turn: (value) =>
      value === PINNED_BROWSER
        ? left('a tested version of the same package is used')
        : widening('verify.browser.package', value, `the package ${value} is run for verifiers`),
  }),
  mapped('browser.mcpArgs', 'verify.browser.args', { type: Texts }),
  mapped('browser.mcpServerName', 'verify.browser.name', { type: Text }),
];

function agentKeys(name: z.infer<typeof Agent>): KeyMapping[] {
  return [
    mapped(`agent.${name}Command`, `agents.${name}.command`, {
      type: Text,
      turn: (value) =>
        value === name || value === ''
          ? left('it is the usual program')
          : widening(`agents.${name}.command`, value, `${value} is started as the agent ${name}`),
    }),
    ...ignored(`they replaced the tool's own arguments; add what you need to agents.${name}.args`, [
      `agent.${name}Args`,
    ]),
  ];
}

function trackOf({ name, categories, color, isDefault }: z.infer<typeof Track>) {
  return [name, { categories, ...(color === undefined ? {} : { color }), default: isDefault }];
}
