import { describe, expect, it } from 'vitest';
import { retryTasks } from '../../../src/core/run/decide-run.ts';
import { canReopen, tasksToReopen } from '../../../src/core/run/reopening.ts';
import { added, attempted, blocked, given, spec, started, taskEnded } from '../../support/given.ts';

const chain = [spec('a'), spec('b', { needs: ['a'] }), spec('c', { needs: ['b'] }), spec('d')];
const lost = given(
  started(),
  added(...chain),
  taskEnded('a', 'failed'),
  taskEnded('b', 'skipped'),
  taskEnded('c', 'skipped'),
);

describe('tasks that can be retried', () => {
  it('is what failed, was skipped, cancelled or is blocked', () => {
    const story = lost.and(attempted('d'), blocked('d'), added(spec('e')), taskEnded('e', 'cancelled'));
    expect(story.state.order.filter((key) => canReopen(story.state, key))).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('is no task that is done, still open, or missing', () => {
    const story = given(started(), added(spec('a'), spec('b')), taskEnded('a', 'done'));
    expect(['a', 'b', 'ghost'].filter((key) => canReopen(story.state, key))).toEqual([]);
  });

  it('is a resolver or analysis only while it is blocked', () => {
    const story = given(
      started(),
      added(spec('a'), spec('resolve/1.1', { resolves: 'a' }), spec('analyze/1.1', { analyzes: 'a' })),
    );
    const stuck = story.and(attempted('resolve/1.1'), blocked('resolve/1.1'), taskEnded('analyze/1.1', 'failed'));
    expect(stuck.state.order.filter((key) => canReopen(stuck.state, key))).toEqual(['resolve/1.1']);
  });
});

describe('what a done task that is retried opens again', () => {
  it('is everything that was built on it, also what failed or was skipped, but not what a person cancelled', () => {
    const ends = [taskEnded('a', 'done'), taskEnded('b', 'failed'), taskEnded('c', 'skipped')];
    const more = [added(spec('e', { needs: ['a'] })), taskEnded('e', 'cancelled')];
    const story = given(started(), added(...chain), ...ends, ...more);
    const events = retryTasks(story.state, { task: 'a', reason: 'again' });
    expect(events).toMatchObject([{ type: 'tasks.invalidated', data: { tasks: ['a', 'b', 'c'] } }]);
    const { tasks } = story.and(...events).state;
    expect(['a', 'b', 'c', 'e'].map((key) => tasks[key]?.phase.status)).toEqual([
      'ready',
      'waiting',
      'waiting',
      'cancelled',
    ]);
  });
});

describe('what opens again', () => {
  it('goes up to everything needed and down to everything that has hope again', () => {
    expect(tasksToReopen(lost.state, ['b']).toSorted()).toEqual(['a', 'b', 'c']);
    expect(tasksToReopen(lost.state, ['a'])).toEqual(['a', 'b', 'c']);
  });

  it('leaves out what needs another task that stays lost', () => {
    const story = lost.and(
      taskEnded('d', 'failed'),
      added(spec('e', { needs: ['c', 'd'] })),
      taskEnded('e', 'skipped'),
    );
    expect(tasksToReopen(story.state, ['a'])).toEqual(['a', 'b', 'c']);
    expect(tasksToReopen(story.state, ['a', 'd'])).toContain('e');
  });

  it('leaves out what a person cancelled', () => {
    const story = given(
      started(),
      added(spec('a'), spec('b', { needs: ['a'] })),
      taskEnded('a', 'failed'),
      taskEnded('b', 'cancelled'),
    );
    expect(tasksToReopen(story.state, ['a'])).toEqual(['a']);
  });
});
