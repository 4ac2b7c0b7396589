import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import type { Account, AgentConfig } from '../../schema/config/agent.ts';
import type { Config } from '../../schema/config.ts';
import { parseJsonObject } from '../json-object.ts';
import { type ProfileRow, readProfileRows } from './ccswitch-database.ts';

type ProfileKind = 'claude' | 'codex' | 'gemini';

/** A profile of CC Switch: `env` selects its login and holds secrets; without it `why` says why the profile cannot be used. */
export type Profile = { kind: ProfileKind; id: string; name: string; isCurrent: boolean } & (
  | { env: Record<string, string> }
  | { why: string }
);

/** The profiles, and a note if the file could not be read. */
export type Discovery = { file: string; profiles: Profile[]; note: string | undefined };

/** Only variables of its own vendor are used: any other variable could change how programs run. */
const VARIABLES: Readonly<Record<ProfileKind, RegExp>> = {
  claude: /^(ANTHROPIC|CLAUDE)_[A-Z0-9_]+$/,
  codex: /^(OPENAI|CODEX)_[A-Z0-9_]+$/,
  gemini: /^(GEMINI|GOOGLE)_[A-Z0-9_]+$/,
};
const Settings = z.object({
  env: z.record(z.string(), z.unknown()).nullish(),
  auth: z.object({ OPENAI_API_KEY: z.string().nullish() }).nullish(),
  config: z.string().nullish(),
});
const OWN_PROVIDER = /^\s*(model_provider|base_url|openai_base_url)\s*=/m;
const OWN_LOGIN = 'it uses the login of the program itself';
const HASH_CHARS = 6;

/** The profiles of CC Switch; reading them makes no requests and changes nothing. */
export async function discoverProfiles(config: Config, env: NodeJS.ProcessEnv): Promise<Discovery> {
  const file = profilesFile(config.routing.ccswitch, env);
  const found = await readProfileRows(file);
  if (found.kind === 'rows') return { file, profiles: found.rows.flatMap(profileOf), note: undefined };
  const isConfigured = config.routing.ccswitch !== 'off';
  return { file, profiles: [], note: found.note ?? (isConfigured ? `there is no ${file}` : undefined) };
}

/** The settings with each usable profile as an additional login of the agents of its kind, after the user's own. */
export function withProfiles(config: Config, profiles: readonly Profile[]): Config {
  if (config.routing.ccswitch === 'off') return config;
  const agents = Object.entries(config.agents).map(([name, agent]): [string, AgentConfig] => {
    const added = accountsFor(agent, profiles).map(({ account, id: _, ...login }): [string, Account] => [
      account,
      login,
    ]);
    return [name, { ...agent, accounts: { ...agent.accounts, ...Object.fromEntries(added) } }];
  });
  return { ...config, agents: Object.fromEntries(agents) };
}

/** The logins that profiles become for an agent, under names that neither the user's logins nor other profiles have. */
export function accountsFor(
  agent: Pick<AgentConfig, 'kind' | 'accounts'>,
  profiles: readonly Profile[],
): (Account & { account: string; id: string })[] {
  const mine = profiles.filter(({ kind }) => kind === agent.kind);
  return mine.flatMap((profile) => {
    if (!('env' in profile)) return [];
    const plain = `ccswitch-${slug(profile.name)}`;
    const isTaken =
      Object.hasOwn(agent.accounts, plain) ||
      mine.some((other) => other !== profile && slug(other.name) === slug(profile.name));
    const account =
      isTaken || plain.endsWith('-') ? unused(agent, `${plain}-${hashOf(profile.id)}`.replace(/-+/g, '-')) : plain;
    return [{ account, id: profile.id, env: profile.env, profile: profile.name }];
  });
}

function unused({ accounts }: Pick<AgentConfig, 'accounts'>, name: string): string {
  return Object.hasOwn(accounts, name) ? unused({ accounts }, `${name}x`) : name;
}

function profilesFile(setting: string, env: NodeJS.ProcessEnv): string {
  const home = env.HOME ?? homedir();
  if (setting === 'off' || setting === 'auto') return join(home, '.cc-switch', 'cc-switch.db');
  const path = setting.replace(/^~(?=\/)/, home);
  return isAbsolute(path) ? path : join(home, path);
}

function profileOf({ id, app, name, settings, isCurrent }: ProfileRow): Profile[] {
  const kind = app === 'claude' || app === 'codex' || app === 'gemini' ? app : undefined;
  if (kind === undefined) return [];
  const parsed = Settings.safeParse(parseJsonObject(settings));
  const login = parsed.success ? loginOf(kind, parsed.data) : { why: 'its settings cannot be read' };
  return [{ kind, id, name, isCurrent, ...login }];
}

function loginOf(
  kind: ProfileKind,
  settings: z.infer<typeof Settings>,
): { env: Record<string, string> } | { why: string } {
  if (kind === 'codex') return codexLogin(settings);
  const variables = Object.entries(settings.env ?? {}).flatMap(([name, value]): [string, string][] =>
    VARIABLES[kind].test(name) && typeof value === 'string' && value !== '' ? [[name, value]] : [],
  );
  const hasLogin = variables.some(([name]) => /(KEY|TOKEN|CREDENTIALS)$/.test(name));
  return hasLogin ? { env: Object.fromEntries(variables) } : { why: OWN_LOGIN };
}

/** Codex reads a key from a variable, but a provider only from a settings folder. */
function codexLogin({ auth, config }: z.infer<typeof Settings>): { env: Record<string, string> } | { why: string } {
  const key = auth?.OPENAI_API_KEY;
  if (key == null || key === '') return { why: OWN_LOGIN };
  if (OWN_PROVIDER.test(config ?? ''))
    return { why: 'it configures its own provider, which cannot be set by a variable' };
  return { env: { CODEX_API_KEY: key } };
}

function slug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);
}

function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, HASH_CHARS);
}
