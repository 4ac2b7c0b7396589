import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../errors.ts';
import { run } from '../../process/run.ts';
import type { AgentConfig } from '../../schema/config/agent.ts';
import { accountVariables } from '../accounts/account-variables.ts';
import { codexHome, LOGIN_VARIABLES } from './codex-environment.ts';

/** Where to search for a login. */
export interface CodexLoginSearch {
  program: string;
  path: string;
  config: Pick<AgentConfig, 'args' | 'env' | 'accounts'>;
  env: NodeJS.ProcessEnv;
}

const STATUS_MS = 10_000;
const OWN_PROVIDER = /^\s*(model_provider|oss_provider)\s*=/m;

/** Codex' credential, as far as it can be found without a request to its vendor. */
export async function findCodexLogin(search: CodexLoginSearch): Promise<string | undefined> {
  const { config, env } = search;
  const own = { ...env, ...config.env };
  const environments = [
    own,
    ...Object.values(config.accounts).map((account) => ({
      HOME: own.HOME,
      ...accountVariables(account, 'CODEX_HOME'),
    })),
  ];
  if (config.args.some((argument) => OWN_PROVIDER.test(argument))) return 'a custom provider (not checked)';
  for (const environment of environments) {
    const login = await loginIn(search, environment);
    if (login !== undefined) return login;
  }
  return undefined;
}

async function loginIn(search: CodexLoginSearch, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const variable = LOGIN_VARIABLES.find((name) => (env[name] ?? '') !== '');
  if (variable !== undefined) return variable;
  const home = codexHome(env);
  if (OWN_PROVIDER.test(readSettings(home))) return 'a custom provider (not checked)';
  // Only Codex knows whether the login is in a file or in a keyring.
  const { code } = await run([search.program, 'login', 'status'], {
    env: { PATH: search.path, HOME: env.HOME ?? '/', ...(env.CODEX_HOME ? { CODEX_HOME: home } : {}) },
    timeoutMs: STATUS_MS,
  });
  return code === 0 ? home : undefined;
}

function readSettings(home: string): string {
  try {
    return readFileSync(join(home, 'config.toml'), 'utf8');
  } catch (error) {
    // Missing settings are normal; Codex itself reports unreadable ones.
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR'].includes(errorCode(error) ?? '')) return '';
    throw error;
  }
}
