import type { Permission } from '../schema/config/agent.ts';
import type { Assignment } from './agent.ts';

/** Files in the attempt's folder that Claude is pointed to. */
export interface ClaudeFiles {
  /** Texts that stand below its own system prompt. */
  instructions?: string;
  /** A copy of the repository's settings that the user trusts. */
  settings?: string;
  mcp: readonly string[];
}

/** Nothing of the machine or the repository speaks to Claude but what we give it; its output is events, alive while it thinks. */
const ALWAYS = [
  ...['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'],
  ...['--setting-sources', '', '--strict-mcp-config'],
];

const MODES: Readonly<Record<Permission, readonly string[]>> = {
  default: [],
  acceptEdits: ['--permission-mode', 'acceptEdits'],
  plan: ['--permission-mode', 'plan'],
  dontAsk: ['--permission-mode', 'dontAsk'],
  bypass: ['--permission-mode', 'bypassPermissions'],
};

/** Tools that take the work out of the workspace, or start work when nobody waits for it any more. */
const NEVER = ['EnterWorktree', 'CronCreate', 'ScheduleWakeup'];
const WRITING = ['Edit', 'Write', 'NotebookEdit'];
/** Patterns that a reading role may be given; shell commands that only read are allowed by Claude itself. */
const READING = /^(Read|Grep|Glob|WebFetch|WebSearch|mcp__)/;

/** The arguments of one attempt; the prompt is on stdin. */
export function claudeArguments(assignment: Assignment, files: ClaudeFiles): string[] {
  const { settings, limits, session, outputSchema } = assignment;
  return [
    ...ALWAYS,
    ...permissions(assignment),
    ...list('--add-dir', settings.addDirs),
    ...list('--mcp-config', files.mcp),
    ...one('--append-system-prompt-file', files.instructions),
    ...one('--settings', files.settings),
    ...one('--model', settings.model),
    ...one('--effort', settings.effort),
    ...one('--max-turns', limits.turns),
    ...one('--max-budget-usd', limits.costUsd),
    ...one('--json-schema', outputSchema === undefined ? undefined : JSON.stringify(outputSchema)),
    ...one('--resume', session),
  ];
}

/** A reading role is asked in a mode that refuses all that is not allowed, not in plan mode: that would have it write a plan. */
function permissions({ access, settings }: Assignment): string[] {
  if (access === 'read') {
    return [
      ...MODES.dontAsk,
      ...list(
        '--allowedTools',
        settings.allowedTools.filter((tool) => READING.test(tool)),
      ),
      ...list('--disallowedTools', [...NEVER, ...WRITING, ...settings.disallowedTools]),
    ];
  }
  const allowed = [
    ...(settings.permission === 'acceptEdits' ? ['Bash(git *)'] : []),
    ...settings.allowedTools,
    ...settings.allowedCli.flatMap((program) => [`Bash(${program})`, `Bash(${program} *)`]),
    ...Object.keys(settings.mcp).map((server) => `mcp__${server}`),
  ];
  return [
    ...MODES[settings.permission],
    ...list('--allowedTools', allowed),
    ...list('--disallowedTools', [...NEVER, ...settings.disallowedTools]),
  ];
}

function one(flag: string, value: string | number | undefined): string[] {
  return value === undefined ? [] : [flag, String(value)];
}

function list(flag: string, values: readonly string[]): string[] {
  return values.length === 0 ? [] : [flag, ...values];
}
