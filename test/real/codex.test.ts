import { afterAll, describe, expect, it } from 'vitest';
import { codexAgent } from '../../src/agents/codex/codex.ts';
import { AgentConfig } from '../../src/schema/config/agent.ts';
import { codexFixture, commit, MODEL, patch, shell } from './codex-fixture.ts';
import type { Step } from './model-server/step.ts';
import { startModelServer } from './model-server.ts';
import { ofType } from './of-type.ts';
import { makeSandbox } from './sandbox.ts';
import { describeWith } from './with-programs.ts';

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

await describeWith(['codex'], 'the real Codex', (path) => {
  const { perform: play } = codexFixture(server, path('codex'));

  it('is found, with its version and login', async () => {
    const search = { dir: '/', path: process.env.PATH ?? '' };
    await using sandbox = await makeSandbox(server);
    const of = (env: NodeJS.ProcessEnv) =>
      codexAgent({
        name: 'codex',
        config: AgentConfig.parse({ kind: 'codex', command: path('codex') }),
        search,
        env: { HOME: sandbox.home, ...env },
      });
    expect(await of({ CODEX_API_KEY: 'x' }).available()).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/ 0\.166\.0, logged in/),
    });
    expect(await of({}).available()).toMatchObject({ ok: false, detail: expect.stringContaining('not logged in') });
  });

  it('edits a file and commits it in its sandbox, and reports each step and what it cost', async () => {
    await using sandbox = await makeSandbox(server);
    const last: Step = { say: 'It is committed.', usage: { in: 1_000_100, out: 100_000, cacheRead: 100_000 } };
    const script = [{ think: 'Plan it.', ...patch('a.txt') }, commit, last];
    const prompt = 'Write a.txt.\n$HOME `id` "quotes"\n';
    const run = await play(sandbox, { script, prompt });
    expect(run.result, JSON.stringify(run.result)).not.toHaveProperty('failure');
    expect(sandbox.git('log', '--format=%s')).toBe('scripted\nStart');
    expect(run.requests[0]?.lastUser).toBe(prompt);
    expect(run.events).toContainEqual({ type: 'reasoning', text: 'Plan it.' });
    expect(run.events).toContainEqual({ type: 'file-change', path: 'a.txt', change: 'added' });
    expect(ofType(run, 'tool-call').map(({ name }) => name)).toEqual(['apply_patch', 'exec_command']);
    expect(ofType(run, 'usage')).toEqual([{ type: 'usage', usage: run.result.usage }]);
    expect(run.result).toMatchObject({
      text: 'It is committed.',
      session: expect.any(String),
      usage: {
        kind: 'known',
        inputTokens: 900_300,
        outputTokens: 100_040,
        cachedTokens: 100_000,
        turns: 3,
        model: MODEL,
      },
    });
    const again = run.agent.reader(run.assignment);
    for (const { file, text } of run.lines) again.line(file, text);
    expect(again.end(run.exit)).toEqual(run.result);
  });

  it('reports that another model answered than the requested one, as behind a gateway', async () => {
    await using sandbox = await makeSandbox(server);
    const run = await play(sandbox, { script: [patch('a.txt'), { say: 'Done.', model: 'gpt-5.4-mini' }] });
    expect(run.result).toMatchObject({ usage: { model: MODEL }, answeredBy: ['gpt-5.4-mini'] });
  });

  describe.concurrent('with an output schema', () => {
    const outputSchema = {
      type: 'object',
      properties: { answer: { type: 'number' }, note: { type: 'string' } },
      required: ['answer'],
    };

    it('sends the schema to the model, and returns output in that form', async () => {
      await using sandbox = await makeSandbox(server);
      const script = [{ say: 'I look.', ...shell('true') }, { say: '{"answer":42,"note":null}' }];
      const run = await play(sandbox, { script, more: { access: 'read', outputSchema } });
      expect(run.requests[0]?.body).toMatchObject({
        text: { format: { type: 'json_schema', strict: true, schema: { required: ['answer', 'note'] } } },
      });
      expect(run.result.output).toEqual({ answer: 42 });
    });

    it('returns none when the model never provides one', async () => {
      await using sandbox = await makeSandbox(server);
      const run = await play(sandbox, { script: [{ say: 'It is 42.' }], more: { outputSchema } });
      expect(run.result).not.toHaveProperty('output');
      expect(run.result).not.toHaveProperty('failure');
    });
  });

  describe.concurrent('a session', () => {
    it('is resumed with the same permissions, and only new usage is charged', async () => {
      await using sandbox = await makeSandbox(server);
      const first = await play(sandbox, { script: [{ say: 'First.', usage: { in: 100_000, out: 1_000 } }] });
      const { session = '' } = first.result;
      const script = [patch('b.txt'), commit, { say: 'Second.', usage: { in: 10, out: 10 } }];
      const second = await play(sandbox, { script, more: { number: 2, session }, prompt: 'Go on.' });
      expect(second.requests[0]).toMatchObject({ turn: 1, lastUser: 'Go on.' });
      expect(second.result).toMatchObject({ session, text: 'Second.' });
      expect(sandbox.git('log', '--format=%s')).toBe('scripted\nStart');
      expect(first.result.usage).toMatchObject({ costUsd: expect.closeTo(0.53, 6), turns: 1 });
      expect(second.result.usage).toMatchObject({ inputTokens: 210, outputTokens: 50, turns: 3 });
    });

    it('that no longer exists costs nothing and is reported as lost', async () => {
      await using sandbox = await makeSandbox(server);
      const run = await play(sandbox, { script: [], more: { session: '01a1e10a-ffe3-7740-ae86-76bb2c4416ef' } });
      expect(run.result).toMatchObject({ usage: { kind: 'none' }, failure: { kind: 'session-lost' } });
      expect(run.result.failure?.message).toContain('no rollout found');
    });
  });
});
