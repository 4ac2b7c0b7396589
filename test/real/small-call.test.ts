import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeRunProject } from '../engine/run-project.ts';
import { type ModelServer, startModelServer } from './model-server.ts';
import { describeWith } from './with-programs.ts';

const LONG_TASK = `Mend the rounding of prices ${'in the basket, the order and the invoice, '.repeat(8)}please.`;

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server[Symbol.asyncDispose]());

await describeWith(['claude'], 'the light model of the real Claude Code', (path) => {
  it('answers a small call, and is charged for it once', async () => {
    const title = 'Mend the rounding';
    const base = server.scenario('small', ({ prompt, turn }) => {
      if (!prompt.includes('Name the request')) return { say: 'There is nothing to do.' };
      return turn === 0 ? { call: [{ name: 'StructuredOutput', args: { title } }] } : { say: 'Named.' };
    });
    await using project = await makeRunProject({
      agent: {
        command: path('claude'),
        models: { light: 'claude-haiku-4-5' },
        env: { ANTHROPIC_API_KEY: 'test-key', ...server.proxyEnv },
      },
      config: { smallCalls: { use: 'agent' } },
      env: { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: base, IS_SANDBOX: '1' },
    });
    const run = await project.run(LONG_TASK);
    expect(run.start.title, JSON.stringify(run.calls)).toBe(title);
    const tries = run.calls.title?.ended?.tries ?? [];
    expect(tries.map(({ by, usage }) => [by, usage.kind])).toEqual([['one', 'known']]);
  });
});
