import { join } from 'node:path';
import type { Effort, Permission } from '../../schema/config/agent.ts';
import type { Assignment } from '../agent.ts';
import { type TomlValue, toToml } from './toml.ts';

/** What an attempt needs besides its assignment. */
export interface CodexFacts {
  /** All names of the workspace: links are followed to it. */
  roots: readonly string[];
  /** Whether the repository's own settings may be obeyed. */
  isTrusted: boolean;
  schemaFile?: string;
  mcp: Readonly<Record<string, TomlValue>>;
}

type Sandbox = 'read-only' | 'workspace-write' | 'none';

/** It asks nobody but its model, and starts no agents of its own: what those spend would not be counted. */
const HEADLESS = ['exec', '--json', '--skip-git-repo-check'];
const ALWAYS = [
  ...['-c', 'analytics.enabled=false', '-c', 'check_for_update_on_startup=false'],
  ...['--disable', 'plugins', '--disable', 'apps', '--disable', 'multi_agent'],
];

const SANDBOX: Readonly<Record<Permission, Sandbox>> = {
  default: 'workspace-write',
  acceptEdits: 'workspace-write',
  dontAsk: 'workspace-write',
  plan: 'read-only',
  bypass: 'none',
};

/** The most that every model of its catalogue understands is xhigh. */
const EFFORT: Readonly<Record<Effort, string>> = { low: 'low', medium: 'medium', high: 'high', max: 'xhigh' };

/** Linux takes no argument longer than 128 KiB. */
const LONGEST_INSTRUCTIONS = 100_000;

/** The arguments of one attempt, the user's own behind ours; the prompt is on stdin. A resumed session keeps none of them. */
export function codexArguments(assignment: Assignment, facts: CodexFacts, added: readonly string[]): string[] {
  const { session } = assignment;
  return [
    ...HEADLESS,
    ...commonArguments(assignment, facts),
    ...(facts.schemaFile === undefined ? [] : ['--output-schema', facts.schemaFile]),
    ...added,
    ...(session === undefined ? [] : ['resume', session]),
    '-',
  ];
}

/** The arguments of an attempt in a terminal; the prompt comes last. */
export function codexTerminalArguments(
  assignment: Assignment,
  facts: CodexFacts,
  { added, prompt }: { added: readonly string[]; prompt: string },
): string[] {
  const { session } = assignment;
  const given = [...commonArguments(assignment, facts), ...added];
  return session === undefined ? [...given, '--', prompt] : ['resume', ...given, session, '--', prompt];
}

function commonArguments(assignment: Assignment, facts: CodexFacts): string[] {
  const { settings } = assignment;
  const instructions = instructionsFor(assignment, facts.isTrusted);
  return [
    ...ALWAYS,
    ...sandbox(assignment),
    ...trust(facts),
    ...(settings.model === undefined ? [] : ['--model', settings.model]),
    ...(settings.effort === undefined ? [] : setting('model_reasoning_effort', EFFORT[settings.effort])),
    ...(instructions === '' ? [] : setting('developer_instructions', instructions)),
    ...(settings.disallowedTools.includes('web_search') ? setting('web_search', 'disabled') : []),
    ...Object.entries(facts.mcp).flatMap(([name, server]) => setting(`mcp_servers.${name}`, server)),
  ];
}

/** Its sandbox keeps `.git` from being written unless that is named; a reading task gets nothing to write in. */
function sandbox({ access, workspace, settings }: Assignment): string[] {
  const kind = access === 'read' ? 'read-only' : SANDBOX[settings.permission];
  if (kind === 'none') return ['--dangerously-bypass-approvals-and-sandbox'];
  if (kind === 'read-only') return ['--sandbox', kind];
  const folders = [join(workspace, '.git'), ...settings.addDirs];
  return ['--sandbox', kind, ...folders.flatMap((folder) => ['--add-dir', folder])];
}

/** Without a word of ours it obeys the settings of any repository that it may write in. */
function trust({ roots, isTrusted }: CodexFacts): string[] {
  const level = { trust_level: isTrusted ? 'trusted' : 'untrusted' };
  const projects = setting('projects', Object.fromEntries(roots.map((root) => [root, level])));
  return isTrusted ? [...projects, '--dangerously-bypass-hook-trust'] : projects;
}

/** In a repository that it does not trust it reads no AGENTS.md, so the base's is given to it. */
function instructionsFor({ settings }: Assignment, isTrusted: boolean): string {
  const text = [isTrusted ? undefined : settings.native['AGENTS.md'], settings.instructions]
    .filter((part) => part !== undefined && part.trim() !== '')
    .join('\n\n');
  const bytes = Buffer.from(text);
  if (bytes.length <= LONGEST_INSTRUCTIONS) return text;
  return `${bytes.subarray(0, LONGEST_INSTRUCTIONS).toString('utf8')}\n\n(The rest is left out: it is too long.)`;
}

function setting(key: string, value: TomlValue): string[] {
  return ['-c', `${key}=${toToml(value)}`];
}
