import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { errorCode, isAbsent, messageOf } from '../../errors.ts';
import type { Account, AgentConfig } from '../../schema/config/agent.ts';
import type { Config } from '../../schema/config.ts';
import { parseJsonObject } from '../json-object.ts';

/** A profile as CC Switch stores it; `settings` is JSON text that may hold secrets. */
type ProfileRow = { id: string; app: string; name: string; settings: string; isCurrent: boolean };

/** The rows of the file, or the reason why there are none. */
type ProfileRows = { kind: 'rows'; rows: ProfileRow[] } | { kind: 'none'; note: string | undefined };

const MAGIC = 'SQLite format 3\0';

const HEADER_BYTES = 20;

/** The header byte that says whether the database has a write-ahead log. */
const WRITE_VERSION = 18;

const WRITE_AHEAD = 2;

/** The request log in the database may be large; a larger file is not copied only to list profiles. */
const MAX_COPIED_BYTES = 512 * 1024 * 1024;

const MAX_ROWS = 200;

const COPY_ATTEMPTS = 3;

const BUSY_MS = 250;

const BUSY = new Set([5, 6]);

const NEEDED = ['id', 'app_type', 'name', 'settings_config'];

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

/**
 * Reads the profiles of CC Switch without writing anything, not even next to its file: a database with a write-ahead log
 * is read from a private copy. A file that is missing, in use, damaged or unknown gives no rows; it never throws.
 */
async function readProfileRows(file: string): Promise<ProfileRows> {
  try {
    if (!(await stat(file)).isFile()) return none(`${file} is not a file`);
    const header = await readHeader(file);
    if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) return none(`${file} is not a database`);
    if (header[WRITE_VERSION] !== WRITE_AHEAD) return rowsIn(file, file);
    return await fromCopy(file);
  } catch (error) {
    if (isAbsent(error)) return { kind: 'none', note: undefined };
    return none(`${file} cannot be read (${errorCode(error) ?? messageOf(error)})`);
  }
}

async function readHeader(file: string): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { buffer } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    return buffer;
  } finally {
    await handle.close();
  }
}

async function fromCopy(file: string): Promise<ProfileRows> {
  const folder = await mkdtemp(join(tmpdir(), 'manyhands-ccswitch-'));
  try {
    const copy = join(folder, 'copy.db');
    for (let attempt = 0; attempt < COPY_ATTEMPTS; attempt += 1) {
      const before = await takeSnapshot(file);
      if (before.bytes > MAX_COPIED_BYTES) return none(`${file} is too large to read`);
      await copyFile(file, copy);
      if (before.hasLog) await copyFile(`${file}-wal`, `${copy}-wal`);
      else await rm(`${copy}-wal`, { force: true });
      if ((await takeSnapshot(file)).fingerprint === before.fingerprint) return rowsIn(copy, file);
    }
    return none(`${file} is being written; try again`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The fingerprint changes when the database is written concurrently. */
async function takeSnapshot(file: string): Promise<{ fingerprint: string; bytes: number; hasLog: boolean }> {
  const main = await stat(file);
  const log = await stat(`${file}-wal`).catch(() => undefined);
  const bytes = main.size + (log?.size ?? 0);
  return { fingerprint: `${main.size} ${main.mtimeMs} ${log?.size} ${log?.mtimeMs}`, bytes, hasLog: log !== undefined };
}

function rowsIn(path: string, file: string): ProfileRows {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
    const columns = new Set(
      db
        .prepare('PRAGMA table_info(providers)')
        .all()
        .map(({ name }) => name),
    );
    if (columns.size === 0) return none(`${file} is not a database of CC Switch`);
    if (!NEEDED.every((name) => columns.has(name)))
      return none(`${file} was created by an unknown version of CC Switch`);
    const current = columns.has('is_current') ? 'is_current' : '0';
    const order = columns.has('sort_index') ? 'sort_index IS NULL, sort_index, name, id' : 'name, id';
    const sql = `SELECT id, app_type, name, settings_config, ${current} AS current FROM providers ORDER BY ${order} LIMIT ${MAX_ROWS}`;
    return { kind: 'rows', rows: db.prepare(sql).all().flatMap(asRow) };
  } catch (error) {
    return none(isBusy(error) ? `${file} is in use; try again` : `${file} is damaged (${messageOf(error)})`);
  } finally {
    db?.close();
  }
}

function asRow(row: Record<string, unknown>): ProfileRow[] {
  const { id, app_type: app, name, settings_config: settings, current } = row;
  if (typeof id !== 'string' || typeof app !== 'string' || typeof name !== 'string') return [];
  return typeof settings === 'string' ? [{ id, app, name, settings, isCurrent: current === 1 }] : [];
}

function isBusy(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return false;
  return typeof error.errcode === 'number' && BUSY.has(error.errcode & 0xff);
}

function none(note: string): ProfileRows {
  return { kind: 'none', note };
}
