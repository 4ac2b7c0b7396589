import { describe, expect, it } from 'vitest';
import { endFailed } from '../../../src/core/run/end-tasks.ts';
import type { RunState } from '../../../src/core/run/state.ts';
import { added, failure, given, landed, spec, started, statuses, worked } from '../../support/given.ts';

const failing = (key: string) => (state: RunState) => {
  const task = state.tasks[key];
  return task === undefined ? [] : endFailed(state, task, { reason: 'it broke', failure: failure('implementation') });
};

describe('a failed task', () => {
  it('skips all direct and indirect dependents, each only once', () => {
    const diamond = [
      spec('a'),
      spec('b', { needs: ['a'] }),
      spec('c', { needs: ['a'] }),
      spec('d', { needs: ['b', 'c'] }),
      spec('e'),
    ];
    const story = given(started(), added(...diamond)).when(failing('a'));
    expect(statuses(story.state)).toEqual({ a: 'failed', b: 'skipped', c: 'skipped', d: 'skipped', e: 'ready' });
    expect(story.events).toHaveLength(4);
  });

  it('names for each skipped task the need that was not done', () => {
    const story = given(started(), added(spec('a'), spec('b', { needs: ['a'] }), spec('c', { needs: ['b'] }))).when(
      failing('a'),
    );
    expect(story.state.tasks.c?.phase).toMatchObject({ reason: 'it needs b, which was not done' });
  });

  it('leaves alone what has ended before', () => {
    const story = given(started(), added(spec('a'), spec('b')), ...worked('b'), landed('b')).when(failing('a'));
    expect(statuses(story.state)).toEqual({ a: 'failed', b: 'done' });
  });

  it('fails the task whose conflict it was to resolve, and what needs that', () => {
    const story = given(
      started(),
      added(spec('a'), spec('b', { needs: ['a'] })),
      ...worked('a'),
      added(spec('resolve/1.1', { resolves: 'a' })),
      { type: 'task.conflicted', data: { task: 'a', onto: 'tip', files: ['x'], resolver: 'resolve/1.1' } },
    ).when(failing('resolve/1.1'));
    expect(statuses(story.state)).toEqual({ a: 'failed', b: 'skipped', 'resolve/1.1': 'failed' });
    expect(story.state.tasks.a?.phase).toMatchObject({ failure: { kind: 'conflict' } });
  });
});
