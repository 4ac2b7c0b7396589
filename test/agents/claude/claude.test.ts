import { readFileSync } from 'node:fs';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { AgentEvent, AgentExit, Assignment, AssignmentSettings } from '../../../src/agents/agent.ts';
import { claudeAgent } from '../../../src/agents/claude/claude.ts';
import { claudeArguments } from '../../../src/agents/claude/claude-arguments.ts';
import { claudeReader } from '../../../src/agents/claude/claude-reader.ts';
import { createAgents } from '../../../src/agents/registry.ts';
import { lineReader } from '../../../src/process/lines.ts';
import { AgentConfig } from '../../../src/schema/config/agent.ts';
import { Config } from '../../../src/schema/config.ts';
import { agentContract } from '../../contracts/agent.ts';
import { makeAssignment, PLAIN_SETTINGS } from '../../contracts/attempt.ts';

const DIR = fileURLToPath(new URL('../../fixtures/agents', import.meta.url));
const TRANSCRIPTS = fileURLToPath(new URL('../../fixtures/transcripts', import.meta.url));
const EXITED: AgentExit = { kind: 'exited', code: 0 };
const ENV = { ANTHROPIC_API_KEY: 'key', HOME: '/nowhere', PATH: process.env.PATH };

type More = { config?: object; env?: NodeJS.ProcessEnv; path?: string };

function make({ config, env = ENV, path = process.env.PATH ?? '' }: More = {}) {
  const parsed = AgentConfig.parse({ kind: 'claude', command: './claude.mjs', ...config });
  return claudeAgent({ name: 'claude', config: parsed, search: { dir: DIR, path }, env });
}

function settings(more: Partial<AssignmentSettings>): { settings: AssignmentSettings } {
  return { settings: { ...PLAIN_SETTINGS, ...more } };
}

function read(lines: readonly (string | object)[], exit: AgentExit = EXITED) {
  const reader = claudeReader('/sample');
  const events = lines.flatMap((line) => reader.line('stdout', typeof line === 'string' ? line : JSON.stringify(line)));
  const live = reader.usage();
  return { events, live, result: reader.end(exit) };
}

function transcript(name: string): string[] {
  return readFileSync(join(TRANSCRIPTS, `claude-${name}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n');
}

const result = (more: object = {}) => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  modelUsage: {},
  ...more,
});
const spent = (costUSD: number, outputTokens = 1) => ({ inputTokens: 1, outputTokens, costUSD });
const synthetic = (error: string, timestamp = '2026-11-15T18:38:59.985Z') => ({
  type: 'assistant',
  error,
  timestamp,
  message: { id: 'x', model: '<synthetic>', content: [] },
});
const called = (id: string, parent: string | null = null) => ({
  type: 'stream_event',
  event: { type: 'message_start', message: { id } },
  parent_tool_use_id: parent,
});

agentContract('claude', async (behaviour) => make({ config: { args: [behaviour] } }));

describe('the output of Claude', () => {
  it('is translated into common events', () => {
    const { events, result } = read(transcript('edit-commit'));
    const id = '3b3040d5-15b3-4ac0-9eca-8c5b2feb6607';
    expect(events.map(({ type }) => type)).toEqual([
      ...['session', 'reasoning', 'text', 'tool-call', 'tool-result', 'file-change'],
      ...['tool-call', 'tool-result', 'tool-call', 'tool-result', 'text', 'usage', 'result'],
    ]);
    expect(events).toContainEqual({ type: 'session', id });
    expect(events).toContainEqual({ type: 'reasoning', text: 'Plan it.' });
    expect(events).toContainEqual({ type: 'file-change', path: 'hello.txt', change: 'added' });
    expect(events).toContainEqual({
      type: 'tool-result',
      id: 'toolu_scripted_19',
      output: 'ack:{"status":"committed"}',
      isError: false,
    });
    expect(result).toEqual({
      session: id,
      text: 'Done: hello.txt is committed.',
      usage: {
        kind: 'known',
        costUsd: expect.closeTo(0.007512, 6),
        inputTokens: 1734,
        outputTokens: 124,
        cachedTokens: 1000,
        turns: 4,
        model: 'claude-sonnet-4-5',
      },
      answeredBy: ['claude-sonnet-4-5'],
    });
  });

  it('names the model of each answer of the main agent, whatever its usage is reported for', () => {
    const answer = (id: string, model: string, parent: string | null = null) => ({
      type: 'assistant',
      parent_tool_use_id: parent,
      message: { id, model, content: [{ type: 'text', text: 'x' }], usage: { input_tokens: 1, output_tokens: 1 } },
    });
    const lines = [answer('m1', 'claude-sonnet-4-5'), answer('m2', 'claude-haiku-4-5', 't1'), answer('m3', 'gpt-4o')];
    expect(read([...lines, result()]).result.answeredBy).toEqual(['claude-sonnet-4-5', 'gpt-4o']);
  });

  it.each([1, 7, 64, 1000])('gives the same events when it arrives in pieces of %i bytes', (size) => {
    const bytes = readFileSync(join(TRANSCRIPTS, 'claude-edit-commit.jsonl'));
    const lines = lineReader({ maxLineBytes: 1_000_000 });
    const reader = claudeReader('/sample');
    const events: AgentEvent[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      for (const { text } of lines.push(bytes.subarray(at, at + size))) events.push(...reader.line('stdout', text));
    }
    for (const { text } of lines.flush()) events.push(...reader.line('stdout', text));
    const whole = read(transcript('edit-commit'));
    expect(events).toEqual(whole.events);
    expect(reader.end(EXITED)).toEqual(whole.result);
  });

  it('may have several results: the last counts, and each one is paid for once', () => {
    const { events, result } = read(transcript('background'));
    expect(events.filter(({ type }) => type === 'result')).toHaveLength(2);
    expect(result).toMatchObject({ text: 'second', usage: { kind: 'known', outputTokens: 60, inputTokens: 250 } });
    expect(result.usage).toMatchObject({ costUsd: expect.closeTo(0.00165, 6), turns: 3 });
    expect(result).not.toHaveProperty('failure');
  });

  it('may recover in a later turn from one that was interrupted', () => {
    expect(read(transcript('interrupt')).result).toMatchObject({ text: 'Recovered.' });
    expect(read(transcript('interrupt')).result).not.toHaveProperty('failure');
    const first = transcript('interrupt').slice(0, 6);
    expect(read(first).result.failure?.kind).toBe('interrupted');
  });

  it('keeps a structured output that a later result does not repeat', () => {
    const { result: end } = read([result({ structured_output: { a: 1 } }), result({ result: 'later' })]);
    expect(end).toMatchObject({ output: { a: 1 }, text: 'later' });
    expect(read([result({ result: '{"a":1}' })]).result).not.toHaveProperty('output');
  });

  it('reports a denied permission once, from an event, from the result, or from both', () => {
    const denial = {
      type: 'system',
      subtype: 'permission_denied',
      tool_name: 'Bash',
      tool_use_id: 't1',
      message: 'No',
    };
    const denials = ['t1', 't2'].map((id) => ({ tool_name: 'Bash', tool_use_id: id }));
    const { events, result: end } = read([denial, result({ permission_denials: denials })]);
    expect(events.filter(({ type }) => type === 'permission-denied')).toEqual([
      { type: 'permission-denied', tool: 'Bash', message: 'No' },
      { type: 'permission-denied', tool: 'Bash', message: 'Bash was not allowed' },
    ]);
    expect(end).not.toHaveProperty('failure');
  });

  it('shows its own retries', () => {
    const line = { type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 3, retry_delay_ms: 614 };
    expect(read([{ ...line, error_status: 429, error: 'rate_limit' }]).events).toEqual([
      { type: 'retry', message: 'rate_limit (HTTP 429): try 1 of 3 in 0.6 s' },
    ]);
  });

  it('is kept unchanged if its kind is unknown', () => {
    const line = JSON.stringify({ type: 'system', subtype: 'compact_boundary', x: 1 });
    expect(read([line]).events).toEqual([{ type: 'unknown', raw: line }]);
  });
});

describe('the usage of Claude', () => {
  it('is only the new usage when a session is resumed, although totals include its past', () => {
    const { result: end } = read([
      called('m1'),
      result({ modelUsage: { opus: spent(9) }, model_usage_since_last_result: { opus: spent(0.5) } }),
    ]);
    expect(end.usage).toMatchObject({ kind: 'known', costUsd: 0.5, turns: 1 });
  });

  it('is counted once when an older version reports only totals of its process', () => {
    const { events, result: end } = read([
      result({ modelUsage: { opus: spent(1, 10) } }),
      result({ modelUsage: { opus: spent(3, 30), haiku: spent(0.5) } }),
    ]);
    expect(end.usage).toMatchObject({ costUsd: 3.5, outputTokens: 31, model: 'opus' });
    expect(events.filter(({ type }) => type === 'usage')).toMatchObject([
      { usage: { costUsd: 1 } },
      { usage: { costUsd: 2.5, outputTokens: 21 } },
    ]);
  });

  it('is billed to the model that cost most', () => {
    const models = { haiku: spent(0.1, 500), opus: spent(2) };
    expect(read([result({ modelUsage: models })]).result.usage).toMatchObject({ model: 'opus', costUsd: 2.1 });
  });

  it('is none before a model call, and unknown until a result reports the cost', () => {
    expect(read([]).live).toEqual({ kind: 'none' });
    expect(read([called('m1')]).live).toEqual({ kind: 'unknown' });
    expect(read([called('m1')], { kind: 'interrupted' }).result.usage).toEqual({ kind: 'unknown' });
    expect(read([result({ modelUsage: { opus: spent(1) } }), called('m2')]).live).toEqual({ kind: 'unknown' });
  });

  it('is counted at list prices from the calls that were reported before an interruption', () => {
    const usage = (output: number) => ({ input_tokens: 1000, cache_read_input_tokens: 500, output_tokens: output });
    const start = (id: string, parent: string | null) => ({
      type: 'stream_event',
      event: { type: 'message_start', message: { id, model: 'claude-sonnet-4-5', usage: usage(1) } },
      parent_tool_use_id: parent,
    });
    const delta = (output: number, parent: string | null) => ({
      type: 'stream_event',
      event: { type: 'message_delta', usage: usage(output) },
      parent_tool_use_id: parent,
    });
    const block = { id: 'm1', model: 'claude-sonnet-4-5', content: [], usage: usage(1) };
    const lines = [
      start('m1', null),
      { type: 'assistant', message: block },
      start('m2', 'toolu_1'),
      delta(100, null),
      delta(20, 'toolu_1'),
    ];
    const { result: interrupted } = read(lines, { kind: 'interrupted' });
    expect(interrupted.usage).toMatchObject({ inputTokens: 2000, cachedTokens: 1000, outputTokens: 120, turns: 1 });
    expect(interrupted.usage).toMatchObject({ costUsd: expect.closeTo(0.0081, 6), model: 'claude-sonnet-4-5' });
    const ended = read([...lines, result({ modelUsage: { opus: spent(1) } })]).result;
    expect(ended.usage).toMatchObject({ costUsd: 1, outputTokens: 1 });
    expect(read([...lines, called('m3')]).live).toEqual({ kind: 'unknown' });
  });

  it('is unknown, not none, when an answer had begun and no cost is reported', () => {
    expect(read([called('m1'), result({ is_error: true })]).result.usage).toEqual({ kind: 'unknown' });
    expect(read([synthetic('overloaded'), result({ is_error: true })]).result.usage).toEqual({ kind: 'none' });
  });

  it.each([
    ['negative', { opus: spent(-1) }],
    ['no number', { opus: { inputTokens: 1, outputTokens: 1, costUSD: 'NaN' } }],
    ['missing', undefined],
  ])('is unknown when it is %s', (_, modelUsage) => {
    expect(read([result({ modelUsage })]).result.usage).toEqual({ kind: 'unknown' });
  });

  it('counts only answers to the main agent as turns, each once', () => {
    const lines = [called('m1'), called('m1'), called('m2', 'toolu_1'), called('m3')];
    const { usage } = read([...lines, result({ modelUsage: { opus: spent(1) } })]).result;
    expect(usage).toMatchObject({ turns: 2 });
  });
});

describe('a failure of Claude', () => {
  const failed = (more: object, before: object[] = []) =>
    read([...before, result({ is_error: true, result: 'said', ...more })], { kind: 'exited', code: 1 }).result.failure;

  it.each<[string, object, string | undefined, string]>([
    ['429', { api_error_status: 429 }, 'rate_limit', 'rate-limit'],
    ['529', { api_error_status: 529 }, 'server_error', 'overloaded'],
    ['500', { api_error_status: 500 }, 'server_error', 'overloaded'],
    ['401', { api_error_status: 401 }, 'authentication_failed', 'auth'],
    ['403', { api_error_status: 403 }, 'authentication_failed', 'auth'],
    ['no login', { terminal_reason: 'api_error' }, 'authentication_failed', 'auth'],
    ['404', { api_error_status: 404 }, 'model_not_found', 'model-not-found'],
    ['an empty account', { api_error_status: 400 }, 'billing_error', 'billing'],
    ['another 400', { api_error_status: 400 }, 'unknown', 'unknown'],
    ['a long prompt', { terminal_reason: 'prompt_too_long', api_error_status: 400 }, 'invalid_request', 'context-full'],
    ['no connection', { api_error: 'connection_failed', terminal_reason: 'api_error' }, 'server_error', 'network'],
    ['a stream that stops', { api_error: 'stream_idle_timeout' }, 'server_error', 'network'],
    ['rubbish', { terminal_reason: 'api_error' }, 'unknown', 'network'],
    ['rubbish to an older program', { terminal_reason: 'completed' }, 'unknown', 'network'],
    ['a refusal', { stop_reason: 'refusal', terminal_reason: 'api_error' }, 'invalid_request', 'refused'],
    ['a session it lost', { errors: ['No conversation found with session ID: x'] }, 'unknown', 'session-lost'],
    ['an endless answer', { api_error: 'max_output_tokens' }, 'max_output_tokens', 'implementation'],
    ['too many turns', { subtype: 'error_max_turns' }, undefined, 'budget'],
    ['too much money', { subtype: 'error_max_budget_usd' }, undefined, 'budget'],
    ['no output of the form', { subtype: 'error_max_structured_output_retries' }, undefined, 'bad-output'],
    ['an unknown session', { subtype: 'error_during_execution', errors: ['No conversation'] }, undefined, 'crashed'],
    ['nothing that we know', {}, undefined, 'unknown'],
  ])('for %s is denial by fields', (_, fields, error, kind) => {
    expect(failed(fields, error === undefined ? [] : [synthetic(error)])?.kind).toBe(kind);
  });

  it('is not determined by what the agent writes', () => {
    const text = 'API Error: 429 rate_limit_error. Credit balance is too low. Please run /login';
    const printed = { type: 'assistant', message: { id: 'm', model: 'opus', content: [{ type: 'text', text }] } };
    const { result: end } = read([printed, result({ result: text, modelUsage: { opus: spent(1) } })]);
    expect(end).not.toHaveProperty('failure');
    expect(read([printed, result({ is_error: true, result: text })]).result.failure?.kind).toBe('unknown');
  });

  it('comes from the turn that failed, not from an error of an earlier one', () => {
    const turn = { type: 'system', subtype: 'init', session_id: 's' };
    expect(failed({}, [synthetic('billing_error'), result({ is_error: true }), turn])?.kind).toBe('unknown');
  });

  it('at a usage limit names the time at which it ends', () => {
    expect(read(transcript('usage-limit'), { kind: 'exited', code: 1 }).result).toMatchObject({
      usage: { kind: 'none' },
      failure: {
        kind: 'usage-limit',
        resetAt: 1_794_771_538_000,
        message: "You've hit your 5-hour limit · resets 7:38pm (UTC)",
      },
    });
  });

  it('takes the time from its own error text where there is no field for it', () => {
    const fields = { api_error_status: 429, api_error: 'usage_limit_reached', result: 'Limit · resets 7:38pm (UTC)' };
    expect(failed(fields, [synthetic('rate_limit')])).toMatchObject({
      kind: 'usage-limit',
      resetAt: Date.parse('2026-11-15T19:38:00Z'),
    });
  });

  it.each<[string, AgentExit, string]>([
    ['exit code 0', EXITED, 'crashed'],
    ['SIGTERM', { kind: 'exited', code: 143 }, 'interrupted'],
    ['SIGINT', { kind: 'exited', code: 130 }, 'interrupted'],
    ['SIGKILL', { kind: 'exited', code: 137 }, 'killed'],
    ['SIGSEGV', { kind: 'exited', code: 139 }, 'crashed'],
    ['a missing program', { kind: 'exited', code: 127 }, 'environment'],
    ['no exit code', { kind: 'interrupted' }, 'interrupted'],
  ])('without a result is denial by its end: %s', (_, exit, kind) => {
    expect(read([], exit).result.failure?.kind).toBe(kind);
    const turn = { type: 'system', subtype: 'init', session_id: 's' };
    expect(read([result({ result: 'first' }), turn], exit).result.failure?.kind).toBe(kind);
  });

  it('does not occur when the program is stopped after its result', () => {
    expect(read([result()], { kind: 'exited', code: 143 }).result).not.toHaveProperty('failure');
    expect(read([result()], { kind: 'interrupted' }).result).not.toHaveProperty('failure');
    expect(read([result()], { kind: 'exited', code: 1 }).result.failure?.kind).toBe('implementation');
  });

  it.each([
    ['--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons', 'environment'],
    ['Error: ENOSPC: no space left on device, write', 'disk-full'],
    ['Error: Session ID x is already in use.', 'implementation'],
  ])('before any result is denial by its own error channel: %s', (text, kind) => {
    const reader = claudeReader('/sample');
    reader.line('stderr', text);
    expect(reader.end({ kind: 'exited', code: 1 }).failure).toMatchObject({ kind, evidence: text });
  });
});

describe("Claude's arguments", () => {
  const BASE: Assignment = {
    attempt: 'a',
    run: 'r',
    task: 't',
    role: 'implement',
    number: 1,
    access: 'write',
    workspace: '/w',
    folder: '/f',
    promptFile: '/f/prompt.md',
    limits: { inactivityMs: 1, runtimeMs: 1, outputBytes: 1 },
    settings: PLAIN_SETTINGS,
    env: {},
  };
  const args = (more: Partial<Assignment> = {}) => claudeArguments({ ...BASE, ...more }, { mcp: [] });
  const valuesOf = (list: string[], flag: string) => {
    const rest = list.slice(list.indexOf(flag) + 1);
    const end = rest.findIndex((text) => text.startsWith('--'));
    return list.includes(flag) ? rest.slice(0, end < 0 ? undefined : end) : undefined;
  };

  it('disable all other sources of settings and servers, and do not contain the prompt', () => {
    expect(args()).toEqual(expect.arrayContaining(['-p', 'stream-json', '--verbose', '--strict-mcp-config']));
    expect(valuesOf(args(), '--setting-sources')).toEqual(['']);
    expect(valuesOf(args(), '--settings')).toBeUndefined();
  });

  it('contain the settings of the task', () => {
    const list = args({
      session: 's1',
      outputSchema: { type: 'object' },
      limits: { ...BASE.limits, turns: 7, costUsd: 0.5 },
      ...settings({
        model: 'opus',
        effort: 'high',
        addDirs: ['/a', '/b'],
        allowedTools: ['WebSearch'],
        allowedCli: ['gh'],
        disallowedTools: ['WebFetch'],
        mcp: { notes: { url: 'http://127.0.0.1:1/', headers: {} } },
      }),
    });
    expect(valuesOf(list, '--resume')).toEqual(['s1']);
    expect(valuesOf(list, '--json-schema')).toEqual(['{"type":"object"}']);
    expect(valuesOf(list, '--max-turns')).toEqual(['7']);
    expect(valuesOf(list, '--max-budget-usd')).toEqual(['0.5']);
    expect(valuesOf(list, '--model')).toEqual(['opus']);
    expect(valuesOf(list, '--effort')).toEqual(['high']);
    expect(valuesOf(list, '--add-dir')).toEqual(['/a', '/b']);
    expect(valuesOf(list, '--permission-mode')).toEqual(['acceptEdits']);
    expect(valuesOf(list, '--allowedTools')).toEqual([
      'Bash(git *)',
      'WebSearch',
      'Bash(gh)',
      'Bash(gh *)',
      'mcp__notes',
    ]);
    expect(valuesOf(list, '--disallowedTools')).toContain('WebFetch');
  });

  it.each([
    ['default', undefined],
    ['plan', ['plan']],
    ['dontAsk', ['dontAsk']],
    ['bypass', ['bypassPermissions']],
  ] as const)('for permission %s allow nothing of their own', (permission, mode) => {
    const list = args(settings({ permission }));
    expect(valuesOf(list, '--permission-mode')).toEqual(mode);
    expect(valuesOf(list, '--allowedTools')).toBeUndefined();
  });

  it('never let a read-only role write, whatever the settings', () => {
    const list = args({
      access: 'read',
      ...settings({
        permission: 'bypass',
        allowedTools: ['Write', 'Bash(rm *)', 'mcp__docs__search'],
        allowedCli: ['npm'],
        mcp: { files: { command: 'files', args: [], env: {} } },
      }),
    });
    expect(valuesOf(list, '--permission-mode')).toEqual(['dontAsk']);
    expect(valuesOf(list, '--allowedTools')).toEqual(['mcp__docs__search']);
    expect(valuesOf(list, '--disallowedTools')).toEqual(expect.arrayContaining(['Edit', 'Write', 'NotebookEdit']));
  });

  it('let a verifier run commands and write new files, which are discarded, but not edit', () => {
    const list = args({ access: 'read', ...settings({ scratchTools: ['Bash', 'Read', 'Write'] }) });
    expect(valuesOf(list, '--allowedTools')).toEqual(['Bash', 'Read', 'Write']);
    expect(valuesOf(list, '--disallowedTools')).toEqual(expect.arrayContaining(['Edit', 'NotebookEdit']));
    expect(valuesOf(list, '--disallowedTools')).not.toContain('Write');
  });
});

describe("Claude's environment", () => {
  it('limits its retries and waits below our own limit, and lets the user’s values override', async () => {
    const limits = { inactivityMs: 10_000, runtimeMs: 60_000, outputBytes: 1 };
    await using made = await makeAssignment({ limits, env: { CLAUDE_CODE_MAX_RETRIES: '9' } });
    const { env } = await make({ config: { env: { API_TIMEOUT_MS: '5' } } }).command(made.assignment);
    expect(env).toMatchObject({
      CLAUDE_CODE_MAX_RETRIES: '9',
      API_TIMEOUT_MS: '5',
      CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS: '2500',
      BASH_MAX_TIMEOUT_MS: '8000',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    });
  });

  it('contains only the login of the selected account', async () => {
    const account = { name: 'work', env: { EXTRA: '1' }, configDir: '/accounts/work' };
    const inherited = {
      ANTHROPIC_API_KEY: 'mine',
      CLAUDE_CONFIG_DIR: '/mine',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
    };
    await using made = await makeAssignment({ env: inherited, ...settings({ account }) });
    const { env } = await make().command(made.assignment);
    expect(env).toMatchObject({
      EXTRA: '1',
      CLAUDE_CONFIG_DIR: '/accounts/work',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
    });
    expect(env).not.toHaveProperty('ANTHROPIC_API_KEY');
  });

  it('contains nothing of a Claude session that started us', async () => {
    await using made = await makeAssignment({
      env: {
        CLAUDE_CODE_SSE_PORT: '1',
        CLAUDE_CODE_SESSION_ID: 'x',
        CLAUDE_CODE_MESSAGING_TOKEN: 'x',
        CLAUDE_PID: '1',
      },
    });
    const { env } = await make().command(made.assignment);
    expect(Object.keys(env).filter((name) => /SSE_PORT|SESSION|MESSAGING|PID/.test(name))).toEqual([]);
  });

  it('may contain only variables of its own vendor', () => {
    const names = ['ANTHROPIC_API_KEY', 'CLAUDE_CONFIG_DIR', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'MY_ANTHROPIC_KEY'];
    expect(names.filter((name) => make().vendor?.test(name))).toEqual(['ANTHROPIC_API_KEY', 'CLAUDE_CONFIG_DIR']);
  });
});

describe("Claude's files", () => {
  const fileAfter = async (flag: string, assignment: Assignment) => {
    const { command } = await make().command(assignment);
    const at = command.indexOf(flag);
    return at < 0 ? undefined : readFile(command[at + 1] ?? '', 'utf8');
  };
  const HOOKS = '{"hooks":{}}';

  it.each([
    ['CLAUDE.md and the instructions', { 'CLAUDE.md': 'Be kind.', 'AGENTS.md': 'No.' }, 'Be kind.\n\nBe brief.'],
    ['AGENTS.md where there is no CLAUDE.md', { 'AGENTS.md': 'Be calm.' }, 'Be calm.\n\nBe brief.'],
    [
      'AGENTS.md where CLAUDE.md imports it',
      { 'CLAUDE.md': '@AGENTS.md', 'AGENTS.md': 'A.' },
      '@AGENTS.md\n\nA.\n\nBe brief.',
    ],
    ['the instructions alone', { 'GEMINI.md': 'No.' }, 'Be brief.'],
  ])('give it %s', async (_, native, text) => {
    await using made = await makeAssignment(settings({ native, instructions: 'Be brief.' }));
    expect(await fileAfter('--append-system-prompt-file', made.assignment)).toBe(text);
  });

  it('are not written without content', async () => {
    await using made = await makeAssignment();
    expect(await fileAfter('--append-system-prompt-file', made.assignment)).toBeUndefined();
    expect(await fileAfter('--mcp-config', made.assignment)).toBeUndefined();
  });

  it('keep the secrets of servers out of the arguments and private', async () => {
    const mcp = {
      local: { command: 'notes', args: ['-x'], env: { TOKEN: 'hush' } },
      far: { url: 'http://127.0.0.1:1/mcp', headers: { Authorization: 'hush' } },
    };
    await using made = await makeAssignment(settings({ mcp }));
    const { command } = await make().command(made.assignment);
    expect(command.join(' ')).not.toContain('hush');
    const file = command[command.indexOf('--mcp-config') + 1] ?? '';
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      mcpServers: {
        local: { type: 'stdio', command: 'notes', args: ['-x'], env: { TOKEN: 'hush' } },
        far: { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: { Authorization: 'hush' } },
      },
    });
  });

  it('contain the trusted settings and servers of the repository, in the trusted content', async () => {
    const trusted = [
      { path: '.claude/settings.json', text: HOOKS },
      { path: '.mcp.json', text: '{"mcpServers":{}}' },
    ];
    await using made = await makeAssignment(settings({ trusted }));
    await writeFile(join(made.assignment.workspace, '.mcp.json'), 'changed meanwhile');
    expect(await fileAfter('--settings', made.assignment)).toBe(HOOKS);
    expect(await fileAfter('--mcp-config', made.assignment)).toBe('{"mcpServers":{}}');
    const none = { ...made.assignment, ...settings({}) };
    expect(await fileAfter('--settings', none)).toBeUndefined();
    expect(await fileAfter('--mcp-config', none)).toBeUndefined();
  });
});

describe('the availability of Claude', () => {
  it('includes its version and login', async () => {
    const detail = expect.stringMatching(/claude\.mjs 2\.1\.325, logged in by ANTHROPIC_API_KEY$/);
    expect(await make().available()).toEqual({ ok: true, detail });
  });

  it('depends on a login: a variable, a file, or an account with either', async () => {
    await using made = await makeAssignment();
    const env = { HOME: made.root, PATH: process.env.PATH };
    const none = await make({ env, config: { accounts: { work: {} } } }).available();
    const expected = process.platform === 'darwin' ? {} : { ok: false, nextStep: expect.stringContaining('/login') };
    expect(none).toMatchObject(expected);
    const account = { work: { env: { CLAUDE_CODE_OAUTH_TOKEN: 'x' } } };
    expect(await make({ env, config: { accounts: account } }).available()).toMatchObject({ ok: true });
    await mkdir(join(made.root, '.claude'));
    await writeFile(join(made.root, '.claude', '.credentials.json'), '{}');
    expect(await make({ env }).available()).toMatchObject({
      ok: true,
      detail: expect.stringContaining('.credentials'),
    });
  });

  it('is false if the program is missing or does not start', async () => {
    await using made = await makeAssignment();
    const broken = join(made.root, 'broken');
    await writeFile(broken, '#!/bin/sh\necho "no such CPU" >&2\nexit 1\n');
    await chmod(broken, 0o755);
    expect(await make({ config: { command: broken } }).available()).toMatchObject({
      ok: false,
      detail: `${broken} does not start: no such CPU`,
    });
    expect(await make({ config: { command: './none' } }).available()).toMatchObject({ ok: false });
    await expect(make({ config: { command: './none' } }).command(made.assignment)).rejects.toMatchObject({
      code: 'AGENT_MISSING',
    });
  });

  it('never uses a file in the repository with the name of the program', async () => {
    await using made = await makeAssignment();
    await writeFile(join(made.root, 'claude'), '#!/bin/sh\necho 9.9.9\n');
    await chmod(join(made.root, 'claude'), 0o755);
    const config = AgentConfig.parse({ kind: 'claude' });
    const search = { dir: made.root, path: '/nowhere' };
    const agent = claudeAgent({ name: 'claude', config, search, env: ENV });
    expect(await agent.available()).toMatchObject({ ok: false, detail: 'claude is not on PATH' });
    const onPath = claudeAgent({ name: 'claude', config, search: { dir: '/', path: made.root }, env: ENV });
    expect(await onPath.available()).toMatchObject({ ok: true, detail: expect.stringContaining('9.9.9') });
  });

  it('is checked for an agent of kind claude in the configuration', () => {
    const config = Config.parse({ agents: { ann: { kind: 'claude', maxParallel: 3 } } });
    const agents = createAgents({ config, dir: '/', rehearsal: { program: [] }, adHoc: [] });
    expect(agents.get('ann')).toMatchObject({ kind: 'claude', name: 'ann', maxParallel: 3 });
  });
});
