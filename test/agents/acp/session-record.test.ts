import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { environmentToResume, openSessionRecord } from '../../../src/agents/acp/session-record.ts';

const home = mkdtempSync(join(tmpdir(), 'mh-record-'));
afterAll(() => rmSync(home, { recursive: true }));

const THREAD = '01a1e89b-7603-7c53-ba10-898fc4b81e17';
const BEFORE = '2026-11-17T08:00:00.000Z';
const AFTER = '2026-11-17T09:00:00.000Z';
const since = Date.parse('2026-11-17T08:30:00.000Z');

function writeLines(path: string, lines: readonly object[]): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

const claude = (id: string, timestamp: string, output: number) => ({
  type: 'assistant',
  timestamp,
  message: {
    id,
    model: 'claude-sonnet-4-5',
    content: [],
    usage: { input_tokens: 1000, cache_read_input_tokens: 10, output_tokens: output },
  },
});
writeLines('.claude/projects/-work/s1.jsonl', [
  { type: 'queue-operation' },
  claude('m1', BEFORE, 7),
  claude('m2', AFTER, 100),
  claude('m2', AFTER, 100),
]);
writeLines('.claude/projects/-work/s1/subagents/agent-1.jsonl', [claude('m3', AFTER, 50)]);

const codex = (timestamp: string, output: number) => ({
  type: 'token_usage_record',
  timestamp,
  payload: { usage: { input_tokens: 1000, cached_input_tokens: 10, output_tokens: output } },
});
writeLines(`.codex/sessions/2026/11/17/rollout-${THREAD}.jsonl`, [
  { type: 'turn_context', payload: { model: 'gpt-5.5' } },
  codex(BEFORE, 7),
  codex(AFTER, 150),
]);

const gemini = (id: string, timestamp: string, output: number) => ({
  id,
  type: 'gemini',
  timestamp,
  model: 'gemini-2.5-flash',
  tokens: { input: 1000, output, cached: 10, thoughts: 0 },
});
writeLines('.gemini/tmp/work/chats/session-2026-s1234567.jsonl', [gemini('a', BEFORE, 7), gemini('b', AFTER, 150)]);

function writeOpencode(): void {
  const folder = join(home, '.local', 'share', 'opencode');
  mkdirSync(folder, { recursive: true });
  using database = new DatabaseSync(join(folder, 'opencode.db'));
  database.exec(`
    CREATE TABLE session (id TEXT, parent_id TEXT);
    CREATE TABLE message (id TEXT, session_id TEXT, data TEXT);
    CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
    INSERT INTO session VALUES ('s1', NULL), ('s2', 's1'), ('s3', NULL);
    INSERT INTO message VALUES ('m', 's1', '{"modelID":"claude-sonnet-4-5"}');`);
  const add = database.prepare('INSERT INTO part VALUES (?, ?, ?, ?, ?)');
  const step = (output: number) => ({
    type: 'step-finish',
    cost: 0.01,
    tokens: { input: 500, output, reasoning: 5, cache: { read: 5, write: 0 } },
  });
  const rows: [string, string, number][] = [
    ['s1', BEFORE, 7],
    ['s1', AFTER, 100],
    ['s2', AFTER, 40],
    ['s3', AFTER, 9],
  ];
  for (const [at, [session, time, output]] of rows.entries())
    add.run(`p${at}`, 'm', session, Date.parse(time), JSON.stringify(step(output)));
}
writeOpencode();

it.each([
  ['/bin/claude-agent-acp', 's1', { inputTokens: 2000, cachedTokens: 20, outputTokens: 150, turns: 2 }],
  ['codex-acp', THREAD, { inputTokens: 990, cachedTokens: 10, outputTokens: 150, turns: 1, model: 'gpt-5.5' }],
  ['gemini', 's1234567-1', { inputTokens: 990, cachedTokens: 10, outputTokens: 150, turns: 1 }],
  ['opencode', 's1', { inputTokens: 1000, cachedTokens: 10, outputTokens: 150, turns: 2, costUsd: 0.02 }],
])('counts the calls of a session of %s since the prompt, with those of its subagents', (program, id, usage) => {
  const record = openSessionRecord(program, { id, since, env: { HOME: home } });
  expect(record?.('ended')).toMatchObject({ kind: 'known', ...usage });
  expect(record?.('ended')).toMatchObject({ kind: 'known', ...usage });
  expect(openSessionRecord(program, { id: 'other', since, env: { HOME: home } })?.('ended')).toEqual({ kind: 'none' });
});

it('counts the steps of opencode also while it works, by a process that cannot keep this one waiting', async () => {
  const record = openSessionRecord('opencode', { id: 's1', since, env: { HOME: home } });
  await expect.poll(() => record?.('running'), { timeout: 20_000 }).toMatchObject({ kind: 'known', outputTokens: 150 });
});

/** Each makes something in the place of a file of a session, which an agent can write. */
const REPLACED: Record<string, (file: string) => void> = {
  'a pipe': (file) => execFileSync('mkfifo', [file]),
  'a link to a device without end': (file) => symlinkSync('/dev/zero', file),
  'a link to a file of the user': (file) => symlinkSync(join(home, 'secret.jsonl'), file),
  'a folder': (file) => mkdirSync(file),
};
const SESSIONS = [
  ['claude', 'r1', '.claude/projects/-work/r1.jsonl'],
  [
    'codex',
    THREAD.replace('fc4b', 'fc4c'),
    `.codex/sessions/2026/11/17/rollout-${THREAD.replace('fc4b', 'fc4c')}.jsonl`,
  ],
  ['gemini', 'r1234567-1', '.gemini/tmp/work/chats/session-2026-r1234567.jsonl'],
  ['opencode', 's1', 'replaced/opencode/opencode.db'],
] as const;

describe.each(Object.keys(REPLACED))('%s in the place of a session', (what) => {
  it.each(SESSIONS)('of %s has no calls', async (program, id, file) => {
    writeLines('secret.jsonl', [claude('m1', AFTER, 9), codex(AFTER, 9), gemini('a', AFTER, 9)]);
    const path = join(home, file);
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { recursive: true, force: true });
    REPLACED[what]?.(path);
    const env = { HOME: home, XDG_DATA_HOME: join(home, 'replaced'), CODEX_HOME: '', GEMINI_CLI_HOME: '' };
    const record = openSessionRecord(program, { id, since, env });
    expect(record?.('ended')).toEqual({ kind: 'none' });
    expect(record?.('running')).toEqual({ kind: 'none' });
  });
});

it('reads no more of a session than a session can have', () => {
  const path = join(home, '.claude/projects/-work/sparse.jsonl');
  writeFileSync(path, '');
  truncateSync(path, 2 ** 42);
  const record = openSessionRecord('claude', { id: 'sparse', since, env: { HOME: home } });
  expect(record?.('running')).toEqual({ kind: 'none' });
});

it.each([
  [
    'a view that never ends',
    'DROP TABLE part; CREATE VIEW part AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS id, x AS message_id, x AS session_id, x AS time_created, x AS data FROM n',
  ],
  [
    'columns that are computed',
    'DROP TABLE part; CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT AS (hex(zeroblob(1000)))); INSERT INTO part (id) VALUES (1)',
  ],
])('a database of opencode with %s has no calls, and nothing waits for it', async (_, sql) => {
  const folder = join(home, 'computed', 'opencode');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(home, '.local/share/opencode/opencode.db'), join(folder, 'opencode.db'));
  {
    using database = new DatabaseSync(join(folder, 'opencode.db'));
    database.exec(sql);
  }
  const record = openSessionRecord('opencode', { id: 's1', since, env: { XDG_DATA_HOME: join(home, 'computed') } });
  const startedAt = performance.now();
  expect([record?.('running'), record?.('ended')]).toEqual([{ kind: 'none' }, { kind: 'none' }]);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});

it('contains the total that Claude wrote when it exited, without that of an earlier exit', () => {
  const total = (tokens: number) => ({
    type: 'cost-state',
    modelUsage: { 'claude-sonnet-4-5': { inputTokens: tokens, outputTokens: tokens, costUSD: tokens / 1000 } },
  });
  writeLines('.claude/projects/-work/s9.jsonl', [
    claude('m1', BEFORE, 7),
    total(100),
    claude('m2', AFTER, 9),
    total(350),
  ]);
  const record = openSessionRecord('claude-agent-acp', { id: 's9', since, env: { HOME: home } });
  expect(record?.('ended')).toMatchObject({
    inputTokens: 250,
    outputTokens: 250,
    costUsd: expect.closeTo(0.25, 6),
    turns: 1,
  });
});

it('is not available for a program whose records are not known', () => {
  expect(openSessionRecord('another-agent', { id: 's1', since, env: { HOME: home } })).toBeUndefined();
});

it('resumes a session of claude that has an answer without the model of the environment, which would be checked by a call', () => {
  writeLines('.claude/projects/-work/empty.jsonl', [{ type: 'queue-operation' }]);
  const env = { HOME: home, ANTHROPIC_MODEL: 'claude-sonnet-4-5' };
  expect(environmentToResume('/bin/claude-agent-acp', { id: 's1', env })).toEqual({ HOME: home });
  expect(environmentToResume('/bin/claude-agent-acp', { id: 'empty', env })).toBe(env);
  expect(environmentToResume('/bin/claude-agent-acp', { id: 'unknown', env })).toBe(env);
  expect(environmentToResume('/bin/gemini', { id: 's1', env })).toBe(env);
});
