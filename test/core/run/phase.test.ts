import { describe, expect, it } from 'vitest';
import { enter, finish, makeReady } from '../../../src/core/run/phase.ts';
import type { RunState, TaskPhase, TaskState } from '../../../src/core/run/state.ts';
import { inOrder } from '../../../src/core/schedule/queue.ts';
import { added, given, spec, started, T0 } from '../../support/given.ts';

const PHASES: TaskPhase[] = [
  { status: 'waiting' },
  { status: 'ready', notBefore: 0 },
  { status: 'ready', notBefore: T0 + 5 },
  { status: 'running', attempt: 1 },
  { status: 'analyzing', analysis: 'x' },
  { status: 'landing', commit: 'c', ref: 'r', approved: false, verified: false },
  { status: 'conflicted', resolver: 'x', commit: 'c', onto: 'o', files: [] },
  { status: 'held', hold: { id: 'h1', what: 'guard', reason: '', files: [] }, commit: 'c', ref: 'r' },
  { status: 'blocked', reason: '', nextStep: '', landing: null },
  { status: 'done', at: T0, commit: null, reason: '' },
  { status: 'failed', at: T0, reason: '', failure: null },
  { status: 'skipped', at: T0, reason: '' },
  { status: 'cancelled', at: T0, reason: '' },
];
const MOVES = PHASES.flatMap((from) => PHASES.map((to) => ({ from, to })));

function one(): { state: RunState; task: TaskState } {
  const { state } = given(started(), added(spec('a')));
  const task = state.tasks.a;
  if (task === undefined) throw new Error('the task is missing');
  return { state, task };
}

describe('a task that moves', () => {
  it.each(MOVES)('from $from.status to $to.status is in exactly the indexes of where it is', ({ from, to }) => {
    const { state, task } = one();
    enter(state, task, from);
    enter(state, task, to);
    const counted = Object.entries(state.counts).filter(([, count]) => count !== 0);
    expect(counted).toEqual([[to.status, 1]]);
    expect([...inOrder(state.ready)]).toEqual(to.status === 'ready' && to.notBefore <= T0 ? ['a'] : []);
    expect(state.delayed).toEqual(to.status === 'ready' && to.notBefore > T0 ? { a: to.notBefore } : {});
    expect(state.running).toEqual(to.status === 'running' ? { a: 1 } : {});
    expect(state.landing).toEqual(to.status === 'landing' ? { a: true } : {});
  });

  it('into the queue happens at once unless its start time is later', () => {
    const { state, task } = one();
    makeReady(state, task, T0);
    expect(state.delayed).toEqual({});
    makeReady(state, task, T0 + 1);
    expect(state.delayed).toEqual({ a: T0 + 1 });
  });

  it('to its end makes only waiting tasks ready', () => {
    const { state } = given(started(), added(spec('a'), spec('b', { needs: ['a'] })), {
      type: 'task.ended',
      data: { task: 'b', status: 'cancelled', reason: '' },
    });
    const task = state.tasks.a;
    if (task !== undefined) finish(state, task, { status: 'done', at: T0, commit: null, reason: '' });
    expect(state.tasks.b).toMatchObject({ missing: 0, phase: { status: 'cancelled' } });
  });
});
