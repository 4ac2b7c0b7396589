import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type { AgentExit, Assignment } from '../../../src/agents/agent.ts';
import { geminiReader } from '../../../src/agents/gemini/gemini-reader.ts';
import { agentContract } from '../../contracts/agent.ts';
import { makeAssignment } from '../../contracts/attempt.ts';
import { sampleAssignment } from '../sample-assignment.ts';
import { makeGemini, PRICES } from './gemini-files.ts';

const TRANSCRIPTS = fileURLToPath(new URL('../../fixtures/transcripts', import.meta.url));
const EXITED: AgentExit = { kind: 'exited', code: 0 };
const ZERO = { total_tokens: 0, input_tokens: 0, output_tokens: 0, cached: 0 };
const INIT = { type: 'init', session_id: '3760a050-2e3c-43b4-b8ff-911cc1c65605', model: 'm' };
const SESSION_FILE = 'session-2026-01-02T03-04-3760a050.jsonl';

const home = mkdtempSync(join(tmpdir(), 'mh-gemini-'));
afterAll(() => rmSync(home, { recursive: true }));

agentContract('gemini', async (behaviour) => makeGemini([behaviour], { given: { GEMINI_CLI_HOME: home } }));

describe('the output of Gemini', () => {
  it('becomes events: session, text, tools, changed files, usage, result', async () => {
    const { events, result } = await read('gemini-edit-commit.jsonl');
    expect(events.map(({ type }) => type)).toEqual([
      ...['session', 'text', 'tool-call', 'tool-result', 'file-change'],
      ...['tool-call', 'tool-result', 'tool-call', 'tool-result', 'text', 'usage', 'result'],
    ]);
    expect(events).toContainEqual({ type: 'text', text: 'I will write the file.' });
    expect(events).toContainEqual({ type: 'file-change', path: 'hello.txt', change: 'modified' });
    expect(result).toEqual({
      text: 'Done: hello.txt is committed.',
      session: '3760a050-2e3c-43b4-b8ff-911cc1c65605',
      usage: {
        kind: 'known',
        costUsd: expect.closeTo((534 * 0.3 + 1000 * 0.03 + 116 * 2.5) / 1e6, 12),
        inputTokens: 534,
        cachedTokens: 1000,
        outputTokens: 116,
        turns: 4,
        model: 'gemini-2.5-flash',
      },
    });
  });

  it('reports a refused tool as a denial, whether withheld, forbidden or needing confirmation', async () => {
    const { events, result } = await read('gemini-denied.jsonl');
    const denied = events.flatMap((event) => (event.type === 'permission-denied' ? [event.tool] : []));
    expect(denied).toEqual(['write_file', 'run_shell_command', 'run_shell_command', 'run_shell_command']);
    expect(result).not.toHaveProperty('failure');
  });

  it('is reported in whole lines, however the answer was split', () => {
    const reader = readerOf();
    const say = (content: string) => line(reader, { type: 'message', role: 'assistant', content, delta: true });
    line(reader, INIT);
    expect(say('one\ntw')).toEqual([{ type: 'text', text: 'one' }]);
    expect(say('o')).toEqual([]);
    expect(say('\nthree\nfour')).toEqual([{ type: 'text', text: 'two\nthree' }]);
    expect(line(reader, success({}))[0]).toEqual({ type: 'text', text: 'four' });
    expect(reader.end(EXITED).text).toBe('one\ntwo\nthree\nfour');
  });

  it.each([
    ['alone', '{"a":1}', { a: 1 }],
    ['in a fence', 'Here:\n```json\n{"a":{"b":2}}\n```\nThat is all.', { a: { b: 2 } }],
    ['the last of several in a row', '{"a":1} and then {"a":2}', { a: 2 }],
    ['after words', 'My answer is {"a":"}"}', { a: '}' }],
    ['not at all', 'I could not {do} it', undefined],
  ])('has its structured output %s in the final text', (_, text, output) => {
    const reader = readerOf({ outputSchema: { type: 'object' } });
    line(reader, INIT);
    line(reader, { type: 'message', role: 'assistant', content: text, delta: true });
    line(reader, success({}));
    expect(reader.end(EXITED).output).toEqual(output);
  });
});

describe('the end of Gemini', () => {
  it.each([
    [429, 'Resource has been exhausted.', 'rate-limit'],
    [401, '{"error":{"code":401,"message":"no"}}', 'auth'],
    [403, '{"error":{"code":403,"message":"no"}}', 'auth'],
    [404, 'The model is not found', 'model-not-found'],
    [400, '{"error":{"code":400,"message":"The input token count (11) exceeds the maximum"}}', 'context-full'],
    [400, '{"error":{"code":400,"message":"API key not valid. Please pass a valid API key."}}', 'auth'],
    [400, '{"error":{"code":400,"status":"FAILED_PRECONDITION","message":"Please enable it"}}', 'billing'],
    [500, 'internal', 'overloaded'],
    [503, 'The model is overloaded.', 'overloaded'],
    [529, 'overloaded', 'overloaded'],
  ])('with HTTP status %i modulo 256 and "%s" is a failure of the kind %s without a bill', (status, message, kind) => {
    const { failure, usage } = failed(`[API Error: ${message}]`, { kind: 'exited', code: status % 256 });
    expect(failure?.kind).toBe(kind);
    expect(usage).toEqual({ kind: 'none' });
  });

  it.each([
    ['[API Error: exception TypeError: fetch failed sending request]', 1, 'network', 'none'],
    ['[API Error: terminated]', 1, 'network', 'unknown'],
    ['[API Error: Incomplete JSON segment at the end]', 1, 'network', 'unknown'],
    ['Reached max session turns for this session.', 53, 'budget', 'unknown'],
    ['Something else', 1, 'unknown', 'unknown'],
  ])('with "%s" and exit code %i is %s, its usage %s', (message, code, kind, usage) => {
    const result = failed(message, { kind: 'exited', code });
    expect(result.failure?.kind).toBe(kind);
    expect(result.usage.kind).toBe(usage);
  });

  it('reports an exhausted daily quota and its reset time', () => {
    const reader = readerOf();
    line(reader, INIT);
    reader.line(
      'stderr',
      'Error when talking to Gemini API Full report available at: /tmp/x.json TerminalQuotaError: no',
    );
    const message = '[API Error: You have exhausted your capacity. Your quota will reset after 2h3m4s.]';
    line(reader, { ...error(message), timestamp: '2026-01-02T00:00:00.000Z' });
    expect(reader.end({ kind: 'exited', code: 173 }).failure).toMatchObject({
      kind: 'usage-limit',
      message: 'You have exhausted your capacity. Your quota will reset after 2h3m4s.',
      resetAt: Date.parse('2026-01-02T02:03:04.000Z'),
    });
  });

  it('with exit code 0 is a failure if the result is an error', () => {
    const reader = readerOf();
    line(reader, INIT);
    line(reader, { type: 'error', severity: 'error', message: 'Model stream ended without a finish reason.' });
    line(reader, { type: 'result', status: 'error', stats: { models: { m: ZERO } } });
    expect(reader.end(EXITED).failure?.kind).toBe('network');
  });

  it('is a failure when it stopped itself in a loop, although it reports success', () => {
    const reader = readerOf();
    line(reader, INIT);
    line(reader, { type: 'error', severity: 'warning', message: 'Loop detected, stopping execution' });
    line(reader, success({}));
    expect(reader.end(EXITED).failure?.kind).toBe('implementation');
  });

  it('without a result is a crash even with exit code 0, as after a stop signal', () => {
    const reader = readerOf();
    line(reader, INIT);
    expect(reader.end(EXITED).failure?.kind).toBe('crashed');
  });

  it('is never determined by what the agent writes', () => {
    const reader = readerOf();
    line(reader, INIT);
    line(reader, { type: 'message', role: 'assistant', content: '429 rate limit, billing, fetch failed', delta: true });
    line(reader, success({}));
    expect(reader.end(EXITED)).not.toHaveProperty('failure');
  });

  it.each([
    ['a model without a known price', { other: { ...ZERO, total_tokens: 5, input_tokens: 5 } }],
    ['a negative count', { scripted: { ...ZERO, total_tokens: -5 } }],
  ])('has unknown usage with %s', (_, models) => {
    const reader = readerOf();
    line(reader, INIT);
    line(reader, error('x', models));
    expect(reader.end({ kind: 'exited', code: 1 }).usage).toEqual({ kind: 'unknown' });
  });

  it('by a kill has the usage of its session file, of this attempt only, each answer once', async () => {
    await using made = await makeAssignment();
    const chats = join(made.assignment.folder, 'gemini', '.gemini', 'tmp', 'workspace', 'chats');
    await mkdir(chats, { recursive: true });
    const answer = (id: string, timestamp: string) => ({
      id,
      type: 'gemini',
      timestamp,
      model: 'scripted',
      tokens: { input: 10, output: 3, cached: 0, thoughts: 2 },
    });
    const noted = [
      answer('before', '2026-01-01T00:00:00.000Z'),
      { $set: { lastUpdated: 'now' } },
      answer('first', '2026-01-02T00:00:01.000Z'),
      answer('first', '2026-01-02T00:00:01.000Z'),
    ];
    const file = join(chats, SESSION_FILE);
    await writeFile(file, noted.map((each) => `${JSON.stringify(each)}\n`).join(''));
    const reader = geminiReader(made.assignment, PRICES);
    expect(reader.usage()).toEqual({ kind: 'none' });
    line(reader, { ...INIT, timestamp: '2026-01-02T00:00:00.000Z' });
    expect(reader.usage()).toMatchObject({ kind: 'known', costUsd: 0.5, inputTokens: 10, outputTokens: 5 });
    await writeFile(file, `${JSON.stringify(answer('second', '2026-01-02T00:00:02.000Z'))}\n{"half`, { flag: 'a' });
    expect(reader.end({ kind: 'interrupted' }).usage).toMatchObject({ kind: 'known', costUsd: 1 });
  });
});

async function read(transcript: string) {
  const reader = readerOf();
  const text = await readFile(join(TRANSCRIPTS, transcript), 'utf8');
  const events = text
    .trim()
    .split('\n')
    .flatMap((each) => reader.line('stdout', each));
  return { events, result: reader.end(EXITED) };
}

function readerOf(more: Partial<Assignment> = {}) {
  return geminiReader({ ...sampleAssignment(), ...more }, PRICES);
}

function line(reader: ReturnType<typeof readerOf>, value: object) {
  return reader.line('stdout', JSON.stringify(value));
}

function failed(message: string, exit: AgentExit) {
  const reader = readerOf();
  line(reader, INIT);
  line(reader, error(message));
  return reader.end(exit);
}

function error(message: string, models: object = { m: ZERO }) {
  return { type: 'result', status: 'error', error: { type: 'unknown', message }, stats: { models } };
}

function success(models: object) {
  return { type: 'result', status: 'success', stats: { models } };
}
