import { describe, expect, it } from 'vitest';
import { withRetries } from '../../../src/engine/pull-requests/forge-retries.ts';
import type { Answer, ForgeFailure } from '../../../src/forges/forge.ts';
import { realWorld } from '../../../src/world.ts';

const OK: Answer<string> = { ok: true, value: 'created' };

/** The pauses and the last answer, where a forge answers so one after the other, and with the last for ever. */
async function answered(...answers: Answer<string>[]) {
  const pauses: number[] = [];
  const world = { ...realWorld, sleep: async (ms: number) => void pauses.push(ms) };
  let requests = 0;
  const request = async () => {
    requests += 1;
    return answers[Math.min(requests, answers.length) - 1] ?? OK;
  };
  const last = await withRetries(world, request, new AbortController().signal);
  return { pauses, last, requests };
}

function failed(kind: ForgeFailure['kind'], more: { retryAfterMs?: number } = {}): Answer<string> {
  return { ok: false, failure: { kind, message: kind, nextStep: 'wait', ...more } };
}

describe('a request to a forge', () => {
  it('is repeated with growing pauses while the forge does not answer, then fails', async () => {
    expect(await answered(failed('unavailable'), OK)).toEqual({ pauses: [1_000], last: OK, requests: 2 });
    const lost = await answered(failed('unavailable'));
    expect([lost.pauses, lost.requests, lost.last.ok]).toEqual([[1_000, 2_000], 3, false]);
  });

  it('waits as long as a rate limit says, at most two minutes together', async () => {
    const limited = failed('rate-limit', { retryAfterMs: 50_000 });
    expect((await answered(limited, OK)).pauses).toEqual([50_000]);
    expect((await answered(limited)).pauses).toEqual([50_000, 50_000]);
    expect((await answered(failed('rate-limit', { retryAfterMs: 600_000 }))).pauses).toEqual([]);
  });

  it.each(['auth', 'missing', 'refused'] as const)('is not repeated after %s', async (kind) => {
    expect(await answered(failed(kind))).toMatchObject({ pauses: [], requests: 1 });
  });
});
