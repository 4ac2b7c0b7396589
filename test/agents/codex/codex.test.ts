import { readFileSync } from 'node:fs';
import { appendFile, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { AgentEvent, AgentExit, Assignment, AssignmentSettings } from '../../../src/agents/agent.ts';
import { codexAgent } from '../../../src/agents/codex/codex.ts';
import { type CodexFacts, codexArguments } from '../../../src/agents/codex/codex-arguments.ts';
import { codexReader } from '../../../src/agents/codex/codex-reader.ts';
import { hasStrictForm, strictSchema, withoutNulls } from '../../../src/agents/codex/codex-schema.ts';
import { createAgents } from '../../../src/agents/registry.ts';
import { lineReader } from '../../../src/process/lines.ts';
import { AgentConfig } from '../../../src/schema/config/agent.ts';
import { Config } from '../../../src/schema/config.ts';
import { realWorld } from '../../../src/world.ts';
import { agentContract } from '../../contracts/agent.ts';
import { makeAssignment, PLAIN_SETTINGS } from '../../contracts/attempt.ts';
import { sampleAssignment } from '../sample-assignment.ts';

const DIR = fileURLToPath(new URL('../../fixtures/agents', import.meta.url));
const TRANSCRIPT = fileURLToPath(new URL('../../fixtures/transcripts/codex-edit-commit.jsonl', import.meta.url));
const EXITED: AgentExit = { kind: 'exited', code: 0 };
const FAILED: AgentExit = { kind: 'exited', code: 1 };
const INTERRUPTED: AgentExit = { kind: 'interrupted' };
const ENV = { CODEX_API_KEY: 'key', HOME: '/nowhere', PATH: process.env.PATH };
/** 10 and 5 tokens cost $0.50. */
const PRICES = { 'test-model': { input: 20_000, cached: 2_000, output: 60_000 } };
const THREAD = '01a1e10a-ffe3-7740-ae86-76bb2c4416ef';
const NOW = new Date(2026, 10, 15, 21, 0).getTime();

const started = { type: 'turn.started' };
const thread = { type: 'thread.started', thread_id: THREAD };
const says = (text: string) => ({ type: 'item.completed', item: { id: 'item_9', type: 'agent_message', text } });
const completed = { type: 'turn.completed', usage: { input_tokens: 10, output_tokens: 5 } };
const turn = { type: 'turn_context', payload: { model: 'test-model' } };
const call = (usage: object) => ({ type: 'token_usage_record', payload: { usage } });
const broken = (info: unknown) => ({
  type: 'event_msg',
  timestamp: new Date(NOW).toISOString(),
  payload: { type: 'task_complete', error: { message: 'x', codex_error_info: info } },
});

type More = { config?: object; env?: NodeJS.ProcessEnv; path?: string };

function make({ config, env = ENV, path = process.env.PATH ?? '' }: More = {}) {
  const parsed = AgentConfig.parse({ kind: 'codex', command: './codex.mjs', ...config });
  return codexAgent({ name: 'codex', config: parsed, search: { dir: DIR, path }, env, prices: PRICES });
}

function settings(more: Partial<AssignmentSettings>): { settings: AssignmentSettings } {
  return { settings: { ...PLAIN_SETTINGS, ...more } };
}

/** An assignment with a home, and a record of the thread in it. */
async function withRecord(lines: readonly object[], more: Partial<Assignment> = {}) {
  const made = await makeAssignment(more);
  const home = join(made.root, '.codex');
  const file = join(home, 'sessions/2026/11/15', `rollout-2026-11-15T21-09-16-${THREAD}.jsonl`);
  await mkdir(dirname(file), { recursive: true });
  const add = (added: readonly object[]) => appendFile(file, added.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await add(lines);
  const reader = (workspace = made.assignment.workspace) => {
    const assignment = { ...made.assignment, workspace };
    return codexReader({ assignment, home, prices: PRICES, world: { ...realWorld, now: () => NOW } });
  };
  return { ...made, home, file, add, reader };
}

function feed(reader: ReturnType<typeof codexReader>, lines: readonly (string | object)[]): AgentEvent[] {
  return lines.flatMap((line) => reader.line('stdout', typeof line === 'string' ? line : JSON.stringify(line)));
}

agentContract('codex', async (behaviour) => make({ config: { args: ['-c', `behaviour=${behaviour}`] } }));

describe('the transcript of a Codex attempt', () => {
  const bytes = readFileSync(TRANSCRIPT);
  const lines = bytes.toString('utf8').trimEnd().split('\n');

  it('reports the model of an answer that was not the requested one', async () => {
    await using made = await withRecord([]);
    const reader = made.reader();
    const message = 'model rerouted: gpt-5.5 -> gpt-5.4-mini (HighRiskCyberActivity)';
    feed(reader, [started, { type: 'item.completed', item: { id: 'item_1', type: 'error', message } }, completed]);
    expect(reader.end(EXITED).answeredBy).toEqual(['gpt-5.4-mini']);
  });

  it('is translated into common events', async () => {
    await using made = await withRecord([]);
    expect(feed(made.reader('/sample'), lines)).toMatchObject([
      { type: 'session' },
      { type: 'reasoning', text: 'Plan it.' },
      { type: 'text', text: 'I will write the file.' },
      { type: 'tool-call', id: 'item_2', name: 'apply_patch' },
      { type: 'tool-result', id: 'item_2', isError: false },
      { type: 'file-change', path: 'hello.txt', change: 'added' },
      { type: 'tool-call', id: 'item_3', name: 'exec_command' },
      { type: 'tool-result', id: 'item_3', output: expect.stringContaining('scripted'), isError: false },
      { type: 'tool-call', id: 'item_4', name: 'mcp__orch__report_status', input: { status: 'committed' } },
      { type: 'tool-result', id: 'item_4', output: 'ack:{"status":"committed"}', isError: false },
      { type: 'text', text: 'Done: hello.txt is committed.' },
      { type: 'usage' },
      { type: 'result', isError: false, text: 'Done: hello.txt is committed.' },
    ]);
  });

  it('gives the same events however its bytes are split', async () => {
    await using made = await withRecord([]);
    const whole = feed(made.reader('/sample'), lines);
    for (const size of [1, 7, 64, 1000]) {
      const cut = lineReader({ maxLineBytes: 1_000_000 });
      const reader = made.reader('/sample');
      const events: AgentEvent[] = [];
      for (let at = 0; at < bytes.length; at += size) {
        for (const { text } of cut.push(bytes.subarray(at, at + size))) events.push(...reader.line('stdout', text));
      }
      expect(events).toEqual(whole);
    }
  });

  it('keeps a warning as unknown, reports a reconnection as a retry, and succeeds', async () => {
    await using made = await withRecord([]);
    const reader = made.reader();
    const warning = { type: 'item.completed', item: { id: 'item_0', type: 'error', message: 'Model metadata' } };
    const events = feed(reader, [started, warning, { type: 'error', message: 'Reconnecting... 1/5 (x)' }, completed]);
    expect(events).toMatchObject([{ type: 'unknown' }, { type: 'retry' }, { type: 'usage' }, { type: 'result' }]);
    expect(reader.end(EXITED)).not.toHaveProperty('failure');
  });

  it('reports a rejected patch on stderr as a denied permission', async () => {
    await using made = await withRecord([]);
    const line = 'ERROR codex_core::tools::router: error=patch rejected: writing outside of the project';
    expect(made.reader().line('stderr', line)).toEqual([
      { type: 'permission-denied', tool: 'apply_patch', message: 'patch rejected: writing outside of the project' },
    ]);
  });

  it('returns the last message as output only if it is an object', async () => {
    await using made = await withRecord([]);
    const ending = (text: string) => {
      const reader = made.reader();
      feed(reader, [started, says('{"early":1}'), says(text), completed]);
      return reader.end(EXITED);
    };
    expect(ending('{"answer":42}')).toMatchObject({ output: { answer: 42 } });
    expect(ending('Here it is: {"answer":42}')).not.toHaveProperty('output');
  });
});

describe('the usage of a Codex attempt', () => {
  it('is known while it works, call by call, with cached tokens separate', async () => {
    await using made = await withRecord([turn]);
    const reader = made.reader();
    feed(reader, [thread, started]);
    expect(reader.usage()).toEqual({ kind: 'none' });
    await made.add([call({ input_tokens: 10, output_tokens: 5 })]);
    feed(reader, [says('one')]);
    expect(reader.usage()).toMatchObject({ kind: 'known', costUsd: 0.5, turns: 1, model: 'test-model' });
    await made.add([call({ input_tokens: 110, cached_input_tokens: 100, output_tokens: 5 })]);
    feed(reader, [says('two')]);
    expect(reader.usage()).toMatchObject({ inputTokens: 20, cachedTokens: 100, outputTokens: 10, turns: 2 });
  });

  it('is known after a kill', async () => {
    await using made = await withRecord([turn, call({ input_tokens: 10, output_tokens: 5 })]);
    const reader = made.reader();
    feed(reader, [thread, started]);
    expect(reader.end(INTERRUPTED)).toMatchObject({
      usage: { kind: 'known', costUsd: 0.5 },
      session: THREAD,
      failure: { kind: 'interrupted' },
    });
  });

  it('in a resumed session is only the new usage, also when the total that Codex reports differs', async () => {
    await using made = await withRecord([turn, call({ input_tokens: 1000, output_tokens: 500 })], { session: THREAD });
    const agent = make({ config: { env: { CODEX_HOME: made.home } } });
    await agent.command(made.assignment);
    await made.add([turn, call({ input_tokens: 10, output_tokens: 5 })]);
    await agent.command(made.assignment);
    const reader = agent.reader(made.assignment);
    feed(reader, [thread, started, { type: 'turn.completed', usage: { input_tokens: 1010, output_tokens: 505 } }]);
    expect(reader.end(EXITED).usage).toMatchObject({ kind: 'known', costUsd: 0.5, inputTokens: 10, turns: 1 });
  });

  it('in a resumed session without a rollout is unknown', async () => {
    await using made = await makeAssignment({ session: THREAD });
    const reader = make().reader(made.assignment);
    feed(reader, [thread, started, completed]);
    expect(reader.end(EXITED).usage).toEqual({ kind: 'unknown' });
  });

  it('is counted once when an older version reports only running totals', async () => {
    const count = (total: number) => ({
      type: 'event_msg',
      payload: {
        type: 'token_count',
        info: { total_token_usage: { input_tokens: total }, last_token_usage: { input_tokens: 10, output_tokens: 5 } },
      },
    });
    const none = { type: 'event_msg', payload: { type: 'token_count', info: null } };
    await using made = await withRecord([turn, none, count(10), count(10), count(20)]);
    const reader = made.reader();
    feed(reader, [thread, started, completed]);
    expect(reader.end(EXITED).usage).toMatchObject({ costUsd: 1, turns: 2 });
  });

  it('comes from the final event without a rollout, and is unknown without a price', async () => {
    await using priced = await makeAssignment(settings({ model: 'test-model' }));
    await using other = await makeAssignment(settings({ model: 'other-model' }));
    for (const [made, usage] of [
      [priced, { kind: 'known', costUsd: 0.5 }],
      [other, { kind: 'unknown' }],
    ] as const) {
      const reader = make().reader(made.assignment);
      feed(reader, [thread, started, completed]);
      expect(reader.end(EXITED).usage).toMatchObject(usage);
    }
  });

  it('is not affected by half a line, an unknown line, or a conversation about tokens', async () => {
    const conversation = { type: 'response_item', payload: { type: 'message', text: '"token_usage_record"' } };
    await using made = await withRecord([turn, conversation, call({ input_tokens: -1, output_tokens: 5 })]);
    await appendFile(made.file, '{"type":"token_usage_record","payl');
    const reader = made.reader();
    feed(reader, [thread, started]);
    await appendFile(made.file, '\n');
    await made.add([call({ input_tokens: 10, output_tokens: 5 })]);
    expect(reader.end(INTERRUPTED).usage).toMatchObject({ costUsd: 0.5, turns: 1 });
  });

  it('is followed by a failure that names why its own sandbox could not start, unless it changed a file', async () => {
    const problem = 'bwrap: setting up uid map: Operation not permitted';
    const refused = {
      type: 'response_item',
      payload: { type: 'function_call_output', output: `Process exited with code 1\nOutput:\n${problem}\n` },
    };
    const ran = { type: 'response_item', payload: { type: 'function_call_output', output: 'Output:\nfine\n' } };
    await using made = await withRecord([turn, refused, refused]);
    const reader = made.reader();
    feed(reader, [thread, started, says('I could not'), completed]);
    expect(reader.end(EXITED).failure).toEqual({ kind: 'environment', message: expect.stringContaining(problem) });
    const changing = made.reader();
    const change = { id: 'a', type: 'file_change', status: 'completed', changes: [{ path: 'x', kind: 'add' }] };
    feed(changing, [thread, started, { type: 'item.completed', item: change }, completed]);
    expect(changing.end(EXITED).failure).toBeUndefined();
    await made.add([ran]);
    const another = made.reader();
    feed(another, [thread, started, says('done'), completed]);
    expect(another.end(EXITED).failure).toBeUndefined();
  });

  it('is what was read so far when its rollout disappears', async () => {
    await using made = await withRecord([turn, call({ input_tokens: 10, output_tokens: 5 })]);
    const reader = made.reader();
    feed(reader, [thread, started]);
    await rm(made.file);
    feed(reader, [says('still here'), completed]);
    expect(reader.end(EXITED)).toMatchObject({ text: 'still here', usage: { costUsd: 0.5, turns: 1 } });
  });

  it.each([
    ['none when the provider refused the only call', 'unexpected status 401 Unauthorized', 'none'],
    ['unknown when the answer broke off', 'stream disconnected before completion: x', 'unknown'],
  ])('is %s', async (_, message, kind) => {
    await using made = await withRecord([turn]);
    const reader = made.reader();
    feed(reader, [thread, started, { type: 'turn.failed', error: { message } }]);
    expect(reader.end(FAILED).usage).toEqual({ kind });
  });

  it('is unknown when it was killed in its first call, and none when it never began a turn', async () => {
    await using made = await withRecord([turn]);
    const reader = made.reader();
    feed(reader, [thread]);
    expect(reader.end(FAILED).usage).toEqual({ kind: 'none' });
    feed(reader, [started]);
    expect(reader.end(INTERRUPTED).usage).toEqual({ kind: 'unknown' });
  });
});

describe('a failed Codex attempt', () => {
  const status = (code: number | null) => ({ http_connection_failed: { http_status_code: code } });
  const failed = (message: string) => ({ type: 'turn.failed', error: { message } });

  it.each([
    ['usage_limit_exceeded', "You've hit your usage limit. Try again later.", 'usage-limit'],
    ['usage_limit_exceeded', 'Quota exceeded. Check your plan and billing details.', 'billing'],
    ['context_window_exceeded', "Codex ran out of room in the model's context window.", 'context-full'],
    ['server_overloaded', 'Selected model is at capacity.', 'overloaded'],
    ['internal_server_error', 'We’re currently experiencing high demand', 'overloaded'],
    ['model_not_found', 'The model does not exist.', 'model-not-found'],
    ['cyber_policy', 'Declined.', 'refused'],
    [status(401), 'unexpected status 401 Unauthorized', 'auth'],
    [status(529), 'unexpected status 529', 'overloaded'],
    [{ response_too_many_failed_attempts: { http_status_code: 429 } }, 'exceeded retry limit', 'rate-limit'],
    ['other', '{"error":{"message":"long","code":"context_length_exceeded"}}', 'context-full'],
    ['other', 'stream disconnected before completion: idle timeout waiting for SSE', 'network'],
    ['other', 'Incomplete response returned, reason: max_output_tokens', 'implementation'],
    ['other', 'something new', 'unknown'],
  ])('is derived from the reason %j with "%s": %s', async (info, message, kind) => {
    await using made = await withRecord([turn, broken(info)]);
    const reader = made.reader();
    const events = feed(reader, [thread, started, failed(message)]);
    expect(events.at(-1)).toEqual({ type: 'result', isError: true, text: message });
    expect(reader.end(FAILED).failure).toMatchObject({ kind, message });
  });

  it.each([
    ['exceeded retry limit, last status: 429 Too Many Requests', 'rate-limit'],
    ['unexpected status 503 Service Unavailable: x', 'overloaded'],
    ['Missing environment variable: `KEY`.', 'auth'],
    ["You've hit your usage limit.", 'usage-limit'],
  ])('without a record is derived from its own message: %s', async (message, kind) => {
    await using made = await makeAssignment();
    const reader = make().reader(made.assignment);
    feed(reader, [started, failed(message)]);
    expect(reader.end(FAILED).failure?.kind).toBe(kind);
  });

  it('names the end of a usage limit by the time of the failure', async () => {
    await using made = await withRecord([turn, broken('usage_limit_exceeded')]);
    const reader = made.reader();
    feed(reader, [thread, started, failed("You've hit your usage limit. Visit x or try again at 11:13 PM.")]);
    expect(reader.end(FAILED).failure?.resetAt).toBe(new Date(2026, 10, 15, 23, 14).getTime());
  });

  it('is never determined by what the agent writes or prints', async () => {
    await using made = await withRecord([]);
    const reader = made.reader();
    const text = "unexpected status 429: You've hit your usage limit. Quota exceeded";
    const printed = {
      id: 'item_1',
      type: 'command_execution',
      command: 'x',
      aggregated_output: text,
      status: 'failed',
    };
    feed(reader, [started, says(text), { type: 'item.completed', item: printed }, completed]);
    expect(reader.end(EXITED)).not.toHaveProperty('failure');
    expect(reader.end(FAILED).failure?.kind).toBe('implementation');
  });

  it.each([
    [EXITED, 'crashed'],
    [FAILED, 'implementation'],
    [INTERRUPTED, 'interrupted'],
    [{ kind: 'exited', code: 143 } as const, 'interrupted'],
    [{ kind: 'exited', code: 137 } as const, 'killed'],
    [{ kind: 'exited', code: 139 } as const, 'crashed'],
  ])('that ended without a result, %j, is %s', async (exit, kind) => {
    await using made = await withRecord([]);
    const reader = made.reader();
    feed(reader, [thread, started, says('All done, everything passes.')]);
    expect(reader.end(exit).failure?.kind).toBe(kind);
  });

  it('is not caused by a signal after the result', async () => {
    await using made = await withRecord([]);
    const reader = made.reader();
    feed(reader, [started, completed]);
    expect(reader.end(INTERRUPTED)).not.toHaveProperty('failure');
  });

  it.each([
    ['Error: thread/resume failed: no rollout found for thread id x', 'session-lost'],
    ['Error loading config.toml: model_providers contains reserved IDs', 'environment'],
    ["error: unexpected argument '--mine' found", 'environment'],
    ['Error: No space left on device (os error 28)', 'disk-full'],
  ])('that never began shows what the program wrote: %s', async (line, kind) => {
    await using made = await withRecord([]);
    const reader = made.reader();
    for (const text of ['WARNING: something harmless', line, 'For more information, try --help.']) {
      reader.line('stderr', text);
    }
    expect(reader.end(FAILED)).toMatchObject({ usage: { kind: 'none' }, failure: { kind, message: line } });
  });
});

describe('the arguments of Codex', () => {
  const facts: CodexFacts = { roots: ['/w'], isTrusted: false, mcp: {} };
  const base = { ...sampleAssignment(), workspace: '/w', folder: '/a', promptFile: '/a/prompt.md' };
  const all = (more: Partial<Assignment> = {}, known: Partial<CodexFacts> = {}, added: string[] = []) =>
    codexArguments({ ...base, ...more }, { ...facts, ...known }, added);
  const text = (...given: Parameters<typeof all>) => all(...given).join(' ');

  it('let it write in its workspace, its .git and the folders of the settings', () => {
    expect(text(settings({ addDirs: ['/more'] }))).toContain(
      '--sandbox workspace-write --add-dir /w/.git --add-dir /more',
    );
  });

  it.each(['acceptEdits', 'bypass', 'dontAsk', 'default', 'plan'] as const)(
    'never let a reading task write, whatever is permitted: %s',
    (permission) => {
      const given = text({ access: 'read', ...settings({ permission, addDirs: ['/more'] }) });
      expect(given).toContain('--sandbox read-only');
      expect(given).not.toMatch(/add-dir|dangerously/);
    },
  );

  it('let a verifier write in its workspace, which is discarded, and not to .git', () => {
    const given = text({ access: 'read', ...settings({ permission: 'plan', scratchTools: ['Bash', 'Write'] }) });
    expect(given).toContain('--sandbox workspace-write');
    expect(given).not.toMatch(/add-dir|dangerously/);
  });

  it('disable the sandbox only if everything is permitted', () => {
    expect(text(settings({ permission: 'bypass' }))).toContain('--dangerously-bypass-approvals-and-sandbox');
    expect(text(settings({ permission: 'plan' }))).toContain('--sandbox read-only');
    expect(text()).not.toContain('dangerously');
  });

  it('disable its sandbox where that of Manyhands replaces it, which then shows a reading task its workspace read-only', async () => {
    const replaced = { isSandboxReplaced: true };
    expect(text({ ...replaced, access: 'read' })).toContain('--dangerously-bypass-approvals-and-sandbox');
    const cases = [
      [{ access: 'read' }, true],
      [settings({ permission: 'plan' }), true],
      [{ access: 'write' }, undefined],
      [{ access: 'read', ...settings({ scratchTools: ['Write'] }) }, undefined],
    ] as const;
    for (const [more, isReadOnly] of cases) {
      await using made = await makeAssignment({ ...more, ...replaced });
      expect((await make().command(made.assignment)).isWorkspaceReadOnly).toBe(isReadOnly);
      await using other = await makeAssignment(more);
      expect((await make().command(other.assignment)).isWorkspaceReadOnly).toBeUndefined();
    }
  });

  it.each([
    ['bwrap: setting up uid map: Operation not permitted\n', 'Allow user namespaces'],
    ['WARNING: x\nbwrap: execvp codex-linux-sandbox: No such file or directory\n', 'CODEX_HOME'],
    ['sandbox-exec: sandbox_apply: Operation not permitted\n', 'Allow'],
    ['Error loading config.toml: invalid\n', undefined],
    ['error: unexpected argument\n', undefined],
  ])('say why its sandbox cannot start, and what to do: %j', (output, fix) => {
    const problem = make().ownSandbox?.problem(output);
    expect(problem?.fix).toEqual(fix === undefined ? undefined : expect.stringContaining(fix));
  });

  it('come before the resumed session, and the prompt is read from stdin', () => {
    expect(all({ session: THREAD }, {}, ['--mine']).slice(-4)).toEqual(['--mine', 'resume', THREAD, '-']);
    expect(all().at(-1)).toBe('-');
  });

  it('name model and effort', () => {
    const given = text(settings({ model: 'gpt-5.5', effort: 'max' }));
    expect(given).toContain('--model gpt-5.5');
    expect(given).toContain('model_reasoning_effort="xhigh"');
  });

  it("pass the base's AGENTS.md and the instructions as quoted text", () => {
    const given = all(settings({ native: { 'AGENTS.md': 'Be "kind".\n' }, instructions: "It's $HOME \\ ünï" }));
    expect(given).toContain('developer_instructions="Be \\"kind\\".\\n\\n\\nIt\'s $HOME \\\\ ünï"');
  });

  it('leave AGENTS.md to Codex where it trusts the repository', () => {
    const given = text(settings({ native: { 'AGENTS.md': 'Be kind.' } }), { isTrusted: true });
    expect(given).toContain('projects={"/w"={"trust_level"="trusted"}}');
    expect(given).not.toContain('Be kind.');
  });

  it('shorten instructions that are too long for an argument, with a note', () => {
    const given = all(settings({ instructions: 'x'.repeat(300_000) })).find((argument) => argument.includes('xxx'));
    expect(given?.length).toBeLessThan(128 * 1024);
    expect(given).toContain('omitted');
  });

  it('disable web search if it is disallowed', () => {
    expect(text(settings({ disallowedTools: ['web_search'] }))).toContain('web_search="disabled"');
    expect(text()).not.toContain('web_search');
  });
});

describe('the command of Codex', () => {
  it('has no secret of an MCP server among its arguments', async () => {
    await using made = await makeAssignment(
      settings({
        mcp: {
          local: { command: 'serve', args: ['--x'], env: { TOKEN: 'secret-1' } },
          other: { command: 'serve', args: [], env: { TOKEN: 'secret-2' } },
          remote: { url: 'https://example.org/mcp', headers: { Authorization: 'secret-3' } },
          refused: { command: 'serve', args: [], env: {} },
        },
        disallowedTools: ['mcp__refused', 'mcp__local__drop'],
      }),
    );
    const { command, env } = await make().command(made.assignment);
    expect(command.join(' ')).not.toContain('secret');
    expect(command.join(' ')).not.toContain('mcp_servers.refused');
    expect(command.join(' ')).toContain('"disabled_tools"=["drop"]');
    expect(Object.values(env)).toEqual(expect.arrayContaining(['secret-1', 'secret-2', 'secret-3']));
  });

  it("starts without the user's MCP servers, and gives ours another name where the user has one of that name", async () => {
    const server = { command: 'serve', args: [], env: {} };
    await using made = await makeAssignment(settings({ mcp: { manyhands: server, mine: server } }));
    const home = join(made.assignment.folder, 'codex-home');
    await mkdir(home);
    await writeFile(
      join(home, 'config.toml'),
      '[mcp_servers.manyhands]\nurl = "http://x/"\n[mcp_servers.mail]\ncommand = "m"\n',
    );
    const { command } = await make({ config: { env: { CODEX_HOME: home } } }).command(made.assignment);
    const overrides = command.filter((word) => word.startsWith('mcp_servers.'));
    expect(overrides.map((word) => word.replace(/(command|default).*/, ''))).toEqual([
      'mcp_servers.manyhands={"enabled"=false}',
      'mcp_servers.mail={"enabled"=false}',
      'mcp_servers.manyhands_attempt={"',
      'mcp_servers.mine={"',
    ]);
  });

  it('has a schema that OpenAI accepts, in a private file', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } }, required: ['a'] };
    await using made = await makeAssignment({ outputSchema: schema });
    const { command } = await make().command(made.assignment);
    const file = command[command.indexOf('--output-schema') + 1] ?? '';
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { anyOf: [{ type: 'number' }, { type: 'null' }] } },
      required: ['a', 'b'],
      additionalProperties: false,
    });
  });

  it('marks the workspace as untrusted under every path it has', async () => {
    await using made = await makeAssignment();
    const link = join(made.root, 'link');
    await symlink(made.assignment.workspace, link);
    const { command } = await make().command({ ...made.assignment, workspace: link });
    const untrusted = (path: string) => `"${path}"={"trust_level"="untrusted"}`;
    expect(command).toContain(`projects={${untrusted(link)},${untrusted(made.assignment.workspace)}}`);
  });

  it('trusts .codex only if every file in it may be obeyed', async () => {
    const trusted = [{ path: '.codex/config.toml', text: 'x = 1\n' }];
    await using made = await makeAssignment(settings({ trusted }));
    const folder = join(made.assignment.workspace, '.codex');
    const level = async (more: Partial<Assignment> = {}) =>
      /"trust_level"="(\w+)"/.exec((await make().command({ ...made.assignment, ...more })).command.join(' '))?.[1];
    expect(await level()).toBe('untrusted');
    await mkdir(folder);
    await writeFile(join(folder, 'config.toml'), 'x = 1\n');
    expect(await level()).toBe('trusted');
    expect(await level(settings({ trusted: [] }))).toBe('untrusted');
    await writeFile(join(folder, 'hooks.json'), '{}');
    expect(await level()).toBe('untrusted');
  });

  it("uses only the account's login, and nothing of the session that started us", async () => {
    await using made = await makeAssignment({
      env: { PATH: '/bin', CODEX_API_KEY: 'ours', CODEX_HOME: '/ours', CODEX_SANDBOX: 'seatbelt' },
      ...settings({ account: { name: 'second', env: { OTHER: 'x' }, configDir: '/second' } }),
    });
    const { env } = await make().command(made.assignment);
    expect(env).toMatchObject({ CODEX_HOME: '/second', OTHER: 'x' });
    expect(env).not.toHaveProperty('CODEX_API_KEY');
    expect(env).not.toHaveProperty('CODEX_SANDBOX');
  });
});

describe('a strict schema', () => {
  const schema = {
    type: 'object',
    properties: {
      tasks: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: { id: { type: 'string', minLength: 1 }, note: { type: 'string' } },
          required: ['id'],
        },
      },
      mood: { default: 'good', anyOf: [{ type: 'string' }, { type: 'null' }] },
    },
    required: ['tasks', 'mood'],
  };

  it('requires every property at every depth', () => {
    expect(strictSchema(schema)).toMatchObject({
      additionalProperties: false,
      properties: { tasks: { minItems: 1, items: { required: ['id', 'note'], additionalProperties: false } } },
    });
    expect([schema, { type: 'object' }, { type: 'array', items: { type: 'object' } }].map(hasStrictForm)).toEqual([
      true,
      false,
      false,
    ]);
    expect(JSON.stringify(strictSchema(schema))).not.toMatch(/minLength|default/);
  });

  it('is reversed in the output: a null for an optional property is omitted, any other is kept', () => {
    const output = { tasks: [{ id: 'a', note: null }], mood: null };
    expect(withoutNulls(output, schema)).toEqual({ tasks: [{ id: 'a' }], mood: null });
  });
});

describe('the availability of Codex', () => {
  it('depends on the program', async () => {
    expect(await make({ config: { command: 'no-such-codex' } }).available()).toMatchObject({
      ok: false,
      detail: 'no-such-codex is not on PATH',
      nextStep: expect.stringContaining('npm install -g @openai/codex'),
    });
  });

  it('depends on a login, which may be a key, a provider of the user, or an account', async () => {
    const env = { HOME: '/nowhere', PATH: process.env.PATH };
    expect(await make({ env }).available()).toMatchObject({
      ok: false,
      detail: expect.stringContaining('0.166.0, not logged in'),
      nextStep: expect.stringContaining('codex login'),
    });
    const accounts = { second: { env: { CODEX_API_KEY: 'key' } } };
    for (const config of [{ accounts }, { args: ['-c', 'model_provider=mine'] }, { env: { CODEX_API_KEY: 'key' } }]) {
      expect(await make({ env, config }).available()).toMatchObject({ ok: true });
    }
  });

  it('is checked for an agent of kind codex in the settings', () => {
    const config = Config.parse({ agents: { codex: { kind: 'codex' } } });
    const agents = createAgents({ config, dir: '/', rehearsal: { program: [] }, adHoc: [] });
    expect(agents.get('codex')).toMatchObject({ kind: 'codex', vendor: /^(OPENAI|CODEX)_/ });
  });
});
