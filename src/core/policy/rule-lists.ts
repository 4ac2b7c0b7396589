import type { Permission } from '../../schema/config/agent.ts';
import type { PolicyRule } from '../../schema/config/policy.ts';
import type { Access } from '../../schema/task.ts';
import type { Rule, RuleList } from './decide-policy.ts';
import { shellPrefixes } from './shell-commands.ts';

/** Which files may be changed: globs that are allowed, denied, and allowed besides. */
export type ScopeRules = { allow: readonly string[]; deny: readonly string[]; also: readonly string[] };

/** The reason for a path that no allowed glob matches. */
export const OUTSIDE = 'is outside of what is allowed';
const DENIED = 'is denied';

/** Commands that a read-only role may run. */
const READING_COMMANDS = ['git blame', 'git diff', 'git log', 'git ls-files', 'git show', 'git status'];
const DEVICES = ['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/tty'];

/** The rules of the settings as lists: a person's, and a project's, which can only refuse more. */
export function configuredLists(policy: readonly PolicyRule[]): { person: RuleList; project: RuleList } {
  const rules = policy.map((rule, index) => ({ rule: ruleOf(rule, index), from: rule.from ?? 'global' }));
  const of = (scope: PolicyRule['from']) => rules.flatMap(({ rule, from }) => (from === scope ? [rule] : []));
  return { person: of('global'), project: of('project') };
}

/** The rules of one scope: what is denied, then what is allowed, then nothing else if anything is listed. */
export function scopeList({ allow, deny, also }: ScopeRules): RuleList {
  const denied: Rule[] =
    deny.length === 0 ? [] : [{ decision: 'deny', path: deny, reason: DENIED, source: 'scope.deny', ...CHANGES }];
  if (allow.length === 0) return denied;
  return [
    ...denied,
    { decision: 'allow', path: [...allow, ...also], source: 'scope.allow', ...CHANGES },
    { decision: 'allow', path: ['/**'], source: 'outside of the repository', ...CHANGES },
    { decision: 'deny', path: ['**'], reason: OUTSIDE, source: 'scope.allow', ...CHANGES },
  ];
}

/** A scope is about changes, by whatever tool. */
const CHANGES = { tool: ['Edit', 'Bash'] };

type ToolSettings = {
  access: Access;
  permission: Permission;
  allowedTools: readonly string[];
  disallowedTools: readonly string[];
  allowedCli: readonly string[];
  mcpServers: readonly string[];
};

/** Every rule that applies to an attempt, in lists of which each must allow what it does: its access, its workspace, its scopes, the project's rules, and the person's with those of the tool settings. */
export function attemptLists(
  settings: ToolSettings & {
    addDirs: readonly string[];
    scopes: readonly ScopeRules[];
    person: RuleList;
    project: RuleList;
  },
): RuleList[] {
  const { permission, addDirs, scopes, person, project } = settings;
  return [
    accessList(settings),
    ...(permission === 'bypass' ? [] : [workspaceList(addDirs)]),
    ...scopes.map(scopeList),
    project,
    [...person, ...toolsList(settings)],
  ];
}

/** What a task may do whatever the settings say: a read-only one changes nothing. */
function accessList({ access, permission }: Pick<ToolSettings, 'access' | 'permission'>): RuleList {
  if (access === 'write' && permission !== 'plan') return [];
  const source = access === 'read' ? 'the role' : 'tools.permissionMode';
  return [
    { decision: 'allow', tool: ['Read', 'WebFetch'], source },
    { decision: 'deny', tool: ['Bash'], path: ['**', '/**'], reason: 'the role is read-only', source },
    { decision: 'allow', command: READING_COMMANDS, source },
    { decision: 'deny', tool: ['*'], reason: 'the role is read-only', source },
  ];
}

/** The settings of tools as rules. */
function toolsList(settings: ToolSettings): RuleList {
  const { permission, allowedTools, disallowedTools, allowedCli, mcpServers } = settings;
  const refusal = 'it is disallowed by the settings';
  const rules: (Rule | undefined)[] = [
    byTool('deny', disallowedTools, { reason: refusal, source: 'tools.disallowedTools' }),
    byCommand('deny', shellPrefixes(disallowedTools), { reason: refusal, source: 'tools.disallowedTools' }),
    permission === 'bypass' ? { decision: 'allow', tool: ['*'], source: 'tools.skipPermissions' } : undefined,
    { decision: 'allow', tool: ['Read', 'WebFetch'], source: 'tools.permissionMode' },
    byTool('allow', allowedTools, { source: 'tools.allowedTools' }),
    byTool(
      'allow',
      mcpServers.flatMap((name) => [`mcp__${name}__*`, `mcp_${name}_*`]),
      { source: 'mcp' },
    ),
    {
      decision: permission === 'acceptEdits' ? 'allow' : 'deny',
      tool: ['Edit'],
      reason: `the permission mode is ${permission}`,
      source: 'tools.permissionMode',
    },
    byCommand('allow', permission === 'acceptEdits' ? ['git'] : [], { source: 'tools.permissionMode' }),
    byCommand('allow', allowedCli, { source: 'tools.allowedCli' }),
    byCommand('allow', shellPrefixes(allowedTools), { source: 'tools.allowedTools' }),
    {
      decision: 'deny',
      tool: ['*'],
      reason: 'it is not among the allowed tools and programs',
      source: 'tools',
    },
  ];
  return rules.filter((rule) => rule !== undefined);
}

/** An agent that asks us works in its workspace and the folders that the settings add; git's own files can start programs. */
function workspaceList(addDirs: readonly string[]): RuleList {
  const source = 'the workspace';
  const folders = addDirs.map((folder) => folder.replace(/\/+$/, ''));
  return [
    { decision: 'allow', path: [...DEVICES, ...folders], source: 'tools.addDirs' },
    { decision: 'deny', path: ['/**'], reason: 'is outside the workspace', source },
    { decision: 'deny', tool: ['Edit', 'Bash'], path: ['.git'], reason: 'belongs to git', source },
  ];
}

/** What vendors' own permission settings can express of a person's rules: commands and tools that are allowed in a role. */
export function allowedByRules(rules: RuleList, role: string): { commands: string[]; tools: string[] } {
  const allowing = rules.filter(
    (rule) =>
      rule.decision === 'allow' &&
      rule.path === undefined &&
      rule.host === undefined &&
      (rule.role === undefined || rule.role.includes(role)),
  );
  const commands = allowing.flatMap(({ command = [] }) => command.map((pattern) => pattern.replace(/ ?\*$/, '')));
  return {
    commands: commands.filter((command) => command !== '' && !command.includes('*')),
    tools: allowing.flatMap(({ tool = [], command }) => (command === undefined ? tool : [])),
  };
}

function byTool(
  decision: Rule['decision'],
  tool: readonly string[],
  rest: Pick<Rule, 'reason' | 'source'>,
): Rule | undefined {
  return tool.length === 0 ? undefined : { decision, tool, ...rest };
}

function byCommand(
  decision: Rule['decision'],
  command: readonly string[],
  rest: Pick<Rule, 'reason' | 'source'>,
): Rule | undefined {
  return command.length === 0 ? undefined : { decision, command, ...rest };
}

function ruleOf({ decision, tool, path, command, host, role, reason, source }: PolicyRule, index: number): Rule {
  return {
    decision,
    tool: listOf(tool),
    path: listOf(path),
    command: listOf(command),
    host: listOf(host),
    role: listOf(role),
    reason,
    source: source ?? `policy[${index}]`,
  };
}

function listOf(patterns: string | readonly string[] | undefined): readonly string[] | undefined {
  return typeof patterns === 'string' ? [patterns] : patterns;
}
