import type { Permission } from '../../schema/config/agent.ts';
import type { Assignment } from '../agent.ts';

/** Files in the attempt's folder that are passed to Claude. */
export interface ClaudeFiles {
  /** Texts that are appended to its own system prompt. */
  instructions?: string;
  /** A copy of the repository's settings that the user trusts. */
  settings?: string;
  mcp: readonly string[];
}

/** Claude reads no settings of the machine or the repository except those passed to it. */
const ALWAYS = ['--setting-sources', '', '--strict-mcp-config'];
/** Its output is a stream of events, also while it thinks. */
const HEADLESS = ['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'];

const MODES: Readonly<Record<Permission, readonly string[]>> = {
  default: [],
  acceptEdits: ['--permission-mode', 'acceptEdits'],
  plan: ['--permission-mode', 'plan'],
  dontAsk: ['--permission-mode', 'dontAsk'],
  bypass: ['--permission-mode', 'bypassPermissions'],
};

/** Tools that leave the workspace, or that start work after the attempt has ended. */
const NEVER = ['EnterWorktree', 'CronCreate', 'ScheduleWakeup'];
const WRITING = ['Edit', 'Write', 'NotebookEdit'];
/** Tool patterns that a read-only role may have; Claude itself allows shell commands that only read. */
const READING = /^(Read|Grep|Glob|WebFetch|WebSearch|mcp__)/;

/** The arguments of one attempt; the prompt is on stdin. */
export function claudeArguments(assignment: Assignment, files: ClaudeFiles): string[] {
  const { limits, session, outputSchema } = assignment;
  return [
    ...HEADLESS,
    ...commonArguments(assignment, files),
    ...one('--max-turns', limits.turns),
    ...one('--max-budget-usd', limits.costUsd),
    ...one('--json-schema', outputSchema === undefined ? undefined : JSON.stringify(outputSchema)),
    ...one('--resume', session),
  ];
}

/** The arguments of an attempt in a terminal: the session's name is known before it begins, and the prompt comes last. */
export function claudeTerminalArguments(
  assignment: Assignment,
  files: ClaudeFiles,
  { session, added, prompt }: { session: string; added: readonly string[]; prompt: string },
): string[] {
  const begin = assignment.session === undefined ? '--session-id' : '--resume';
  return [...commonArguments(assignment, files), ...one(begin, session), ...added, '--', prompt];
}

function commonArguments(assignment: Assignment, files: ClaudeFiles): string[] {
  const { settings } = assignment;
  return [
    ...ALWAYS,
    ...permissions(assignment),
    ...list('--add-dir', settings.addDirs),
    ...list('--mcp-config', files.mcp),
    ...one('--append-system-prompt-file', files.instructions),
    ...one('--settings', files.settings),
    ...one('--model', settings.model),
    ...one('--effort', settings.effort),
  ];
}

/** A read-only role runs in a mode that refuses everything not allowed, not in plan mode, in which it would write a plan. */
function permissions({ access, settings }: Assignment): string[] {
  if (access === 'read') {
    const { scratchTools = [] } = settings;
    const refused = WRITING.filter((tool) => !scratchTools.includes(tool));
    const reading = settings.allowedTools.filter((tool) => READING.test(tool) && !scratchTools.includes(tool));
    return [
      ...MODES.dontAsk,
      ...list('--allowedTools', [...reading, ...scratchTools]),
      ...list('--disallowedTools', [...NEVER, ...refused, ...settings.disallowedTools]),
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
