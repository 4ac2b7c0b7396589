import { createHash } from 'node:crypto';
import type { Effort } from '../../schema/config/agent.ts';
import type { Assignment } from '../agent.ts';
import { HOOK_SECONDS } from '../tool-hook.ts';
import { sandboxArguments } from './codex-sandbox.ts';

/** A value that can be passed on a command line as TOML. */
export type TomlValue = string | boolean | number | readonly TomlValue[] | TomlTable;

interface TomlTable {
  readonly [key: string]: TomlValue;
}

/** What an attempt needs besides its assignment. */
export interface CodexFacts {
  /** All paths of the workspace, with and without symbolic links resolved. */
  roots: readonly string[];
  /** Whether the repository's own settings may be obeyed. */
  isTrusted: boolean;
  schemaFile?: string;
  /** The command of the hook that warns of edits without a lock. */
  hook?: string;
  mcp: Readonly<Record<string, TomlValue>>;
}

/** It contacts only its model, and starts no subagents, whose usage would not be counted. */
const HEADLESS = ['exec', '--json', '--skip-git-repo-check'];
const ALWAYS = [
  ...['-c', 'analytics.enabled=false', '-c', 'check_for_update_on_startup=false'],
  ...['--disable', 'plugins', '--disable', 'apps', '--disable', 'multi_agent'],
];

/** xhigh is the highest effort that all its models support. */
const EFFORT: Readonly<Record<Effort, string>> = { low: 'low', medium: 'medium', high: 'high', max: 'xhigh' };

/** The first hook of the settings on the command line, as Codex names it. */
const HOOK_KEY = '/<session-flags>/config.toml:pre_tool_use:0:0';
const EDITING_TOOL = '^apply_patch$';

/** Linux accepts no argument longer than 128 KiB. */
const LONGEST_INSTRUCTIONS = 100_000;

/** The arguments of one attempt, followed by the user's own; the prompt is on stdin. A resumed session needs all of them again. */
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
  const options = [...commonArguments(assignment, facts), ...added];
  return session === undefined ? [...options, '--', prompt] : ['resume', ...options, session, '--', prompt];
}

function commonArguments(assignment: Assignment, facts: CodexFacts): string[] {
  const { settings } = assignment;
  const instructions = instructionsFor(assignment, facts.isTrusted);
  return [
    ...ALWAYS,
    ...sandboxArguments(assignment),
    ...trust(facts),
    ...(settings.model === undefined ? [] : ['--model', settings.model]),
    ...(settings.effort === undefined ? [] : setting('model_reasoning_effort', EFFORT[settings.effort])),
    ...(instructions === '' ? [] : setting('developer_instructions', instructions)),
    ...(settings.disallowedTools.includes('web_search') ? setting('web_search', 'disabled') : []),
    ...(facts.hook === undefined ? [] : hookSettings(facts.hook)),
    ...Object.entries(facts.mcp).flatMap(([name, server]) => setting(`mcp_servers.${name}`, server)),
  ];
}

/** By default it obeys the settings of any repository that it may write to. */
function trust({ roots, isTrusted }: CodexFacts): string[] {
  const level = { trust_level: isTrusted ? 'trusted' : 'untrusted' };
  const projects = setting('projects', Object.fromEntries(roots.map((root) => [root, level])));
  return isTrusted ? [...projects, '--dangerously-bypass-hook-trust'] : projects;
}

/**
 * Our hook, with the hash by which Codex recognises a hook that a person has reviewed: so it runs, and no hook of the
 * repository or of the user does that nobody has reviewed.
 */
function hookSettings(command: string): string[] {
  // Codex hashes the hook as JSON with sorted keys.
  const group = { hooks: [{ async: false, command, timeout: HOOK_SECONDS, type: 'command' }], matcher: EDITING_TOOL };
  const identity = JSON.stringify({ event_name: 'pre_tool_use', ...group });
  const trusted_hash = `sha256:${createHash('sha256').update(identity).digest('hex')}`;
  return [...setting('hooks.PreToolUse', [group]), ...setting('hooks.state', { [HOOK_KEY]: { trusted_hash } })];
}

/** In an untrusted repository it reads no AGENTS.md, so the base's is passed to it. */
function instructionsFor({ settings }: Assignment, isTrusted: boolean): string {
  const text = [isTrusted ? undefined : settings.native['AGENTS.md'], settings.instructions]
    .filter((part) => part !== undefined && part.trim() !== '')
    .join('\n\n');
  const bytes = Buffer.from(text);
  if (bytes.length <= LONGEST_INSTRUCTIONS) return text;
  return `${bytes.subarray(0, LONGEST_INSTRUCTIONS).toString('utf8')}\n\n(The rest is omitted: it is too long.)`;
}

function setting(key: string, value: TomlValue): string[] {
  return ['-c', `${key}=${toToml(value)}`];
}

/** A value as TOML on one line; any string survives unchanged. */
function toToml(value: TomlValue): string {
  if (typeof value === 'string') return text(value);
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (isList(value)) return `[${value.map(toToml).join(',')}]`;
  const entries = Object.entries(value).map(([key, inner]) => `${text(key)}=${toToml(inner)}`);
  return `{${entries.join(',')}}`;
}

/** A quoted TOML string is a JSON string without lone surrogates and with DEL escaped. */
function text(value: string): string {
  return JSON.stringify(value.toWellFormed()).replaceAll('\u007f', '\\u007f');
}

function isList(value: TomlValue): value is readonly TomlValue[] {
  return Array.isArray(value);
}
