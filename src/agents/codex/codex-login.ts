import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../errors.ts';
import { run } from '../../process/run.ts';
import type { AgentConfig } from '../../schema/config/agent.ts';
import { accountVariables } from '../accounts/account-variables.ts';
import { codexHome, LOGIN_VARIABLES } from './codex-environment.ts';

/** Where a login is looked for. */
export interface CodexLoginSearch {
  program: string;
  path: string;
  config: Pick<AgentConfig, 'args' | 'env' | 'accounts'>;
  env: NodeJS.ProcessEnv;
}

const STATUS_MS = 10_000;
const OWN_PROVIDER = /^\s*(model_provider|oss_provider)\s*=/m;

/** By what Codex is logged in, as far as that can be told without asking its maker. */
export async function findCodexLogin(search: CodexLoginSearch): Promise<string | undefined> {
  const { config, env } = search;
  const own = { ...env, ...config.env };
  const places = [
    own,
    ...Object.values(config.accounts).map((account) => ({
      HOME: own.HOME,
      ...accountVariables(account, 'CODEX_HOME'),
    })),
  ];
  if (config.args.some((argument) => OWN_PROVIDER.test(argument))) return 'a provider of your own (not asked)';
  for (const place of places) {
    const login = await loginIn(search, place);
    if (login !== undefined) return login;
  }
  return undefined;
}

async function loginIn(search: CodexLoginSearch, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const variable = LOGIN_VARIABLES.find((name) => (env[name] ?? '') !== '');
  if (variable !== undefined) return variable;
  const home = codexHome(env);
  if (OWN_PROVIDER.test(readSettings(home))) return 'a provider of your own (not asked)';
  // The login may be in a file or in a keyring; only Codex knows.
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
    // No settings is the usual case; unreadable ones are Codex' to complain about.
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR'].includes(errorCode(error) ?? '')) return '';
    throw error;
  }
}
