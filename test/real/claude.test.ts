import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { claudeAgent } from '../../src/agents/claude/claude.ts';
import { AgentConfig } from '../../src/schema/config/agent.ts';
import { bash, claudeFixture, MODEL, type More, write } from './claude-fixture.ts';
import type { Step } from './model-server/step.ts';
import { startModelServer } from './model-server.ts';
import { ofType } from './of-type.ts';
import { makeSandbox } from './sandbox.ts';
import { describeWith } from './with-programs.ts';

const SCHEMA = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

await describeWith(['claude'], 'the real Claude Code', (path) => {
  const { make, perform: play } = claudeFixture(server, path('claude'));

  it('is found, with its version and login', async () => {
    const agent = claudeAgent({
      name: 'claude',
      config: AgentConfig.parse({ kind: 'claude', command: path('claude'), env: { ANTHROPIC_API_KEY: 'x' } }),
      search: { dir: '/', path: process.env.PATH ?? '' },
    });
    expect(await agent.available()).toMatchObject({ ok: true, detail: expect.stringMatching(/ 2\.1\.325, logged in/) });
  });

  it('edits a file and commits it, and reports each step and what it cost', async () => {
    await using sandbox = await makeSandbox(server);
    const last: Step = { say: 'It is committed.', usage: { in: 1234, out: 56, cacheRead: 1000, cacheWrite: 200 } };
    const script = [
      { think: 'Plan it.', ...write(sandbox, 'a.txt') },
      bash('git add -A && git commit -qm scripted'),
      last,
    ];
    const prompt = 'Write a.txt.\n$HOME `id` "quotes"\n';
    const run = await play(sandbox, { script, prompt });
    expect(run.result, JSON.stringify(run.result)).not.toHaveProperty('failure');
    expect(sandbox.git('log', '--format=%s')).toBe('scripted\nStart');
    expect(run.requests[0]?.lastUser).toContain(prompt.trim());
    expect(run.events).toContainEqual({ type: 'reasoning', text: 'Plan it.' });
    expect(run.events).toContainEqual({ type: 'file-change', path: 'a.txt', change: 'added' });
    expect(ofType(run, 'tool-call').map(({ name }) => name)).toEqual(['Write', 'Bash']);
    expect(ofType(run, 'usage')).toHaveLength(1);
    expect(run.result).toMatchObject({
      text: 'It is committed.',
      session: expect.any(String),
      usage: { kind: 'known', inputTokens: 1634, outputTokens: 96, cachedTokens: 1000, turns: 3, model: MODEL },
    });
    const again = make().reader(run.assignment);
    for (const { file, text } of run.lines) again.line(file, text);
    expect(again.end(run.exit)).toEqual(run.result);
  });

  it('names the model of each answer, also where a gateway uses another than the requested one', async () => {
    await using sandbox = await makeSandbox(server);
    const run = await play(sandbox, { script: [write(sandbox, 'a.txt'), { say: 'Done.', model: 'other-model-7b' }] });
    expect(run.result.answeredBy).toHaveLength(2);
    expect(run.result.answeredBy).toContain('other-model-7b');
  });

  it('gets the configured model, effort and folders, and not the refused tools', async () => {
    await using sandbox = await makeSandbox(server);
    const outside = join(sandbox.root, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'a.txt'), 'from outside');
    const script: Step[] = [
      { call: [{ name: 'Edit', args: { file_path: join(outside, 'a.txt'), old_string: 'from', new_string: 'seen' } }] },
    ];
    const read: Step = { call: [{ name: 'Read', args: { file_path: join(outside, 'a.txt') } }] };
    const settings = {
      model: 'claude-opus-4-5',
      effort: 'high',
      addDirs: [outside],
      disallowedTools: ['WebFetch'],
    } as const;
    const run = await play(sandbox, { script: [read, ...script], more: { settings } });
    expect(run.result).not.toHaveProperty('failure');
    expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('seen outside');
    expect(run.events).toContainEqual({ type: 'file-change', path: join(outside, 'a.txt'), change: 'modified' });
    expect(run.result.usage).toMatchObject({ model: 'claude-opus-4-5' });
    expect(run.requests[0]?.model).toBe('claude-opus-4-5');
    expect(run.requests[0]?.tools).toContain('Edit');
    expect(run.requests[0]?.tools).not.toContain('WebFetch');
  });

  describe.concurrent('with an output schema', () => {
    it('returns output in that form, after a correction if needed', async () => {
      await using sandbox = await makeSandbox(server);
      const answer = (value: unknown): Step => ({ call: [{ name: 'StructuredOutput', args: { answer: value } }] });
      const more: More = { access: 'read', outputSchema: SCHEMA };
      const run = await play(sandbox, { script: [answer('many'), answer(42)], more });
      expect(run.result).toMatchObject({ output: { answer: 42 } });
      expect(run.result).not.toHaveProperty('failure');
    });

    it('returns none when the model never provides one', async () => {
      await using sandbox = await makeSandbox(server);
      const script = [{ say: 'It is 42.' }, { say: 'I said so.' }];
      const run = await play(sandbox, { script, more: { outputSchema: SCHEMA } });
      expect(run.exit).toEqual({ kind: 'exited', code: 0 });
      expect(run.result).not.toHaveProperty('output');
      expect(run.result).not.toHaveProperty('failure');
    });
  });

  describe.concurrent('a session', () => {
    it('is resumed, and only new usage is charged', async () => {
      await using sandbox = await makeSandbox(server);
      const first = await play(sandbox, { script: [{ say: 'First.', usage: { in: 100_000, out: 1_000 } }] });
      const { session = '' } = first.result;
      const script = [{ say: 'Second.', usage: { in: 10, out: 10 } }];
      const limits = { ...first.assignment.limits, costUsd: 0.01 };
      const second = await play(sandbox, { script, more: { number: 2, session, limits }, prompt: 'Go on.' });
      expect(second.requests[0]).toMatchObject({ turn: 1, lastUser: expect.stringContaining('Go on.') });
      expect(second.result).toMatchObject({ session, text: 'Second.' });
      expect(first.result.usage).toMatchObject({ costUsd: expect.closeTo(0.315, 6), turns: 1 });
      expect(second.result.usage).toMatchObject({ costUsd: expect.closeTo(0.00018, 8), inputTokens: 10, turns: 1 });
    });

    it('that no longer exists costs nothing and is reported as lost', async () => {
      await using sandbox = await makeSandbox(server);
      const run = await play(sandbox, { script: [], more: { session: '11111111-2222-4333-8444-555555555555' } });
      expect(run.result).toMatchObject({ usage: { kind: 'none' }, failure: { kind: 'session-lost' } });
      expect(run.result.failure?.message).toContain('No conversation found');
    });
  });

  it('ends when a command in the background has ended, with several results of which the last counts', async () => {
    await using sandbox = await makeSandbox(server);
    const script = [
      bash(`node -e "setTimeout(() => {}, 1500)"`, { run_in_background: true }),
      { say: 'It runs.' },
      { say: 'It has run.', usage: { in: 50, out: 10 } },
    ];
    const run = await play(sandbox, { script, more: { settings: { allowedCli: ['node'] } } });
    expect(ofType(run, 'result').map(({ text }) => text)).toEqual(['It runs.', 'It has run.']);
    expect(run.result).toMatchObject({ text: 'It has run.', usage: { inputTokens: 250, outputTokens: 50, turns: 3 } });
    expect(ofType(run, 'session')).toHaveLength(1);
  });
});
