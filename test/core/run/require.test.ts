import { describe, expect, it } from 'vitest';
import { requireLive, requirePhase, requireTask } from '../../../src/core/run/require.ts';
import { AppError } from '../../../src/errors.ts';
import { added, given, spec, started } from '../../support/given.ts';

const { state } = given(started(), added(spec('a')));

describe('what a command requires', () => {
  it.each(['ghost', 'constructor', '__proto__'])('refuses %s, which is no task of the run', (key) => {
    expect(() => requireTask(state, key)).toThrow(AppError);
    expect(() => requireTask(state, key)).toThrow(`has no task ${key}`);
  });

  it('returns the required phase, or names the actual one', () => {
    const task = requireTask(state, 'a');
    expect(requirePhase(task, 'ready')).toMatchObject({ status: 'ready' });
    expect(() => requirePhase(task, 'held')).toThrow('Task a is ready, not held');
  });

  it('accepts everything that has not ended', () => {
    expect(() => requireLive(state)).not.toThrow();
    const ended = { kind: 'ended', status: 'failed', reason: '', at: 0 } as const;
    expect(() => requireLive({ ...state, status: ended })).toThrow('has ended (failed)');
  });
});
