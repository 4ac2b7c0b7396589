import { accountVariables } from '../accounts/account-variables.ts';
import type { Assignment } from '../agent.ts';
import { attemptEnvironment } from '../attempt-environment.ts';

/** The inherited variables that select a login. */
export const LOGIN_VARIABLES = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'] as const;

/** Variables that must not be set together with the selected login. */
const OF_A_LOGIN: ReadonlySet<string> = new Set([...LOGIN_VARIABLES, 'CLAUDE_CONFIG_DIR']);

/** Variables of the Claude session that this process was started from. */
const OF_ANOTHER_SESSION = /^CLAUDE_(PID|CODE_(CHILD_SESSION|ENTRYPOINT|EXECPATH|MESSAGING_\w+|SESSION_\w+|SSE_PORT))$/;

/** It waits three times (for two streams, then for a whole answer) before it reports an error; all three must fit into the inactivity limit. */
const WAIT_SHARE = 0.25;
const LONGEST_WAIT_MS = 120_000;
/** A command must end before its silence counts as a stall. */
const COMMAND_SHARE = 0.8;
const USUAL_COMMAND_MS = 120_000;

/** The whole environment of an attempt: our limits, overridden by the user's values, overridden by the selected login. */
export function claudeEnvironment(assignment: Assignment, configured: Record<string, string>): Record<string, string> {
  const { account } = assignment.settings;
  const isPassedOn = (variable: string) =>
    !OF_ANOTHER_SESSION.test(variable) && (account === undefined || !OF_A_LOGIN.has(variable));
  const inherited = Object.entries(assignment.env).filter(([variable]) => isPassedOn(variable));
  const env = { ...bounds(assignment), ...Object.fromEntries(inherited) };
  return attemptEnvironment(
    { ...assignment, env },
    {
      ...configured,
      ...(account === undefined ? {} : accountVariables(account, 'CLAUDE_CONFIG_DIR')),
    },
  );
}

/** Its retries and waits end before the attempt's limit, so that it can report a failure; it contacts only its model and stores no notes. */
function bounds({ limits: { inactivityMs } }: Assignment): Record<string, string> {
  const waitMs = String(Math.min(LONGEST_WAIT_MS, Math.ceil(inactivityMs * WAIT_SHARE)));
  const commandMs = Math.ceil(inactivityMs * COMMAND_SHARE);
  return {
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    CLAUDE_CODE_MAX_RETRIES: '3',
    API_TIMEOUT_MS: waitMs,
    CLAUDE_ENABLE_BYTE_WATCHDOG: '1',
    CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS: waitMs,
    BASH_DEFAULT_TIMEOUT_MS: String(Math.min(USUAL_COMMAND_MS, commandMs)),
    BASH_MAX_TIMEOUT_MS: String(commandMs),
  };
}
