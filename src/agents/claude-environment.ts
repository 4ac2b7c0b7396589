import type { Assignment } from './agent.ts';
import { attemptEnvironment } from './attempt-environment.ts';

/** Of the variables that we inherit, those that stand for a login. */
export const LOGIN_VARIABLES = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'] as const;

/** Variables that tie a program to the Claude session that it was started from. */
const OF_ANOTHER_SESSION = ['CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_CODE_SESSION_ID', 'CLAUDE_CODE_SSE_PORT'];

/** It must speak before we take its silence for a stall. */
const SPEAK_BEFORE = 0.8;
const LONGEST_SILENCE_MS = 120_000;

/** The whole environment of an attempt: our bounds at the bottom, the user's own values above, the chosen login on top. */
export function claudeEnvironment(assignment: Assignment, configured: Record<string, string>): Record<string, string> {
  const { account } = assignment.settings;
  const dropped = new Set([
    ...OF_ANOTHER_SESSION,
    ...(account === undefined ? [] : [...LOGIN_VARIABLES, 'CLAUDE_CONFIG_DIR']),
  ]);
  const inherited = Object.entries(assignment.env).filter(([name]) => !dropped.has(name));
  const env = { ...bounds(assignment), ...Object.fromEntries(inherited) };
  return attemptEnvironment(
    { ...assignment, env },
    {
      ...configured,
      ...account?.env,
      ...(account?.configDir === undefined ? {} : { CLAUDE_CONFIG_DIR: account.configDir }),
    },
  );
}

/** Its own retries and waits end, so that a failure is seen while it can still be named; and it asks nobody but its model. */
function bounds({ limits }: Assignment): Record<string, string> {
  const speakMs = Math.max(1, Math.floor(limits.inactivityMs * SPEAK_BEFORE));
  const silenceMs = String(Math.min(LONGEST_SILENCE_MS, speakMs));
  return {
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    CLAUDE_CODE_MAX_RETRIES: '3',
    API_TIMEOUT_MS: silenceMs,
    CLAUDE_ENABLE_BYTE_WATCHDOG: '1',
    CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS: silenceMs,
    BASH_DEFAULT_TIMEOUT_MS: silenceMs,
    BASH_MAX_TIMEOUT_MS: String(speakMs),
  };
}
