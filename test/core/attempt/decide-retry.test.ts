import { describe, expect, it } from 'vitest';
import { decideRetry } from '../../../src/core/attempt/decide-retry.ts';
import type { FollowUp } from '../../../src/schema/failure.ts';
import type { Retry } from '../../../src/schema/task.ts';
import { added, given, spec, started, T0 } from '../../support/given.ts';

const COUNTED: FollowUp = { action: 'retry', delayMs: 500, resume: false, free: false };
const FREE: FollowUp = { action: 'retry', delayMs: 500, resume: true, free: true };

function decided(
  follow: FollowUp,
  more: { retry?: Partial<Retry>; counted?: number; free?: number; attempts?: number } = {},
) {
  const { state } = given(
    started({}, { limits: { runAttempts: 10 } }),
    added(spec('job/1', { retry: more.retry ?? {} })),
  );
  const task = state.tasks['job/1'];
  if (task === undefined) throw new Error('the task is missing');
  const before = { ...task, counted: more.counted ?? 0, free: more.free ?? 0 };
  return decideRetry({ ...state, attempts: more.attempts ?? 1 }, before, follow, T0);
}

describe('after a failure', () => {
  it('a task is retried after the delay of the kind of failure', () => {
    expect(decided(COUNTED)).toEqual({ kind: 'retry', at: T0 + 500, counted: true, resume: false, analyze: false });
  });

  it('the failure is analysed first if the task requests that', () => {
    expect(decided(COUNTED, { retry: { policy: 'analyze' } })).toMatchObject({ kind: 'retry', analyze: true });
  });

  it('a task without retries fails', () => {
    expect(decided(COUNTED, { retry: { policy: 'none' } })).toMatchObject({ kind: 'give-up' });
  });

  it('the last allowed attempt is the last', () => {
    expect(decided(COUNTED, { retry: { attempts: 3 }, counted: 1 }).kind).toBe('retry');
    expect(decided(COUNTED, { retry: { attempts: 3 }, counted: 2 })).toEqual({
      kind: 'give-up',
      reason: '3 attempts failed',
    });
  });

  it('a failure outside the task is not counted, and continues in its session', () => {
    expect(decided(FREE, { retry: { attempts: 1, policy: 'none' } })).toMatchObject({
      kind: 'retry',
      counted: false,
      resume: true,
      at: T0 + 500,
    });
  });

  it('even free retries end, so that no storm is possible', () => {
    expect(decided(FREE, { free: 19 }).kind).toBe('retry');
    expect(decided(FREE, { free: 20 }).kind).toBe('give-up');
    expect(decided({ action: 'switch', limitedUntil: T0 + 1, reason: '' }, { free: 20 }).kind).toBe('give-up');
  });

  it('a switch of agents is free, at once, and in a new session', () => {
    const decision = decided({ action: 'switch', limitedUntil: T0 + 9_000, reason: 'rate limit' });
    expect(decision).toEqual({ kind: 'retry', at: T0, counted: false, resume: false, analyze: false });
  });

  it('what only a person can fix is blocked', () => {
    expect(decided({ action: 'block', reason: 'why' })).toEqual({ kind: 'block', reason: 'why' });
  });

  it('what cannot get better fails', () => {
    expect(decided({ action: 'fail' }).kind).toBe('give-up');
  });

  it.each([COUNTED, FREE])('the run’s cap on attempts overrides everything', (follow) => {
    expect(decided(follow, { attempts: 10 })).toMatchObject({
      kind: 'give-up',
      reason: expect.stringContaining('10 attempts'),
    });
  });
});
