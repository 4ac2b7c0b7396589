import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountsFor, discoverProfiles, withProfiles } from '../../../src/agents/accounts/ccswitch.ts';
import { Config } from '../../../src/schema/config.ts';

type Row = { id: string; app?: string; name: string; settings: unknown; current?: boolean };

const PROVIDERS = `CREATE TABLE providers (id TEXT NOT NULL, app_type TEXT NOT NULL, name TEXT NOT NULL,
  settings_config TEXT NOT NULL, sort_index INTEGER, is_current BOOLEAN NOT NULL DEFAULT 0, PRIMARY KEY (id, app_type))`;
const KIMI: Row = {
  id: 'a1',
  name: 'Kimi K2',
  settings: {
    env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9', ANTHROPIC_AUTH_TOKEN: 'tok-kimi', NODE_OPTIONS: '-r ./x' },
  },
};

let home: string;
let file: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mh-ccswitch-'));
  mkdirSync(join(home, '.cc-switch'));
  file = join(home, '.cc-switch', 'cc-switch.db');
});

afterEach(() => rm(home, { recursive: true, force: true }));

function fill(db: DatabaseSync, rows: readonly Row[]): void {
  const add = db.prepare('INSERT INTO providers VALUES (?, ?, ?, ?, NULL, ?)');
  for (const { id, app = 'claude', name, settings, current } of rows) {
    const text = typeof settings === 'string' ? settings : JSON.stringify(settings);
    add.run(id, app, name, text, current ? 1 : 0);
  }
}

function make(...rows: Row[]): void {
  const db = new DatabaseSync(file);
  db.exec(`BEGIN; ${PROVIDERS}`);
  fill(db, rows);
  db.exec('COMMIT');
  db.close();
}

function discover(ccswitch = 'auto') {
  return discoverProfiles(Config.parse({ routing: { ccswitch } }), { HOME: home });
}

/** Another program that has the database open until it is killed. */
async function holder(program: string): Promise<AsyncDisposable> {
  const code = `const { DatabaseSync } = require('node:sqlite'); const db = new DatabaseSync(${JSON.stringify(file)}); ${program}; console.log('held'); setInterval(() => db, 1000);`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return {
    [Symbol.asyncDispose]: async () => {
      const gone = once(child, 'close');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

describe('the profiles of CC Switch', () => {
  it('are logins of the agents they are for, with variables of that vendor only', async () => {
    make(
      KIMI,
      { id: 'b1', app: 'codex', name: 'Key', settings: { auth: { OPENAI_API_KEY: 'sk-key' }, config: 'model = "x"' } },
      { id: 'c1', app: 'gemini', name: 'G', settings: { env: { GEMINI_API_KEY: 'gk' } } },
      { id: 'd1', app: 'opencode', name: 'Other', settings: { env: {} } },
    );
    const { profiles, note } = await discover();
    expect(note).toBeUndefined();
    expect(profiles.map((profile) => ['env' in profile ? profile.env : profile.why, profile.kind])).toEqual([
      [{ GEMINI_API_KEY: 'gk' }, 'gemini'],
      [{ CODEX_API_KEY: 'sk-key' }, 'codex'],
      [{ ANTHROPIC_BASE_URL: 'http://127.0.0.1:9', ANTHROPIC_AUTH_TOKEN: 'tok-kimi' }, 'claude'],
    ]);
    const config = Config.parse({ routing: { ccswitch: 'auto' }, agents: { hand: { kind: 'claude' } } });
    expect(Object.keys(withProfiles(config, profiles).agents.hand?.accounts ?? {})).toEqual(['ccswitch-kimi-k2']);
  });

  it('are found but not used unless they are enabled', async () => {
    make(KIMI);
    const { profiles } = await discover('off');
    expect(profiles).toHaveLength(1);
    const config = Config.parse({ agents: { hand: { kind: 'claude' } } });
    expect(withProfiles(config, profiles)).toEqual(config);
  });

  it("never use a name of the user's logins or of another profile", async () => {
    make(
      KIMI,
      { ...KIMI, id: 'a2', name: 'kimi k2' },
      { ...KIMI, id: 'a3', name: '智谱' },
      { ...KIMI, id: 'a4', name: 'Mine' },
    );
    const { profiles } = await discover();
    const names = accountsFor({ kind: 'claude', accounts: { 'ccswitch-mine': { env: {} } } }, profiles).map(
      ({ account }) => account,
    );
    expect(new Set(names).size).toBe(4);
    expect(names).not.toContain('ccswitch-mine');
    const config = {
      routing: { ccswitch: 'auto' },
      agents: { hand: { kind: 'claude', accounts: { 'ccswitch-mine': {} } } },
    };
    expect(Config.safeParse(withProfiles(Config.parse(config), profiles)).success).toBe(true);
  });

  it('are not used where they are the login of the program itself, name a provider, or cannot be read', async () => {
    make(
      { id: '1', name: 'a', settings: { env: { ANTHROPIC_AUTH_TOKEN: '' } } },
      { id: '2', app: 'codex', name: 'b', settings: { auth: { OPENAI_API_KEY: 'k' }, config: 'model_provider = "x"' } },
      { id: '3', app: 'codex', name: 'c', settings: { auth: { tokens: {} } } },
      { id: '4', name: 'd', settings: '{"env": ' },
      { id: '5', name: 'e', settings: { env: 7 } },
    );
    const { profiles } = await discover();
    expect(profiles).toHaveLength(5);
    expect(profiles.filter((profile) => 'env' in profile)).toEqual([]);
  });
});

describe('the file of CC Switch', () => {
  it('may be missing without a note, unless it is configured', async () => {
    expect(await discover('off')).toMatchObject({ profiles: [], note: undefined });
    expect((await discover('auto')).note).toMatch(/there is no/);
  });

  it.each([
    ['no database', 'hello, this is a text and no database at all', /is not a database/],
    ['empty', '', /is not a database/],
    ['cut off', 'SQLite format 3\0 and then rubbish that goes on for a while', /is damaged|is not a database/],
  ])('gives nothing but a note when it is %s', async (_, text, note) => {
    writeFileSync(file, text);
    const found = await discover();
    expect(found.profiles).toEqual([]);
    expect(found.note).toMatch(note);
  });

  it('gives only a note when it is unknown or newer', async () => {
    const db = new DatabaseSync(file);
    db.exec('CREATE TABLE notes (text)');
    expect((await discover()).note).toMatch(/not a database of CC Switch/);
    db.exec('CREATE TABLE providers (id TEXT, kind TEXT, secrets BLOB)');
    expect((await discover()).note).toMatch(/unknown version of CC Switch/);
    db.close();
  });

  it('gives only a note when it is damaged', async () => {
    make(...Array.from({ length: 150 }, (_, index) => ({ ...KIMI, id: String(index), name: `p${index}` })));
    const bytes = readFileSync(file);
    bytes.fill(0xab, 4096, bytes.length);
    writeFileSync(file, bytes);
    const found = await discover();
    expect(found.profiles).toEqual([]);
    expect(found.note).toMatch(/is damaged/);
  });

  it('gives only a note while another program has it locked, and its profiles afterwards', async () => {
    make(KIMI);
    {
      await using _ = await holder("db.exec('BEGIN EXCLUSIVE')");
      expect(await discover()).toMatchObject({ profiles: [], note: expect.stringMatching(/in use/) });
    }
    expect((await discover()).profiles).toHaveLength(1);
  });

  it('is read with its write-ahead log, and nothing is written next to it', async () => {
    make();
    const insert = `INSERT INTO providers VALUES ('w1','claude','Waits','{"env":{"ANTHROPIC_API_KEY":"k"}}',NULL,0)`;
    await using _ = await holder(
      `db.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0'); db.exec(${JSON.stringify(insert)})`,
    );
    const before = snapshot();
    expect((await discover()).profiles.map(({ name }) => name)).toEqual(['Waits']);
    expect(snapshot()).toEqual(before);
  });

  it('is read also without its log, and none is left behind', async () => {
    make(KIMI);
    const db = new DatabaseSync(file);
    db.exec('PRAGMA journal_mode = WAL');
    db.close();
    const before = snapshot();
    expect((await discover()).profiles).toHaveLength(1);
    expect(snapshot()).toEqual(before);
    expect(readdirSync(join(home, '.cc-switch'))).toEqual(['cc-switch.db']);
  });
});

function snapshot(): [string, number, string][] {
  const folder = join(home, '.cc-switch');
  return readdirSync(folder).map((name) => {
    const path = join(folder, name);
    return [name, statSync(path).mtimeMs, readFileSync(path).toString('base64')];
  });
}
