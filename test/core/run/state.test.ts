import { describe, expect, it } from 'vitest';
import { isOpen, lastAttempt, OPEN_STATUSES, openTasks, proofKey } from '../../../src/core/run/state.ts';
import { added, attempted, evidence, given, spec, started, taskEnded } from '../../support/given.ts';

describe('a task', () => {
  it('is open until it is done, failed, skipped or cancelled', () => {
    const { state } = given(started(), added(spec('a')));
    expect(Object.keys(state.counts).filter((status) => !OPEN_STATUSES.some((open) => open === status))).toEqual([
      'done',
      'failed',
      'skipped',
      'cancelled',
    ]);
    expect(state.tasks.a && isOpen(state.tasks.a)).toBe(true);
  });

  it('is counted among the open ones until its end', () => {
    const story = given(started(), added(spec('a'), spec('b')));
    expect(openTasks(story.state)).toBe(2);
    expect(openTasks(story.and(taskEnded('a', 'skipped')).state)).toBe(1);
  });

  it('has its latest attempt as the last', () => {
    const { state } = given(started(), added(spec('a')), attempted('a'));
    expect(state.tasks.a && lastAttempt(state.tasks.a)?.number).toBe(1);
  });
});

describe('a proof', () => {
  it('is of one tree and one definition of a gate', () => {
    const proof = proofKey(evidence('test', 'pass', 'tree'));
    expect(proofKey(evidence('test', 'pass', 'tree'))).toBe(proof);
    expect(proofKey(evidence('test', 'pass', 'other'))).not.toBe(proof);
    expect(proofKey(evidence('lint', 'pass', 'tree'))).not.toBe(proof);
  });
});
