import { afterAll, describe, expect, it } from 'vitest';
import { realWorld } from '../../src/world.ts';
import { codexStage, LIMITS, shell } from './codex-stage.ts';
import { startModelServer } from './model-server.ts';
import { ofType } from './of-type.ts';
import { describeWith } from './with-programs.ts';
import { makeWorkplace } from './workplace.ts';

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

await describeWith(['codex'], 'the real Codex', (path) => {
  const { play } = codexStage(server, path('codex'));

  describe.concurrent('a fault', () => {
    it('of a context too long may come in the stream', async () => {
      await using place = await makeWorkplace(server);
      const fault = { kind: 'error-event', reason: 'context-full' } as const;
      const run = await play(place, { script: [{ fault }] });
      expect(run.result.failure).toMatchObject({ kind: 'context-full' });
    });

    it('that is temporary is reported as a retry and causes no failure', async () => {
      await using place = await makeWorkplace(server);
      const fault = { kind: 'refusal', reason: 'rate-limit', retryAfterSeconds: 1, times: 1 } as const;
      const run = await play(place, { script: [{ fault, say: 'There.' }] });
      expect(ofType(run, 'retry')).toMatchObject([{ message: expect.stringContaining('429') }]);
      expect(run.result).toMatchObject({ text: 'There.', usage: { kind: 'known', turns: 1 } });
      expect(run.result).not.toHaveProperty('failure');
    });

    it('before any answer costs nothing, one in the middle of it has a cost', async () => {
      await using place = await makeWorkplace(server);
      const refused = await play(place, { script: [{ fault: { kind: 'refusal', reason: 'overloaded' } }] });
      expect(refused.result.usage).toEqual({ kind: 'none' });
      const cut = await play(place, { script: [{ fault: { kind: 'cut' } }], more: { number: 2 } });
      expect(cut.result.usage).toEqual({ kind: 'unknown' });
    });

    it('of an exhausted subscription reports its reset time, today or later', async () => {
      await using place = await makeWorkplace(server);
      for (const [at, days] of [0, 3].entries()) {
        const resetAtSeconds = Math.floor(realWorld.now() / 1000) + 60 + days * 86_400;
        const fault = { kind: 'refusal', reason: 'usage-limit', resetAtSeconds } as const;
        const { result } = await play(place, { script: [{ fault }], more: { number: at + 1 } });
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
      await using place = await makeWorkplace(server);
      const run = await play(place, { script: () => shell('sleep 0.2'), more: { limits: { ...LIMITS, ...limit } } });
      expect(run.stopped).toMatchObject({ kind: 'budget' });
      expect(run.result.usage).toMatchObject({ kind: 'known' });
    });
  });
});
