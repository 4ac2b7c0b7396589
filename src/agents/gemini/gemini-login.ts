import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import type { AgentConfig } from '../../schema/config/agent.ts';

const LOGIN_FILES = ['oauth_creds.json', 'gemini-credentials.json', '.env'] as const;
/** Variables that select a login. */
export const LOGIN_VARIABLES = ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS'] as const;

/** The user's own Gemini folder: inside the configured home, or that folder itself. */
export function userFolderOf(env: NodeJS.ProcessEnv, configDir?: string): string {
  const home = configDir ?? (env.GEMINI_CLI_HOME || env.HOME || homedir());
  return basename(home) === '.gemini' ? home : join(home, '.gemini');
}

/** Gemini's credential, as far as it can be found without a request to its vendor. */
export function findGeminiLogin(
  config: Pick<AgentConfig, 'env' | 'accounts'>,
  env: NodeJS.ProcessEnv,
): string | undefined {
  const sources = [
    { variables: { ...env, ...config.env }, folder: userFolderOf({ ...env, ...config.env }) },
    ...Object.values(config.accounts).map((account) => ({
      variables: account.env,
      folder: userFolderOf({ ...env, ...account.env }, account.configDir),
    })),
  ];
  for (const { variables, folder } of sources) {
    const variable = LOGIN_VARIABLES.find((name) => (variables[name] ?? '') !== '');
    const file = LOGIN_FILES.map((name) => join(folder, name)).find((path) => existsSync(path));
    if (variable !== undefined || file !== undefined) return variable ?? file;
  }
  return undefined;
}
