import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { AgentConfig } from '../../schema/config/agent.ts';
import { accountVariables } from '../accounts/account-variables.ts';
import { LOGIN_VARIABLES } from './claude-environment.ts';

/** Where a login is looked for. */
export interface LoginSearch {
  config: Pick<AgentConfig, 'env' | 'accounts'>;
  env: NodeJS.ProcessEnv;
  platform?: NodeJS.Platform;
}

/** Other clouds that Claude can reach its models through, with logins of their own. */
const CLOUDS = ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'] as const;

/** By what Claude is logged in, as far as that can be told without asking its maker. */
export function findLogin({ config, env, platform = process.platform }: LoginSearch): string | undefined {
  const places = [
    { ...env, ...config.env },
    ...Object.values(config.accounts).map((account) => ({
      HOME: env.HOME,
      ...accountVariables(account, 'CLAUDE_CONFIG_DIR'),
    })),
  ];
  for (const place of places) {
    const login = loginIn(place);
    if (login !== undefined) return login;
  }
  return platform === 'darwin' ? 'the keychain (not looked into)' : undefined;
}

function loginIn(env: NodeJS.ProcessEnv): string | undefined {
  const variable = [...LOGIN_VARIABLES, ...CLOUDS].find((name) => (env[name] ?? '') !== '');
  if (variable !== undefined) return variable;
  const file = join(env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude'), '.credentials.json');
  return existsSync(file) ? file : undefined;
}
