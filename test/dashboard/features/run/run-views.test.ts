import { describe, expect, it } from 'vitest';
import { evolve } from '../../../../src/core/run/evolve.ts';
import type { RunState } from '../../../../src/core/run/state.ts';
import { taskCosts } from '../../../../src/dashboard/features/run/cost/task-costs.ts';
import { connectedParts, layoutGraph } from '../../../../src/dashboard/features/run/graph/graph-layout.ts';
import { defaultGrouping, findTask, graphModel } from '../../../../src/dashboard/features/run/graph/graph-model.ts';
import {
  displayStateCounts,
  planRows,
  retryEffect,
  staleTasks,
} from '../../../../src/dashboard/features/run/tasks/task-plan.ts';
import { timelineRows } from '../../../../src/dashboard/features/run/timeline/timeline-rows.ts';
import { bigRunHistory } from '../../../support/big-run.ts';
import {
  added,
  attemptEnded,
  attempted,
  failure,
  given,
  landed,
  spec,
  started,
  taskEnded,
  used,
  worked,
} from '../../../support/given.ts';

const NONE = new Set<string>();
const chain = [spec('a'), spec('b', { needs: ['a'] }), spec('c', { needs: ['b'] }), spec('d')];
const done = given(started(), added(...chain), ...worked('a'), landed('a'), ...worked('b'), landed('b'));

describe('the plan', () => {
  it('is indented by dependency depth', () => {
    const rows = planRows(done.state, { displayState: null, text: '' });
    expect(rows.map((row) => (row.kind === 'task' ? [row.key, row.depth] : []))).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 2],
      ['d', 0],
    ]);
  });

  it('is filtered by state and text', () => {
    const keys = (filter: Parameters<typeof planRows>[1]) =>
      planRows(done.state, filter).flatMap((row) => (row.kind === 'task' ? [row.key] : []));
    expect(keys({ displayState: 'done', text: '' })).toEqual(['a', 'b']);
    expect(keys({ displayState: null, text: 'D' })).toEqual(['d']);
    expect(keys({ displayState: 'done', text: 'd' })).toEqual([]);
  });

  it('counts tasks by display state', () => {
    expect([...displayStateCounts(done.state)]).toEqual([
      ['done', 2],
      ['queued', 2],
    ]);
  });
});

describe('retrying a task', () => {
  it('makes a done task and its dependents stale', () => {
    expect(retryEffect(done.state, 'a')).toEqual({ kind: 'makes-stale', tasks: ['a', 'b', 'c'] });
  });

  it('reopens a failed task with the tasks skipped because of it', () => {
    const lost = given(started(), added(...chain), taskEnded('a', 'failed'), taskEnded('b', 'skipped'));
    expect(retryEffect(lost.state, 'a')).toEqual({ kind: 'reopens', tasks: ['a', 'b'] });
  });

  it('is not available while it is running', () => {
    expect(retryEffect(done.and(attempted('c')).state, 'c')).toBeNull();
    expect(retryEffect(done.state, 'ghost')).toBeNull();
  });

  it('shows invalidated tasks and their dependents as stale', () => {
    const story = done.and({ type: 'tasks.invalidated', data: { tasks: ['b'], reason: 'asked for' } });
    expect([...staleTasks(story.state)]).toEqual(['b', 'c']);
  });
});

describe('the cost of tasks', () => {
  it('counts every attempt, most expensive task first, and marks reserved amounts', () => {
    const story = given(
      started(),
      added(spec('a'), spec('b'), spec('c')),
      attempted('a'),
      attemptEnded('a', 1, { usage: used(0.5), failure: failure('tests') }),
      attempted('a', 2),
      attemptEnded('a', 2, { usage: used(0.25) }),
      attempted('b', 1, { reservation: { costUsd: 2, tokens: 0, turns: 0 } }),
      attemptEnded('b', 1, { usage: { kind: 'unknown' } }),
    );
    expect(taskCosts(story.state).map(({ key, cost }) => [key, cost.costUsd, cost.bound])).toEqual([
      ['b', 2, 'at-most'],
      ['a', 0.75, 'exact'],
    ]);
  });
});

describe('the graph', () => {
  it('has a node for each task of a small run, with edges for needs and served tasks', () => {
    const story = given(started(), added(...chain, spec('resolve/1', { resolves: 'd' })));
    const { nodes, edges } = graphModel(story.state, { by: defaultGrouping(story.state), expanded: NONE });
    expect(nodes.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd', 'resolve/1']);
    expect(edges.map(({ from, to, serves }) => [from, to, serves])).toEqual([
      ['a', 'b', false],
      ['b', 'c', false],
      ['d', 'resolve/1', true],
    ]);
  });

  it('groups a large run, joins edges between clusters, and expands clusters', () => {
    const state = fold(500);
    expect(defaultGrouping(state)).toBe('role');
    const folded = graphModel(state, { by: 'role', expanded: NONE });
    expect(folded.nodes.map(({ id }) => id)).toEqual(['cluster implement', 'cluster review']);
    expect(folded.edges).toEqual([
      { id: 'cluster implement>cluster review', from: 'cluster implement', to: 'cluster review', serves: false },
    ]);
    const open = graphModel(state, { by: 'role', expanded: new Set(['cluster review']) });
    expect(open.nodes).toHaveLength(101);
    expect(open.edges).toHaveLength(100);
  });

  it('finds a task by text, then the next match', () => {
    const state = fold(40);
    expect(findTask(state, 'TASK 1', null)).toBe('implement/1');
    expect(findTask(state, 'task 1', 'implement/1')).toBe('implement/10');
    expect(findTask(state, 'no such', null)).toBeUndefined();
  });

  it('finds connected components', () => {
    const { nodes, edges } = graphModel(given(started(), added(...chain)).state, { by: 'none', expanded: NONE });
    expect(
      connectedParts(
        nodes.map(({ id }) => id),
        edges,
      ).map(({ ids }) => ids),
    ).toEqual([['a', 'b', 'c'], ['d']]);
  });

  it.each([40, 300, 2_000])('gives %i tasks positions that do not overlap, with needs on the left', (size) => {
    const state = fold(size);
    const model = graphModel(state, { by: 'none', expanded: NONE });
    const positions = layoutGraph(model);
    expect(new Set([...positions.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(size);
    expect(model.edges.every(({ from, to }) => (positions.get(from)?.x ?? 0) < (positions.get(to)?.x ?? 0))).toBe(true);
  });

  it('lays out clusters with cyclic dependencies', () => {
    const specs = [
      spec('a', { role: 'x' }),
      spec('b', { role: 'y', needs: ['a'] }),
      spec('c', { role: 'x', needs: ['b'] }),
    ];
    const { state } = given(started(), added(...specs, spec('d', { role: 'y' })));
    expect(layoutGraph(graphModel(state, { by: 'role', expanded: NONE })).size).toBe(2);
  });
});

describe('with 10,000 tasks', () => {
  it('computes every list in less than a second', () => {
    const state = fold(10_000);
    const makers = {
      timeline: () => timelineRows(state, NONE),
      plan: () => planRows(state, { displayState: null, text: '' }),
      filtered: () => planRows(state, { displayState: 'failed', text: 'task 2' }),
      graph: () => graphModel(state, { by: 'role', expanded: NONE }),
      cost: () => taskCosts(state),
    };
    const slow = Object.entries(makers).flatMap(([name, make]) => {
      make();
      const before = performance.now();
      make();
      const took = performance.now() - before;
      return took < 1_000 ? [] : [`${name} took ${Math.round(took)} ms`];
    });
    expect(slow).toEqual([]);
  });
});

function fold(tasks: number): RunState {
  let state: RunState | undefined;
  for (const { at, events } of bigRunHistory({ run: 'bgrn0001', tasks, root: '/project' }, 1_000_000)) {
    for (const event of events) state = evolve(state, { event, at });
  }
  if (state === undefined) throw new Error('A history begins with its start');
  return state;
}
