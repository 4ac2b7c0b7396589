import { describe, expect, it } from 'vitest';
import { isReviewed, requiredFailures, verdictOf } from '../../../src/core/finish/verdict.ts';
import type { RunEvent } from '../../../src/schema/event.ts';
import type { Failure } from '../../../src/schema/failure.ts';
import { added, evidence, given, landed, spec, started, taskEnded, worked } from '../../support/given.ts';

const gates = [{ gate: 'command' as const, name: 'test', run: 'npm test' }];
const passed = (tree: string): RunEvent => ({
  type: 'gate.ended',
  data: { tasks: ['a'], commit: 'c', evidence: evidence('test', 'pass', tree) },
});
const verdict = (...events: RunEvent[]) => verdictOf(given(started(), ...events).state);

describe('how a run ends', () => {
  it('is done when every check passed on exactly the tree that landed', () => {
    expect(verdict(added(spec('a', { gates })), ...worked('a'), passed('tree'), landed('a'))).toMatchObject({
      status: 'done',
    });
  });

  it('is unverified when no check ran on the landed tree', () => {
    expect(verdict(added(spec('a')), ...worked('a'), landed('a'))).toMatchObject({ status: 'unverified' });
    expect(verdict(added(spec('a', { gates })), ...worked('a'), passed('another tree'), landed('a'))).toMatchObject({
      status: 'unverified',
    });
  });

  it('is done without checks when there was nothing to land', () => {
    expect(verdict(added(spec('a', { access: 'read' })), taskEnded('a', 'done'))).toMatchObject({ status: 'done' });
  });

  it('is failed when a required task failed, and names it', () => {
    const events = [added(spec('a'), spec('b')), taskEnded('a', 'done'), taskEnded('b', 'failed')];
    expect(verdict(...events)).toEqual({ status: 'failed', reason: 'b failed: failed' });
  });

  it('names a task without a name of its own by its title, and the only one not at all', () => {
    const title = 'Plan: make the check of the shop green, and the rest of it too, at last';
    const events = [added(spec('plan/1', { title }), spec('b')), taskEnded('b', 'done'), taskEnded('plan/1', 'failed')];
    expect(verdict(...events).reason).toBe(
      'Plan: make the check of the shop green, and the rest of it… failed: failed',
    );
    expect(verdict(added(spec('job/1')), taskEnded('job/1', 'failed')).reason).toBe('failed');
    const named = [added(spec('node/1', { name: 'login' }), spec('b')), taskEnded('node/1', 'failed')];
    expect(verdict(...named, taskEnded('b', 'done')).reason).toBe('login failed: failed');
  });

  it('is partial when some tasks landed and others failed or were skipped, and counts them', () => {
    const plan = added(spec('a'), spec('b'), spec('c', { needs: ['b'] }));
    const events = [plan, ...worked('a'), landed('a'), taskEnded('b', 'failed'), taskEnded('c', 'skipped')];
    expect(verdict(...events)).toEqual({
      status: 'partial',
      reason: '1 landed, 1 failed, 1 skipped; b failed: failed',
    });
  });

  it('is not failed by an optional task', () => {
    expect(
      verdict(added(spec('a'), spec('b', { optional: true })), taskEnded('a', 'done'), taskEnded('b', 'failed')),
    ).toMatchObject({ status: 'done' });
  });

  it.each([
    ['budget', 'out of budget'],
    ['timeout', 'out of time'],
  ] as const)('is done and not reviewed when the review of the result was abandoned: %s', (kind, why) => {
    const review = spec('review/1', { access: 'read', reviewsResult: true });
    const work = [added(spec('a', { gates })), ...worked('a'), passed('tree'), landed('a'), added(review)];
    const ended = (failure: Failure['kind']): RunEvent => ({
      type: 'task.ended',
      data: { task: 'review/1', status: 'failed', reason: 'no', failure: { kind: failure, message: 'none left' } },
    });
    expect(verdict(...work, ended(kind))).toEqual({
      status: 'done',
      reason: `1 task done, every check passed on the merged result; not reviewed: review/1 was abandoned, ${why} (none left)`,
    });
    expect(isReviewed(given(started(), ...work, ended(kind)).state)).toBe(false);
    expect(isReviewed(given(started(), ...work, taskEnded('review/1', 'done')).state)).toBe(true);
    expect(isReviewed(given(started(), ...work).state)).toBeNull();
    expect(verdict(...work, ended('crashed'))).toMatchObject({ status: 'partial' });
  });

  it('is failed when nothing got done', () => {
    expect(verdict(added(spec('a')), taskEnded('a', 'skipped'))).toMatchObject({ status: 'failed' });
  });

  it('is cancelled when a person cancelled it', () => {
    expect(verdict(added(spec('a')), { type: 'run.cancelling', data: { reason: 'enough' } })).toEqual({
      status: 'cancelled',
      reason: 'enough',
    });
    expect(verdict(added(spec('a')), taskEnded('a', 'cancelled'))).toMatchObject({ status: 'cancelled' });
  });

  it.each(['failed', 'cancelled'] as const)(
    'does not depend on a resolver or analysis that %s, when the task that it served got done',
    (status) => {
      const serving = [spec('resolve/1.1', { resolves: 'a' }), spec('analyze/1.1', { analyzes: 'a' })];
      const events = [
        added(spec('a'), ...serving),
        taskEnded('resolve/1.1', status),
        taskEnded('analyze/1.1', status),
        taskEnded('a', 'done'),
      ];
      expect(requiredFailures(given(started(), ...events).state)).toEqual([]);
      expect(verdict(...events)).toMatchObject({ status: 'done' });
    },
  );
});
