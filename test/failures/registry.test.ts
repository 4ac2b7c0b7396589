import { describe, expect, it } from 'vitest';
import { failureTitle, followUp } from '../../src/failures/registry.ts';
import { FailureKind, FollowUp } from '../../src/schema/failure.ts';

const NOW = 1_000_000;

function following(kind: FailureKind, more: { attempt?: number; resetAt?: number } = {}) {
  const failure = { kind, message: `it was ${kind}`, ...(more.resetAt === undefined ? {} : { resetAt: more.resetAt }) };
  return followUp(failure, { attempt: more.attempt ?? 1, now: NOW });
}

describe('what follows a failure', () => {
  it.each(FailureKind.options)('%s has a title and a valid follow-up', (kind) => {
    expect(failureTitle(kind)).not.toBe('');
    expect(FollowUp.safeParse(following(kind)).success).toBe(true);
  });

  it('rests an account until the reset that the provider named', () => {
    for (const kind of ['rate-limit', 'usage-limit'] as const) {
      expect(following(kind, { resetAt: NOW + 5 })).toMatchObject({ action: 'switch', limitedUntil: NOW + 5 });
    }
  });

  it('does not believe in a reset that has already passed', () => {
    expect(following('rate-limit', { resetAt: NOW - 5 })).toMatchObject({
      action: 'switch',
      limitedUntil: NOW + 60_000,
    });
  });

  it('rests a rate-limited account for a minute and a used-up one for an hour when no reset is named', () => {
    expect(following('rate-limit')).toMatchObject({ action: 'switch', limitedUntil: NOW + 60_000 });
    expect(following('usage-limit')).toMatchObject({ action: 'switch', limitedUntil: NOW + 3_600_000 });
  });

  it.each(['auth', 'billing', 'model-not-found'] as const)('rests an account for a day after %s', (kind) => {
    expect(following(kind)).toMatchObject({
      action: 'switch',
      limitedUntil: NOW + 86_400_000,
      reason: `it was ${kind}`,
    });
  });

  it('waits longer for an overloaded provider each time, ten minutes at most', () => {
    const delays = [1, 2, 3, 20].map((attempt) => {
      const next = following('overloaded', { attempt });
      return next.action === 'retry' ? next.delayMs : undefined;
    });
    expect(delays).toEqual([30_000, 60_000, 120_000, 600_000]);
  });

  it('makes only the retries after an interruption and a lost session free', () => {
    const free = FailureKind.options.filter((kind) => {
      const next = following(kind);
      return next.action === 'retry' && next.free;
    });
    expect(free).toEqual(['interrupted', 'session-lost']);
    expect(following('interrupted')).toMatchObject({ delayMs: 0 });
  });

  it('counts interruptions too once there are more than five', () => {
    expect(following('interrupted', { attempt: 5 })).toMatchObject({ free: true });
    expect(following('interrupted', { attempt: 6 })).toMatchObject({ action: 'retry', free: false });
  });

  it('resumes the conversation of a stalled attempt, and starts a new one when the context is full', () => {
    expect(following('stalled')).toMatchObject({ action: 'retry', resume: true });
    expect(following('context-full')).toMatchObject({ action: 'retry', resume: false });
  });

  it.each(['disk-full', 'environment', 'refused'] as const)('blocks on %s with the reason', (kind) => {
    expect(following(kind)).toEqual({ action: 'block', reason: `it was ${kind}` });
  });

  it.each(['budget', 'conflict'] as const)('ends the task on %s', (kind) => {
    expect(following(kind)).toEqual({ action: 'fail' });
  });

  it('repairs an unreadable result in the same session', () => {
    expect(following('bad-output')).toEqual({ action: 'retry', delayMs: 0, resume: true, free: false });
  });

  it.each(['tests', 'verification', 'implementation', 'no-change', 'unknown'] as const)(
    'retries after %s, counted',
    (kind) => {
      expect(following(kind)).toEqual({ action: 'retry', delayMs: 0, resume: false, free: false });
    },
  );
});
