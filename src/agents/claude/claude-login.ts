import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { AgentConfig } from '../../schema/config/agent.ts';
import { accountVariables } from '../accounts/account-variables.ts';
import { LOGIN_VARIABLES } from './claude-environment.ts';

/** Where to search for a login. */
export interface LoginSearch {
  config: Pick<AgentConfig, 'env' | 'accounts'>;
  env: NodeJS.ProcessEnv;
  platform?: NodeJS.Platform;
}

/** Other cloud providers that Claude can use, with their own logins. */
const CLOUDS = ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'] as const;

/** Claude's credential, as far as it can be found without a request to its vendor. */
export function findLogin({ config, env, platform = process.platform }: LoginSearch): string | undefined {
  const environments = [
    { ...env, ...config.env },
    ...Object.values(config.accounts).map((account) => ({
      HOME: env.HOME,
      ...accountVariables(account, 'CLAUDE_CONFIG_DIR'),
    })),
  ];
  for (const environment of environments) {
    const login = loginIn(environment);
    if (login !== undefined) return login;
  }
  return platform === 'darwin' ? 'the keychain (not checked)' : undefined;
}

function loginIn(env: NodeJS.ProcessEnv): string | undefined {
  const variable = [...LOGIN_VARIABLES, ...CLOUDS].find((name) => (env[name] ?? '') !== '');
  if (variable !== undefined) return variable;
  const file = join(env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude'), '.credentials.json');
  return existsSync(file) ? file : undefined;
}
