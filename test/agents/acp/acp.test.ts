import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { build } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { acpAgent } from '../../../src/agents/acp/acp.ts';
import { chooseMode, chooseModel } from '../../../src/agents/acp/acp-capabilities.ts';
import { errorFailure, stopFailure } from '../../../src/agents/acp/acp-failure.ts';
import { chooseOption, type Rights, refusalOf } from '../../../src/agents/acp/acp-permission.ts';
import { promptUsage } from '../../../src/agents/acp/acp-usage.ts';
import type { AgentEvent, Assignment, AssignmentSettings } from '../../../src/agents/agent.ts';
import { AgentConfig } from '../../../src/schema/config/agent.ts';
import { agentContract } from '../../contracts/agent.ts';
import { makeAssignment, PLAIN_SETTINGS, performAttempt } from '../../contracts/attempt.ts';
import { runUntilStopped } from '../stop-request.ts';

const DIR = fileURLToPath(new URL('../../fixtures/agents', import.meta.url));
const ENTRY = fileURLToPath(new URL('../../../src/agents/acp/acp-program.ts', import.meta.url));

/** The program as one file, as users have it: it starts faster than its source. */
const folder = mkdtempSync(join(tmpdir(), 'mh-acp-'));
const program = [process.execPath, join(folder, 'acp.mjs')];
await build({ entryPoints: [ENTRY], outfile: program[1] ?? '', bundle: true, platform: 'node', format: 'esm' });
afterAll(() => rmSync(folder, { recursive: true }));

function make(...args: string[]) {
  const config = AgentConfig.parse({ kind: 'acp', command: './acp.mjs', args });
  return acpAgent({ name: 'acp', config, search: { dir: DIR, path: process.env.PATH ?? '' }, program });
}

agentContract('acp', async (behaviour) => make(behaviour));

describe('a session with an ACP agent', () => {
  it('reports tools that need permission, changed files and unknown updates', async () => {
    const { events, result } = await play('edits');
    const fromStderr = { type: 'text', text: 'mode default' } as const;
    expect(events).toContainEqual(fromStderr);
    // What it writes to stderr has no order relative to its updates.
    expect(events.filter((event) => !isDeepStrictEqual(event, fromStderr))).toEqual([
      { type: 'session', id: 'session-1' },
      { type: 'text', text: 'I edit.' },
      { type: 'tool-call', id: 'tool-0', name: 'Write a.txt', input: { path: 'a.txt' } },
      { type: 'tool-result', id: 'tool-0', output: '', isError: false },
      { type: 'file-change', path: 'a.txt', change: 'added' },
      { type: 'text', text: 'selected yes' },
      { type: 'unknown', raw: '{"sessionUpdate":"from_the_future","x":1}' },
      { type: 'usage', usage: { kind: 'none' } },
      { type: 'result', isError: false, text: 'selected yes' },
    ]);
    expect(result).toEqual({ text: 'selected yes', session: 'session-1', usage: { kind: 'none' } });
  });

  it('denies writing in a read-only task, and reports it', async () => {
    const { events, result } = await play('edits', { access: 'read' });
    expect(events).toContainEqual({
      type: 'permission-denied',
      tool: 'Write a.txt',
      message: 'Write a.txt was not allowed: the role is read-only',
    });
    expect(result.text).toBe('selected no');
  });

  it('sends instructions of lower priority as separate blocks', async () => {
    const { result } = await play('blocks', {
      outputSchema: { type: 'object' },
      settings: { ...PLAIN_SETTINGS, instructions: 'Use tabs.', native: { 'CLAUDE.md': 'For Claude.' } },
    });
    expect(result.text).toMatch(/^Do it\.\n\|Use tabs\.\|End with .* JSON Schema:\n\n\{"type":"object"\}$/s);
  });

  it('resumes a session without repeating its history, and counts only new usage', async () => {
    const { events, result } = await play('resumed', { session: 'old' });
    expect(result).toMatchObject({ text: 'in old', session: 'old', usage: { kind: 'none' } });
    expect(events).not.toContainEqual(expect.objectContaining({ text: 'an old story' }));
  });

  it('starts a new session if the agent has lost the old one', async () => {
    const { events, result } = await play('resumed', { session: 'lost' });
    expect(events).toContainEqual(expect.objectContaining({ type: 'retry' }));
    expect(result).toMatchObject({ text: 'in session-1', session: 'session-1' });
  });

  it('fails before the prompt when the agent does not offer the requested model', async () => {
    const { result } = await play('says', { settings: { ...PLAIN_SETTINGS, model: 'other' } });
    expect(result).toMatchObject({ failure: { kind: 'model-not-found' }, usage: { kind: 'none' } });
  });

  it.each([
    ['refused', 'auth'],
    ['limited', 'rate-limit'],
  ])('that is %s fails as %s and costs nothing', async (behaviour, kind) => {
    expect((await play(behaviour)).result).toMatchObject({ failure: { kind }, usage: { kind: 'none' } });
  });

  it('that the agent cancels itself is a refusal', async () => {
    expect((await play('stops')).result.failure?.kind).toBe('refused');
  });

  it('that is stopped cancels the agent first, and knows its usage', async () => {
    await using made = await makeAssignment();
    const isWaiting = (event: AgentEvent) => event.type === 'text' && event.text === 'waiting';
    const { result, code } = await runUntilStopped(make('cancels'), made.assignment, isWaiting);
    expect(code).toBe(143);
    expect(result.failure?.kind).toBe('interrupted');
    expect(result.usage).toMatchObject({ kind: 'known', costUsd: 0.1 });
  });

  it('that is stopped before the first answer ends at once', async () => {
    await using made = await makeAssignment();
    const isMute = (event: AgentEvent) => event.type === 'text' && event.text === 'mute';
    const { result, code } = await runUntilStopped(make('mute'), made.assignment, isMute);
    expect(code).toBe(143);
    expect(result).toMatchObject({ failure: { kind: 'interrupted' }, usage: { kind: 'none' } });
  });

  it('writes files for the agent only in the workspace, and not in read-only tasks', async () => {
    await using made = await makeAssignment();
    const { workspace } = made.assignment;
    const write = async (path: string, more: Partial<Assignment> = {}) =>
      (await performAttempt(make(path, 'writes'), { ...made.assignment, ...more })).result.output;
    expect(await write(join(workspace, 'a.txt'))).toEqual({});
    expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toBe('x');
    expect(await write(join(made.root, 'b.txt'))).toMatchObject({
      error: { message: expect.stringContaining('not in') },
    });
    expect(await write(join(workspace, 'c.txt'), { access: 'read' })).toMatchObject({ error: {} });
    const scopes = [{ allow: ['src'], deny: [], also: [] }];
    expect(await write(join(workspace, 'c.txt'), { scopes })).toMatchObject({ error: {} });
    expect(existsSync(join(made.root, 'b.txt')) || existsSync(join(workspace, 'c.txt'))).toBe(false);
  });

  it('keeps the input out of arguments and environment, which other users could read', async () => {
    await using made = await makeAssignment();
    const mcp = { far: { url: 'http://h', headers: { Authorization: 'secret' } } };
    const { command, env } = await make('says').command({
      ...made.assignment,
      settings: { ...PLAIN_SETTINGS, mcp },
    });
    expect(JSON.stringify([command, env])).not.toContain('secret');
  });
});

describe('a permission', () => {
  const usesPermission = (toolCall: object) => ({
    toolCall: { toolCallId: 'x', rawInput: undefined, ...toolCall },
    options: [],
  });
  const at = (path: string) => ({ locations: [{ path }] });
  const SCOPE = { allow: ['src'], deny: ['src/key'], also: [] };
  const runs = (command: string) => usesPermission({ kind: 'execute', rawInput: { command } });

  it.each<[string, object, Partial<Rights>, boolean]>([
    ['to read in a reading task', { kind: 'read' }, { access: 'read' }, true],
    ['to edit in a reading task', { kind: 'edit' }, { access: 'read', permission: 'bypass' }, false],
    ['of an unknown kind in a read-only task', { kind: 'other' }, { access: 'read' }, false],
    ['without a kind', {}, {}, false],
    ['to edit', { kind: 'edit', ...at('a.txt') }, {}, true],
    ['to delete', { kind: 'delete', ...at('a.txt') }, {}, true],
    ['to edit where edits are not accepted', { kind: 'edit', ...at('a.txt') }, { permission: 'default' }, false],
    ['to edit an unnamed file', { kind: 'edit' }, {}, false],
    ['to edit outside the workspace', { kind: 'edit', ...at('../a.txt') }, {}, false],
    ['to edit outside, named in the input', { kind: 'edit', rawInput: { file_path: '/etc/a' } }, {}, false],
    ['to edit outside, named in a diff', { kind: 'edit', content: [{ type: 'diff', path: '/etc/a' }] }, {}, false],
    ['to edit outside by an allowed tool', { name: 'W', ...at('/etc/a') }, { allowedTools: ['W'] }, false],
    ['to edit in an added folder', { kind: 'edit', ...at('/usr/a') }, { addDirs: ['/usr'] }, true],
    ['to edit outside where all is allowed', { kind: 'edit', ...at('/etc/a') }, { permission: 'bypass' }, true],
    ["to edit git's own files", { kind: 'edit', ...at('.git/hooks/post-commit') }, {}, false],
    ['to edit in the scope', { kind: 'edit', ...at('src/a') }, { scopes: [SCOPE] }, true],
    ['to edit outside the scope', { kind: 'edit', ...at('docs/a') }, { scopes: [SCOPE] }, false],
    ['to edit what is denied', { kind: 'edit', ...at('src/key') }, { scopes: [SCOPE], permission: 'bypass' }, false],
    ['to read outside the workspace', { kind: 'read', ...at('/etc/passwd') }, {}, false],
    [
      'to edit by a tool that is allowed',
      { kind: 'edit', name: 'Write' },
      { permission: 'dontAsk', allowedTools: ['Write'] },
      true,
    ],
    [
      'of a tool that is refused',
      { kind: 'edit', name: 'Write' },
      { permission: 'bypass', disallowedTools: ['Write'] },
      false,
    ],
    ['of anything where all is allowed', { kind: 'other' }, { permission: 'bypass' }, true],
    [
      'of a server of the user',
      { kind: 'other', name: 'mcp__notes__add' },
      { mcp: { notes: { url: 'http://h', headers: {} } } },
      true,
    ],
    ['of another server', { kind: 'other', name: 'mcp__else__add' }, {}, false],
  ])('%s is granted or not by its kind', (_, toolCall, more, granted) => {
    expect(refusalOf(usesPermission(toolCall), rights(more)) === undefined).toBe(granted);
  });

  it.each<[string, Partial<Rights>, boolean]>([
    ['git add -A && git commit -m "x; y"', {}, false],
    ['git add -A && git commit -m x', {}, true],
    ['npm test', {}, false],
    ['npm test', { allowedCli: ['npm'] }, true],
    ['npm test', { allowedTools: ['Bash(npm test *)'] }, true],
    ['npm install', { allowedTools: ['Bash(npm test *)'] }, false],
    ['npmx', { allowedCli: ['npm'] }, false],
    ['git status | sh', {}, false],
    ['git log $(rm -rf .)', {}, false],
    ['git log `id`', {}, false],
    ['git push away', { disallowedTools: ['Bash(git push *)'] }, false],
    ['cd x && git push away', { permission: 'bypass', disallowedTools: ['Bash(git push *)'] }, false],
    ["bash -lc 'git status'", {}, true],
    ["bash -lc 'rm x'", {}, false],
    ['git log -3', { access: 'read' }, true],
    ['git log > x', { access: 'read' }, false],
    ['git commit -m x', { access: 'read' }, false],
    ['git log > log.txt', {}, true],
    ['git log > ../log.txt', {}, false],
    ['git log 2> /dev/null', {}, true],
    ['git log > docs/log.txt', { scopes: [SCOPE] }, false],
  ])('to run %s with %o', (command, more, granted) => {
    expect(refusalOf(runs(command), rights(more)) === undefined).toBe(granted);
  });

  it('is answered by the kind of the option, preferring once over always', () => {
    const options = [
      { optionId: 'a', kind: 'allow_always' },
      { optionId: 'b', kind: 'allow_once' },
      { optionId: 'c', kind: 'reject_once' },
    ];
    expect(chooseOption({ ...usesPermission({}), options }, true)).toBe('b');
    expect(chooseOption({ ...usesPermission({}), options }, false)).toBe('c');
    expect(chooseOption({ ...usesPermission({}), options: options.slice(0, 1) }, true)).toBe('a');
    expect(chooseOption({ ...usesPermission({}), options: [] }, false)).toBeUndefined();
  });
});

describe('the options of a session', () => {
  const modes = (...ids: string[]) => ({
    modes: { currentModeId: ids[0] ?? '', availableModes: ids.map((id) => ({ id })) },
  });

  it('select a mode in which permissions are requested', () => {
    const read = rights({ access: 'read' });
    expect(chooseMode(modes('agent', 'workspace-write', 'read-only'), rights())).toBe('workspace-write');
    expect(chooseMode(modes('agent', 'workspace-write', 'read-only'), rights({ permission: 'dontAsk' }))).toBe(
      'read-only',
    );
    expect(chooseMode(modes('agent', 'workspace-write', 'read-only'), read)).toBe('read-only');
    expect(chooseMode(modes('yolo', 'default', 'plan'), read)).toBe('default');
    expect(chooseMode(modes('build', 'plan'), read)).toBe('plan');
    expect(chooseMode(modes('build', 'plan'), rights())).toBeUndefined();
    expect(chooseMode(modes('default'), rights())).toBeUndefined();
    expect(chooseMode({}, read)).toBeUndefined();
  });

  it('select the model in whichever form they offer it', () => {
    const models = {
      currentModelId: 'a',
      availableModels: [{ modelId: 'a' }, { modelId: 'b[low]' }, { modelId: 'b[high]' }],
    };
    expect(chooseModel({ models }, 'a')).toEqual({ kind: 'current' });
    expect(chooseModel({ models }, 'b')).toEqual({ kind: 'model', modelId: 'b[low]' });
    expect(chooseModel({ models }, 'c')).toEqual({ kind: 'missing' });
    const configOptions = [{ id: 'm', category: 'model', options: [{ value: 'c' }] }];
    expect(chooseModel({ models, configOptions }, 'c')).toEqual({ kind: 'option', configId: 'm', value: 'c' });
  });
});

describe('the usage of a prompt', () => {
  const prices = { m: { input: 1, cached: 0, output: 2 } };
  const quota = (model: string) => ({
    _meta: { quota: { model_usage: [{ model, token_count: { input_tokens: 1e6, output_tokens: 1e6 } }] } },
  });

  it('is the cost that the agent reports, or its tokens at list prices, or unknown', () => {
    const usage = { inputTokens: 10, outputTokens: 5, cachedReadTokens: 4, totalTokens: 19 };
    expect(promptUsage({ response: { usage }, costUsd: 0.5, turns: 1 })).toMatchObject({
      ...{ kind: 'known', costUsd: 0.5, inputTokens: 10, cachedTokens: 4, outputTokens: 5 },
    });
    expect(promptUsage({ response: quota('m'), costUsd: undefined, turns: 1, prices })).toMatchObject({
      ...{ kind: 'known', costUsd: 3, model: 'm' },
    });
    expect(promptUsage({ response: quota('n'), costUsd: undefined, turns: 1, prices })).toEqual({ kind: 'unknown' });
    expect(promptUsage({ response: { usage }, costUsd: undefined, turns: 1 })).toEqual({ kind: 'unknown' });
    expect(promptUsage({ response: {}, costUsd: undefined, turns: 1 })).toEqual({ kind: 'unknown' });
  });

  it('does not count cached tokens twice', () => {
    const usage = { inputTokens: 10, outputTokens: 5, cachedReadTokens: 4, totalTokens: 15 };
    expect(promptUsage({ response: { usage }, costUsd: 1, turns: 1 })).toMatchObject({
      inputTokens: 6,
      cachedTokens: 4,
    });
  });
});

describe('an error of an agent', () => {
  it.each([
    [{ code: -32000, message: 'Authentication required' }, 'auth'],
    [{ code: 401, message: 'no' }, 'auth'],
    [{ code: 429, message: 'no' }, 'rate-limit'],
    [{ code: 429, message: 'You have exhausted your daily quota on this model.' }, 'usage-limit'],
    [{ code: 503, message: 'no' }, 'overloaded'],
    [{ code: -32603, message: 'Internal error', data: { details: 'API Error: 529 overloaded' } }, 'overloaded'],
    [{ code: -32603, message: 'Internal error', data: 'Your credit balance is too low' }, 'billing'],
    [{ code: -32603, message: 'Internal error: fetch failed' }, 'network'],
    [{ code: -32603, message: 'Internal error' }, 'unknown'],
    [new TypeError('x is not a function'), 'crashed'],
  ])('%o is of the kind %s', (error, kind) => {
    expect(errorFailure(error, 0).kind).toBe(kind);
  });

  it('names when a limit ends, where its text does', () => {
    const failure = errorFailure({ code: 429, message: 'Rate limit', data: { 'retry-after': 60 } }, 1_000);
    expect(failure).toMatchObject({ kind: 'rate-limit', resetAt: 61_000 });
  });

  it.each([
    ['end_turn', undefined],
    ['refusal', 'refused'],
    ['max_turn_requests', 'budget'],
    ['max_tokens', 'implementation'],
    ['new_reason', 'unknown'],
  ])('stop reason %s is %s', (reason, kind) => {
    expect(stopFailure(reason, false)?.kind).toBe(kind);
  });
});

describe('an ACP agent in the settings', () => {
  it('needs a program, sees only the variables of its own vendor, and reports a missing program', async () => {
    const search = { dir: DIR, path: '' };
    const agent = (config: object) =>
      acpAgent({ name: 'x', config: AgentConfig.parse({ kind: 'acp', ...config }), search });
    expect(() => agent({})).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    expect(agent({ command: 'claude-agent-acp' }).vendor?.test('ANTHROPIC_API_KEY')).toBe(true);
    expect(agent({ command: '/usr/bin/gemini' }).vendor?.test('ANTHROPIC_API_KEY')).toBe(false);
    expect(agent({ command: 'mine' }).vendor).toBeUndefined();
    expect(agent({ command: 'npx', args: ['-y', 'opencode-ai@1.2.3', 'acp'] }).obeys).toContain('.opencode/plugin/');
    expect(agent({ command: 'mine' }).obeys).toContain('.codex/');
    expect(agent({ command: 'gemini' }).obeys).toEqual([]);
    expect(await agent({ command: 'acp.mjs' }).available()).toMatchObject({
      ok: false,
      detail: 'acp.mjs is not on PATH',
    });
  });
});

function rights(more: Partial<Rights> = {}): Rights {
  const none = { allowedTools: [], disallowedTools: [], allowedCli: [], mcp: {}, addDirs: [], scopes: [] };
  return { workspace: DIR, access: 'write', permission: 'acceptEdits', ...none, ...more };
}

async function play(behaviour: string, more: Partial<Assignment> & { settings?: AssignmentSettings } = {}) {
  await using made = await makeAssignment(more);
  return await performAttempt(make(behaviour), made.assignment);
}
