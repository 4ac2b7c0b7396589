import { homedir } from 'node:os';
import { join } from 'node:path';
import { accountVariables } from '../accounts/account-variables.ts';
import type { Assignment } from '../agent.ts';
import { attemptEnvironment } from '../attempt-environment.ts';

/** The inherited variables that select a login. */
export const LOGIN_VARIABLES = ['CODEX_API_KEY', 'CODEX_ACCESS_TOKEN'] as const;

/** Variables of the Codex session that this process was started from. */
const OF_ANOTHER_SESSION = ['CODEX_SANDBOX', 'CODEX_SANDBOX_NETWORK_DISABLED', 'CODEX_THREAD_ID', 'CODEX_CI'];

/** The whole environment of an attempt: the user's values, overridden by the selected login. */
export function codexEnvironment(assignment: Assignment, configured: Record<string, string>): Record<string, string> {
  const { account } = assignment.settings;
  const dropped = new Set<string>([
    ...OF_ANOTHER_SESSION,
    ...(account === undefined ? [] : [...LOGIN_VARIABLES, 'CODEX_HOME']),
  ]);
  const inherited = Object.entries(assignment.env).filter(([name]) => !dropped.has(name));
  return attemptEnvironment(
    { ...assignment, env: Object.fromEntries(inherited) },
    {
      ...configured,
      ...(account === undefined ? {} : accountVariables(account, 'CODEX_HOME')),
    },
  );
}

/** The folder of Codex' login, settings and sessions. */
export function codexHome(env: Readonly<Record<string, string | undefined>>): string {
  return env.CODEX_HOME || join(env.HOME || homedir(), '.codex');
}
