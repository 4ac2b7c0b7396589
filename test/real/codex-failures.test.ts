import { afterAll, describe, expect, it } from 'vitest';
import { realWorld } from '../../src/world.ts';
import { codexFixture, LIMITS, shell } from './codex-fixture.ts';
import { startModelServer } from './model-server.ts';
import { ofType } from './of-type.ts';
import { makeSandbox } from './sandbox.ts';
import { describeWith } from './with-programs.ts';

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

await describeWith(['codex'], 'the real Codex', (path) => {
  const { perform: play } = codexFixture(server, path('codex'));

  describe.concurrent('a fault', () => {
    it('of a context too long may come in the stream', async () => {
      await using sandbox = await makeSandbox(server);
      const fault = { kind: 'error-event', reason: 'context-full' } as const;
      const run = await play(sandbox, { script: [{ fault }] });
      expect(run.result.failure).toMatchObject({ kind: 'context-full' });
    });

    it('that is temporary is reported as a retry and causes no failure', async () => {
      await using sandbox = await makeSandbox(server);
      const fault = { kind: 'refusal', reason: 'rate-limit', retryAfterSeconds: 1, times: 1 } as const;
      const run = await play(sandbox, { script: [{ fault, say: 'There.' }] });
      expect(ofType(run, 'retry')).toMatchObject([{ message: expect.stringContaining('429') }]);
      expect(run.result).toMatchObject({ text: 'There.', usage: { kind: 'known', turns: 1 } });
      expect(run.result).not.toHaveProperty('failure');
    });

    it('before any answer costs nothing, one in the middle of it has a cost', async () => {
      await using sandbox = await makeSandbox(server);
      const refused = await play(sandbox, { script: [{ fault: { kind: 'refusal', reason: 'overloaded' } }] });
      expect(refused.result.usage).toEqual({ kind: 'none' });
      const cut = await play(sandbox, { script: [{ fault: { kind: 'cut' } }], more: { number: 2 } });
      expect(cut.result.usage).toEqual({ kind: 'unknown' });
    });

    it('of an exhausted subscription reports its reset time, today or later', async () => {
      await using sandbox = await makeSandbox(server);
      for (const [at, days] of [0, 3].entries()) {
        const resetAtSeconds = Math.floor(realWorld.now() / 1000) + 60 + days * 86_400;
        const fault = { kind: 'refusal', reason: 'usage-limit', resetAtSeconds } as const;
        const { result } = await play(sandbox, { script: [{ fault }], more: { number: at + 1 } });
        expect(result).toMatchObject({ usage: { kind: 'none' }, failure: { kind: 'usage-limit' } });
        const lateMs = (result.failure?.resetAt ?? 0) - resetAtSeconds * 1000;
        expect(lateMs).toBeGreaterThan(0);
        expect(lateMs).toBeLessThanOrEqual(60_000);
      }
    });

    it.each([
      ['turns', { turns: 2 }],
      ['money', { costUsd: 0.002 }],
    ])('of the budget of %s is noticed while it works', async (_, limit) => {
      await using sandbox = await makeSandbox(server);
      const run = await play(sandbox, { script: () => shell('sleep 0.2'), more: { limits: { ...LIMITS, ...limit } } });
      expect(run.stopped).toMatchObject({ kind: 'budget' });
      expect(run.result.usage).toMatchObject({ kind: 'known' });
    });
  });
});
