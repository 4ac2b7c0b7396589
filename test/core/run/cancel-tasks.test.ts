import { expect, it } from 'vitest';
import { endAttempt } from '../../../src/core/attempt/decide-attempt.ts';
import { verdictOf } from '../../../src/core/finish/verdict.ts';
import { cancelTasks } from '../../../src/core/run/cancel-tasks.ts';
import { added, given, landed, spec, started, statuses, T0, worked } from '../../support/given.ts';

it('withdraws a task and skips what needs it, while the run continues', () => {
  const story = given(started(), added(spec('a'), spec('b'), spec('c', { needs: ['b'] })));
  const { state } = story.when((before) => cancelTasks(before, { tasks: ['b'], reason: 'not needed' }));
  expect(statuses(state)).toEqual({ a: 'ready', b: 'cancelled', c: 'skipped' });
  expect(state.status).toEqual({ kind: 'running' });
});

it('ends a running task with its attempt, whatever the result', () => {
  const running = given(started(), added(spec('a'), spec('b'))).and({
    type: 'attempt.started',
    data: {
      task: 'a',
      attempt: 1,
      agent: 'one',
      because: 'x',
      base: 'base',
      reservation: { costUsd: 0, tokens: 0, turns: 0 },
    },
  });
  const cancelled = running.when((before) => cancelTasks(before, { tasks: ['a'], reason: 'not needed' }));
  expect(cancelled.state.tasks.a).toMatchObject({ interrupt: 'cancel', phase: { status: 'running' } });
  const { state } = cancelled.when((before) =>
    endAttempt(before, { task: 'a', attempt: 1, usage: { kind: 'none' }, summary: 'stopped', now: T0 }),
  );
  expect(state.tasks.a?.phase).toMatchObject({ status: 'cancelled', reason: 'not needed' });
});

it('does not fail or cancel the run: what is left decides', () => {
  const story = given(started(), added(spec('a'), spec('b')))
    .when((before) => cancelTasks(before, { tasks: ['b'], reason: 'not needed' }))
    .and(...worked('a'), landed('a'));
  expect(verdictOf(story.state).status).toBe('unverified');
});

it('does not change tasks that have ended or are landing', () => {
  const story = given(started(), added(spec('a'), spec('b')), ...worked('a'), landed('a'), ...worked('b'));
  expect(cancelTasks(story.state, { tasks: ['a', 'b'], reason: 'late' })).toEqual([]);
});
