import { describe, expect, it } from 'vitest';
import { criticalPath, waitingReason } from '../../../src/dashboard/features/run/graph/critical-path.ts';
import { layoutGraph, NODE_HEIGHT } from '../../../src/dashboard/features/run/graph/graph-layout.ts';
import { graphModel } from '../../../src/dashboard/features/run/graph/graph-model.ts';
import { added, attemptEnded, attempted, given, landed, landing, spec, started, T0 } from '../../support/given.ts';

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

  it('is empty where no task needs another', () => {
    expect([...criticalPath(given(started(), added(spec('a'), spec('b'))).state, T0)]).toEqual([]);
  });
});

describe('a node of the graph', () => {
  it('says what it waits for', () => {
    const { state } = given(started(), added(spec('a', { title: 'First' }), spec('b', { needs: ['a'] })));
    const reasons = ['a', 'b'].map((key) => {
      const task = state.tasks[key];
      return task === undefined ? '' : waitingReason(state, task);
    });
    expect(reasons).toEqual(['waits for a free agent', 'waits for First']);
  });

  it('stays legible: a layer of sixty tasks wraps into columns', () => {
    const leaves = Array.from({ length: 60 }, (_, index) => spec(`leaf/${index}`, { needs: ['root'] }));
    const { state } = given(started(), added(spec('root'), ...leaves));
    const positions = [...layoutGraph(graphModel(state, { by: 'none', expanded: new Set() })).values()];
    expect(Math.max(...positions.map(({ y }) => y))).toBeLessThan(16 * (NODE_HEIGHT + 14));
    expect(new Set(positions.map(({ x }) => x)).size).toBeGreaterThan(4);
  });
});
