import { describe, expect, it } from 'vitest';
import { cancelRun, endRun, holdRun, limitRun, retryTasks } from '../../../src/core/run/decide-run.ts';
import type { RunState } from '../../../src/core/run/state.ts';
import {
  added,
  attempted,
  blocked,
  given,
  landed,
  spec,
  started,
  statuses,
  T0,
  taskEnded,
  worked,
} from '../../support/given.ts';

const PLAN = { what: 'plan' as const, reason: 'look at the plan', files: [] };
const chain = given(started(), added(spec('a'), spec('b', { needs: ['a'] }), spec('c', { needs: ['b'] })));
const holding = (state: RunState) => holdRun(state, PLAN);
const cancelling = (state: RunState) => cancelRun(state, 'enough');
const retrying = (task?: string) => (state: RunState) =>
  retryTasks(state, { reason: 'again', ...(task === undefined ? {} : { task }) });
const conflict = [
  added(spec('resolve/1.1', { resolves: 'a' })),
  { type: 'task.conflicted' as const, data: { task: 'a', onto: 'tip', files: ['x'], resolver: 'resolve/1.1' } },
];

describe('cancelling', () => {
  it('ends tasks that are not running at once, and lets running ones end', () => {
    const story = given(
      started(),
      added(spec('a'), spec('b'), spec('c', { needs: ['a'] }), spec('d'), spec('e')),
      ...worked('a'),
      ...conflict,
    )
      .and(attempted('b'), attempted('d'), blocked('d'), ...worked('e'))
      .when(cancelling);
    expect(statuses(story.state)).toEqual({
      a: 'cancelled',
      b: 'running',
      c: 'cancelled',
      d: 'cancelled',
      e: 'cancelled',
      'resolve/1.1': 'cancelled',
    });
  });

  it('does not bring a task back whose analysis is cancelled with it', () => {
    const analysing = given(
      started(),
      added(spec('a')),
      attempted('a'),
      added(spec('analyze/1.1', { analyzes: 'a', access: 'read' })),
      {
        type: 'task.retrying',
        data: { task: 'a', at: T0, counted: true, resume: false, evidence: '', analysis: 'analyze/1.1' },
      },
    );
    expect(statuses(analysing.when(cancelling).state)).toEqual({ a: 'cancelled', 'analyze/1.1': 'cancelled' });
    expect(statuses(analysing.and(attempted('analyze/1.1')).when(cancelling).state)).toEqual({
      a: 'cancelled',
      'analyze/1.1': 'running',
    });
  });

  it('is recorded once', () => {
    expect(cancelRun(chain.when(cancelling).state, 'again')).toEqual([]);
  });
});

describe('trying again', () => {
  const failed = chain.and(taskEnded('a', 'failed'), taskEnded('b', 'skipped'), taskEnded('c', 'skipped'));

  it('opens the failed task and all that was skipped because of it', () => {
    expect(statuses(failed.when(retrying('a')).state)).toEqual({ a: 'ready', b: 'waiting', c: 'waiting' });
    expect(statuses(failed.when(retrying()).state)).toEqual({ a: 'ready', b: 'waiting', c: 'waiting' });
  });

  it('of a skipped task opens what it needs, so that it does not wait for ever', () => {
    expect(statuses(failed.when(retrying('c')).state)).toEqual({ a: 'ready', b: 'waiting', c: 'waiting' });
  });

  it('leaves skipped what would wait for another task that stays failed', () => {
    const two = given(started(), added(spec('a'), spec('b'), spec('c', { needs: ['a', 'b'] }))).and(
      taskEnded('a', 'failed'),
      taskEnded('b', 'failed'),
      taskEnded('c', 'skipped'),
    );
    expect(statuses(two.when(retrying('a')).state)).toEqual({ a: 'ready', b: 'failed', c: 'skipped' });
    expect(statuses(two.when(retrying('a')).when(retrying('b')).state)).toEqual({
      a: 'ready',
      b: 'ready',
      c: 'waiting',
    });
  });

  it('restarts a blocked task with reset caps', () => {
    const story = chain
      .and(attempted('a'), {
        type: 'task.retrying',
        data: { task: 'a', at: T0, counted: true, resume: false, evidence: 'red' },
      })
      .and(attempted('a', 2), blocked('a'))
      .when(retrying());
    expect(story.state.tasks.a).toMatchObject({ counted: 0, lesson: 'red', phase: { status: 'ready' } });
  });

  it('reopens a run that has ended', () => {
    const ended = failed.when((state) => endRun(state, { status: 'failed', reason: 'a failed' })).when(retrying());
    expect(ended.state.status).toEqual({ kind: 'running' });
  });

  it('reopens a blocked resolver, for only it can settle the conflict', () => {
    const stuck = given(
      started(),
      added(spec('a')),
      ...worked('a'),
      ...conflict,
      attempted('resolve/1.1'),
      blocked('resolve/1.1'),
    );
    expect(statuses(stuck.when(retrying()).state)).toEqual({ a: 'conflicted', 'resolve/1.1': 'ready' });
    expect(statuses(stuck.when(retrying('resolve/1.1')).state)).toEqual({ a: 'conflicted', 'resolve/1.1': 'ready' });
  });

  it('of an ended resolver is a new start of the task that it served', () => {
    const lost = given(
      started(),
      added(spec('a')),
      ...worked('a'),
      ...conflict,
      taskEnded('resolve/1.1', 'failed'),
      taskEnded('a', 'failed'),
    );
    expect(statuses(lost.when(retrying('resolve/1.1')).state)).toEqual({ a: 'ready', 'resolve/1.1': 'failed' });
    expect(statuses(lost.when(retrying()).state)).toEqual({ a: 'ready', 'resolve/1.1': 'failed' });
  });

  it('does not approve what waits for approval', () => {
    const held = chain.and(attempted('a'), blocked('a')).when(holding).when(retrying());
    expect(held.state.status.kind).toBe('held');
    expect(statuses(held.state)).toMatchObject({ a: 'ready' });
  });

  it('of a done task leaves what another failed task blocks', () => {
    const both = given(started(), added(spec('a'), spec('b'), spec('c', { needs: ['a', 'b'] })))
      .and(...worked('a'), landed('a'))
      .and(taskEnded('b', 'failed'), taskEnded('c', 'skipped'));
    expect(statuses(both.when(retrying('a')).state)).toEqual({ a: 'ready', b: 'failed', c: 'skipped' });
  });

  it('continues a run that ended before it had tasks', () => {
    const ended = given(started())
      .when(cancelling)
      .when((state) => endRun(state, { status: 'cancelled', reason: 'enough' }));
    expect(ended.when(retrying()).state.status).toEqual({ kind: 'running' });
  });

  it('is refused when there is nothing to try, and while the run is being cancelled', () => {
    expect(() => retryTasks(chain.state, { reason: 'again' })).toThrow('no task to retry');
    expect(() => retryTasks(chain.state, { task: 'a', reason: 'again' })).toThrow('a is ready; only failed');
    expect(() => retryTasks(failed.when(cancelling).state, { reason: 'again' })).toThrow('being cancelled');
  });
});

describe('ending the run', () => {
  it('is refused while a task is open', () => {
    expect(() => endRun(chain.state, { status: 'done', reason: '' })).toThrow('still has an open task: a');
  });

  it('records how it ended and what it cost, and nothing can change after it', () => {
    const ended = given(started(), added(spec('a')), ...worked('a'), landed('a')).when((state) =>
      endRun(state, { status: 'done', reason: 'all done' }),
    );
    expect(ended.state.status).toEqual({ kind: 'ended', status: 'done', reason: 'all done', at: T0 });
    expect(() => cancelRun(ended.state, 'too late')).toThrow('has ended (done)');
    expect(() => holdRun(ended.state, PLAN)).toThrow('has ended');
  });
});

describe('limiting a run', () => {
  it('changes the maximum number of concurrent attempts, and records no change twice', () => {
    const limited = given(started(), added(spec('a'))).when((state) => limitRun(state, 3));
    expect([limited.state.maxParallel, limited.events]).toEqual([3, [{ type: 'run.limited', data: { agents: 3 } }]]);
    expect(limited.when((state) => limitRun(state, 3)).events).toEqual([]);
  });

  it('limits an ended run too, so that a retry of it uses less memory', () => {
    const ended = given(started(), added(spec('a'))).and(attempted('a'), taskEnded('a', 'failed'), {
      type: 'run.ended',
      data: { status: 'failed', reason: 'no', spend: { costUsd: 0, tokens: 0, turns: 0 } },
    });
    expect(ended.when((state) => limitRun(state, 1)).state.maxParallel).toBe(1);
  });
});
