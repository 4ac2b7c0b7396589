import { describe, expect, it } from 'vitest';
import { warnOf } from '../../../src/core/attempt/decide-attempt.ts';
import { type AttemptMetrics, nextWarningAt, warningsFor } from '../../../src/core/attempt/health.ts';
import { HealthThresholds } from '../../../src/schema/config/health.ts';
import { TaskLimits } from '../../../src/schema/task.ts';
import { added, attempted, given, spec, started } from '../../support/given.ts';

const SPENT = { kind: 'known', costUsd: 0.8, inputTokens: 1, outputTokens: 1, cachedTokens: 0, turns: 8 } as const;

function metrics(more: Partial<AttemptMetrics> = {}): AttemptMetrics {
  return {
    startedAt: 0,
    lastSignAt: 0,
    usage: { kind: 'none' },
    outputBytes: 0,
    limits: TaskLimits.parse({ runtimeMs: 10_000_000, inactivityMs: 10_000_000, turns: 10 }),
    reservation: { costUsd: 1, tokens: 0, turns: 0 },
    thresholds: HealthThresholds.parse({}),
    ...more,
  };
}

function signs(at: number, more: Partial<AttemptMetrics> = {}): string[] {
  return warningsFor(metrics(more), at).map(({ sign }) => sign);
}

describe('health', () => {
  it('has no warning about a healthy attempt', () => {
    expect(signs(599_999)).toEqual([]);
  });

  it('warns of silence, and of running for long', () => {
    expect(signs(600_000)).toEqual(['silent']);
    expect(signs(3_600_000, { lastSignAt: 3_599_000 })).toEqual(['long-running']);
  });

  it('warns of silence before an attempt is stopped for it', () => {
    const limits = TaskLimits.parse({ inactivityMs: 300_000 });
    expect(signs(239_999, { limits })).toEqual([]);
    expect(signs(240_000, { limits })).toEqual(['silent']);
    expect(nextWarningAt(metrics({ limits }), 0)).toBe(240_000);
  });

  it('warns of much output', () => {
    const limits = TaskLimits.parse({ output: { softBytes: 100 } });
    expect(signs(1, { limits, outputBytes: 100 })).toEqual([]);
    expect(signs(1, { limits, outputBytes: 101 })).toEqual(['much-output']);
  });

  it('warns when most of the time, the turns or the money is used up', () => {
    expect(signs(8_000_000, { lastSignAt: 8_000_000, startedAt: 0 })).toEqual(['long-running', 'near-time-limit']);
    expect(signs(1, { usage: SPENT })).toEqual(['many-turns', 'near-budget']);
  });

  it('returns when the next warning may be due', () => {
    expect(nextWarningAt(metrics({ lastSignAt: 5_000 }), 5_000)).toBe(605_000);
    expect(nextWarningAt(metrics(), 9_000_000)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('puts each sign on record once', () => {
    const warnings = [{ sign: 'silent', message: 'it has written nothing for 600 s' }] as const;
    const command = { task: 'job/1', attempt: 1, warnings };
    const warned = given(started(), added(spec('job/1')), attempted('job/1')).when((state) => warnOf(state, command));
    expect(warned.events).toMatchObject([{ type: 'attempt.warned', data: { sign: 'silent' } }]);
    expect(warned.when((state) => warnOf(state, command)).events).toEqual([]);
  });
});
