import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, it } from 'vitest';
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
  expect(record?.()).toMatchObject({ kind: 'known', ...usage });
  expect(record?.()).toMatchObject({ kind: 'known', ...usage });
  expect(openSessionRecord(program, { id: 'other', since, env: { HOME: home } })?.()).toEqual({ kind: 'none' });
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
  expect(record?.()).toMatchObject({ inputTokens: 250, outputTokens: 250, costUsd: expect.closeTo(0.25, 6), turns: 1 });
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
