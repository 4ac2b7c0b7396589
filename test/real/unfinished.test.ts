import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { telemetryFile } from '../../src/agents/gemini/gemini-telemetry.ts';
import { claudeFixture } from './claude-fixture.ts';
import { codexFixture } from './codex-fixture.ts';
import { geminiFixture } from './gemini-fixture.ts';
import { type ModelServer, startModelServer } from './model-server.ts';
import { makeSandbox } from './sandbox.ts';
import { describeWith } from './with-programs.ts';

const GONE = '11111111-2222-4333-8444-555555555555';
const FIXTURES = { claude: claudeFixture, codex: codexFixture, gemini: geminiFixture };

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server[Symbol.asyncDispose]());

for (const name of ['claude', 'codex', 'gemini'] as const) {
  await describeWith([name], name, (path) => {
    it('reports an unknown session to resume, and uses nothing', async () => {
      await using sandbox = await makeSandbox(server);
      const fixture = FIXTURES[name](server, path(name));
      const { result, requests } = await fixture.perform(sandbox, {
        script: [{ say: 'Done.' }],
        more: { session: GONE },
      });
      expect(result.failure?.kind).toBe('session-lost');
      expect(requests).toEqual([]);
      expect(result.usage.kind === 'known' ? result.usage.costUsd : result.usage.kind).toBeOneOf([0, 'none']);
    });
  });
}

await describeWith(['gemini'], 'an answer of gemini that is cut off by the limit of tokens', (path) => {
  it('is a failure, although Gemini reports success', async () => {
    await using own = await startModelServer();
    await using sandbox = await makeSandbox(own);
    const fixture = geminiFixture(own, path('gemini'));
    const { result, assignment } = await fixture.perform(sandbox, {
      script: [{ say: 'And then', stop: 'max-tokens' }],
    });
    expect(result.failure).toMatchObject({ kind: 'bad-output' });
    expect(result.session).toBeDefined();
    expect(existsSync(telemetryFile(assignment.folder))).toBe(false);
  });
});
