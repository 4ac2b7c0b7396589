import { describe, expect, it } from 'vitest';
import type { RunState } from '../../../../../src/core/run/state.ts';
import { criticalPath } from '../../../../../src/dashboard/features/run/graph/critical-path.ts';
import { layoutGraph, NODE_HEIGHT } from '../../../../../src/dashboard/features/run/graph/graph-layout.ts';
import { graphModel } from '../../../../../src/dashboard/features/run/graph/graph-model.ts';
import { waitingReason } from '../../../../../src/dashboard/features/run/waiting-reason.ts';
import {
  added,
  attemptEnded,
  attempted,
  given,
  landed,
  landing,
  spec,
  started,
  T0,
  taskEnded,
} from '../../../../support/given.ts';

describe('the critical path', () => {
  it('is the chain of needs that takes longest: measured where tasks are done, assumed where they are not', () => {
    const story = given(
      started(),
      added(spec('a'), spec('b'), spec('c', { needs: ['a'] }), spec('d', { needs: ['b'] })),
    )
      .and(attempted('a'), attempted('b'))
      .at(T0 + 1_000)
      .and(attemptEnded('a'), landing('a'), landed('a'))
      .at(T0 + 90_000)
      .and(attemptEnded('b'), landing('b'), landed('b'));
    expect([...criticalPath(story.state, T0 + 90_000)].sort()).toEqual(['b', 'd']);
  });

  it('continues with the tasks that follow from others, as a review does', () => {
    const story = given(started(), added(spec('plan')), attempted('plan'))
      .at(T0 + 1_000)
      .and(attemptEnded('plan'), taskEnded('plan', 'done'), added(spec('write')), attempted('write'))
      .at(T0 + 5_000)
      .and(attemptEnded('write'), landing('write'), landed('write'));
    const review = story.and(added(spec('review'))).state;
    expect([...criticalPath(review, T0 + 5_000)].sort()).toEqual(['plan', 'review', 'write']);
  });

  it('is empty where no task needs another', () => {
    expect([...criticalPath(given(started(), added(spec('a'), spec('b'))).state, T0)]).toEqual([]);
  });
});

function reasonOf(state: RunState, key: string) {
  const task = state.tasks[key];
  return task === undefined ? undefined : waitingReason(state, task, T0);
}

describe('a node of the graph', () => {
  it('says what it waits for', () => {
    const { state } = given(started(), added(spec('a', { title: 'First' }), spec('b', { needs: ['a'] })));
    expect(['a', 'b'].map((key) => reasonOf(state, key))).toEqual(['waits to start', 'waits for First']);
  });

  it('waits for a free agent only while as many run as may', () => {
    const story = given(started(), added(spec('a'), spec('b')), { type: 'run.limited', data: { agents: 1 } });
    expect(reasonOf(story.and(attempted('a')).state, 'b')).toBe('waits for a free agent');
  });

  it('is paused only with its own track or the whole run', () => {
    const story = given(started(), added(spec('a', { track: 'north' }), spec('b', { track: 'south' })));
    const { state } = story.and({ type: 'run.paused', data: { track: 'north', reason: 'later' } });
    expect(['a', 'b'].map((key) => reasonOf(state, key))).toEqual(['paused', 'waits to start']);
  });

  it('waits for its scheduled time', () => {
    const { state } = given(started(), added(spec('a', { notBefore: T0 + 60_000 })));
    expect(reasonOf(state, 'a')).toBe('waits for its scheduled time');
  });

  it('stays legible: a layer of sixty tasks wraps into columns', () => {
    const leaves = Array.from({ length: 60 }, (_, index) => spec(`leaf/${index}`, { needs: ['root'] }));
    const { state } = given(started(), added(spec('root'), ...leaves));
    const positions = [...layoutGraph(graphModel(state, { by: 'none', expanded: new Set() })).values()];
    expect(Math.max(...positions.map(({ y }) => y))).toBeLessThan(16 * (NODE_HEIGHT + 14));
    expect(new Set(positions.map(({ x }) => x)).size).toBeGreaterThan(4);
  });
});
