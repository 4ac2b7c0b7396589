import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { telemetryFile } from '../../src/agents/gemini/gemini-telemetry.ts';
import { claudeStage } from './claude-stage.ts';
import { codexStage } from './codex-stage.ts';
import { geminiStage } from './gemini-stage.ts';
import { type ModelServer, startModelServer } from './model-server.ts';
import { describeWith } from './with-programs.ts';
import { makeWorkplace } from './workplace.ts';

const GONE = '11111111-2222-4333-8444-555555555555';
const STAGES = { claude: claudeStage, codex: codexStage, gemini: geminiStage };

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server[Symbol.asyncDispose]());

for (const name of ['claude', 'codex', 'gemini'] as const) {
  await describeWith([name], name, (path) => {
    it('reports an unknown session to resume, and uses nothing', async () => {
      await using place = await makeWorkplace(server);
      const stage = STAGES[name](server, path(name));
      const { result, requests } = await stage.play(place, { script: [{ say: 'Done.' }], more: { session: GONE } });
      expect(result.failure?.kind).toBe('session-lost');
      expect(requests).toEqual([]);
      expect(result.usage.kind === 'known' ? result.usage.costUsd : result.usage.kind).toBeOneOf([0, 'none']);
    });
  });
}

await describeWith(['gemini'], 'an answer of gemini that is cut off by the limit of tokens', (path) => {
  it('is a failure, although Gemini reports success', async () => {
    await using own = await startModelServer();
    await using place = await makeWorkplace(own);
    const stage = geminiStage(own, path('gemini'));
    const { result, assignment } = await stage.play(place, { script: [{ say: 'And then', stop: 'max-tokens' }] });
    expect(result.failure).toMatchObject({ kind: 'bad-output' });
    expect(result.session).toBeDefined();
    expect(existsSync(telemetryFile(assignment.folder))).toBe(false);
  });
});
