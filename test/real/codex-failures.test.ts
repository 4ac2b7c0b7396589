import { afterAll, describe, expect, it } from 'vitest';
import type { FailureKind } from '../../src/schema/failure.ts';
import { realWorld } from '../../src/world.ts';
import { codexStage, LIMITS, shell } from './codex-stage.ts';
import type { Step } from './model-server/step.ts';
import { closedAddress, startModelServer } from './model-server.ts';
import { ofType } from './of-type.ts';
import { describeWith } from './with-programs.ts';
import { makeWorkplace } from './workplace.ts';

/** Long enough for a start on a busy machine, short enough for a test. */
const SILENT_MS = 5_000;

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

await describeWith(['codex'], 'the real Codex', (path) => {
  const { play } = codexStage(server, path('codex'));

  describe.concurrent('a fault', () => {
    const FAULTS: [string, Step, FailureKind][] = [
      ['429', { fault: { kind: 'refusal', reason: 'rate-limit', retryAfterSeconds: 1 } }, 'rate-limit'],
      ['503', { fault: { kind: 'refusal', reason: 'overloaded' } }, 'overloaded'],
      ['500', { fault: { kind: 'refusal', reason: 'server-error' } }, 'overloaded'],
      ['529', { fault: { kind: 'status', status: 529 } }, 'overloaded'],
      ['401', { fault: { kind: 'refusal', reason: 'auth' } }, 'auth'],
      ['403', { fault: { kind: 'refusal', reason: 'forbidden' } }, 'auth'],
      ['404', { fault: { kind: 'refusal', reason: 'model-not-found' } }, 'model-not-found'],
      ['an empty account', { fault: { kind: 'refusal', reason: 'billing' } }, 'billing'],
      ['a context too long', { fault: { kind: 'refusal', reason: 'context-full' } }, 'context-full'],
      ['headers and silence', { fault: { kind: 'stall' } }, 'network'],
      ['a cut stream', { fault: { kind: 'cut' } }, 'network'],
      ['a malformed stream', { fault: { kind: 'malformed' } }, 'network'],
      ['an empty stream', { fault: { kind: 'empty' } }, 'network'],
      ['a page of HTML', { fault: { kind: 'html' } }, 'network'],
      ['an overload in the stream', { fault: { kind: 'error-event' } }, 'overloaded'],
      ['a context too long in the stream', { fault: { kind: 'error-event', reason: 'context-full' } }, 'context-full'],
      ['an answer that is too long', { say: 'and', stop: 'max-tokens' }, 'implementation'],
    ];

    it.each(FAULTS)('is told by its class: %s', async (_, step, kind) => {
      await using place = await makeWorkplace(server);
      const run = await play(place, { script: [step], idleMs: 1_500 });
      expect(run.exit).toEqual({ kind: 'exited', code: 1 });
      expect(run.result.failure, JSON.stringify(run.result.failure)).toMatchObject({ kind });
      expect(run).not.toHaveProperty('stopped');
    });

    it('that passes is shown as a retry and leaves no failure', async () => {
      await using place = await makeWorkplace(server);
      const fault = { kind: 'refusal', reason: 'rate-limit', retryAfterSeconds: 1, times: 1 } as const;
      const run = await play(place, { script: [{ fault, say: 'There.' }] });
      expect(ofType(run, 'retry')).toMatchObject([{ message: expect.stringContaining('429') }]);
      expect(run.result).toMatchObject({ text: 'There.', usage: { kind: 'known', turns: 1 } });
      expect(run.result).not.toHaveProperty('failure');
    });

    it('before any answer costs nothing, one in the middle of it is not free', async () => {
      await using place = await makeWorkplace(server);
      const refused = await play(place, { script: [{ fault: { kind: 'refusal', reason: 'overloaded' } }] });
      expect(refused.result.usage).toEqual({ kind: 'none' });
      const cut = await play(place, { script: [{ fault: { kind: 'cut' } }], more: { number: 2 } });
      expect(cut.result.usage).toEqual({ kind: 'unknown' });
    });

    it('of a used-up subscription names the time of its reset, today or later', async () => {
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

  describe.concurrent('our watchdog', () => {
    const limits = { ...LIMITS, inactivityMs: SILENT_MS };

    it('stops it when it is not answered', async () => {
      await using place = await makeWorkplace(server);
      const run = await play(place, { script: [{ fault: { kind: 'silence' } }], more: { limits } });
      expect(run.stopped).toMatchObject({ kind: 'stalled' });
      expect(run.result).toMatchObject({ usage: { kind: 'unknown' }, failure: { kind: 'interrupted' } });
      expect(run.requests).toHaveLength(1);
    });

    it('stops it when nobody listens', async () => {
      await using place = await makeWorkplace(server);
      const run = await play(place, { script: [], base: await closedAddress(), more: { limits } });
      expect(run.stopped?.kind ?? run.result.failure?.kind).toMatch(/^(stalled|network)$/);
    });
  });
});
