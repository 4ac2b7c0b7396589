import { describe, expect, it } from 'vitest';
import { verdictOf } from '../../../src/core/finish/verdict.ts';
import { approve } from '../../../src/core/run/answer-hold.ts';
import { holdRun } from '../../../src/core/run/decide-run.ts';
import { type EditedPlan, editPlan, plannedTasks, prioritize, prioritizeRun } from '../../../src/core/run/edit-plan.ts';
import type { RunState } from '../../../src/core/run/state.ts';
import { inOrder } from '../../../src/core/schedule/queue.ts';
import { added, attempted, given, landed, spec, started, statuses, taskEnded, worked } from '../../support/given.ts';

const holding = (state: RunState) => holdRun(state, { what: 'plan', reason: 'look', files: [] });
const planned = given(
  started(),
  added(spec('plan/1')),
  taskEnded('plan/1', 'done'),
  added(spec('a'), spec('b'), spec('c', { needs: ['a', 'b'] })),
).when(holding);
const keep = (task: string, edit: object = {}): EditedPlan[number] => ({ kind: 'keep', task, edit });
const keys = (state: RunState) => plannedTasks(state).map(({ spec: { key } }) => key);

describe('a plan that waits for approval', () => {
  it('is changed in one step: edited, shortened, extended and reordered', () => {
    const edited: EditedPlan = [
      keep('c', { title: 'C first', prompt: 'Do it well', needs: ['d'] }),
      { kind: 'add', spec: spec('d') },
      keep('a', { priority: 3 }),
    ];
    const { state } = planned.when((before) => editPlan(before, edited));
    expect(keys(state)).toEqual(['c', 'd', 'a']);
    expect(state.tasks.c?.spec).toMatchObject({ title: 'C first', prompt: 'Do it well', needs: ['d'] });
    expect(statuses(state)).toEqual({ 'plan/1': 'done', a: 'ready', b: 'cancelled', c: 'waiting', d: 'ready' });
    expect(state.tasks.a?.spec.priority).toBe(3);
  });

  it('drops the needs of a task that is removed', () => {
    const { state } = planned.when((before) => editPlan(before, [keep('a'), keep('c')]));
    expect(state.tasks.c?.spec.needs).toEqual(['a']);
    expect(statuses(state)).toMatchObject({ b: 'cancelled', c: 'waiting' });
  });

  it('starts its tasks in the order that a person set', () => {
    const { state } = planned.when((before) => editPlan(before, [keep('b'), keep('a'), keep('c')]));
    expect([...inOrder(state.ready)]).toEqual(['b', 'a']);
  });

  it('records nothing when nothing changes', () => {
    expect(editPlan(planned.state, [keep('a', { title: 'a' }), keep('b'), keep('c')])).toEqual([]);
  });

  it.each<[string, EditedPlan, string]>([
    ['a cycle', [keep('a', { needs: ['c'] }), keep('b'), keep('c')], 'has a cycle'],
    ['an unknown need', [keep('a', { needs: ['x'] }), keep('b'), keep('c')], 'needs x, which is not in the plan'],
    ['an unknown task', [keep('x')], 'has no task x'],
    ['a task twice', [keep('a'), keep('a')], 'contains a twice'],
    ['a task that has ended', [keep('plan/1')], 'has started'],
    ['nothing at all', [], 'at least one task'],
  ])('refuses %s', (_, edited, message) => {
    expect(() => editPlan(planned.state, edited)).toThrow(message);
  });

  it('cannot be changed once it is approved', () => {
    const { state } = planned.when((before) => approve(before, {}));
    expect(() => editPlan(state, [keep('a')])).toThrow('no plan that waits for approval');
  });

  it('ends well without the tasks that were removed', () => {
    const edited = planned
      .when((before) => editPlan(before, [keep('a'), keep('c')]))
      .when((before) => approve(before, {}));
    const { state } = edited.and(...worked('a'), landed('a'), ...worked('c'), landed('c'));
    expect(verdictOf(state).status).toBe('unverified');
  });
});

describe('the priority of a queued task', () => {
  it('decides which of two ready tasks starts first', () => {
    const { state } = given(started(), added(spec('a'), spec('b'))).when((before) =>
      prioritize(before, { task: 'b', priority: 5 }),
    );
    expect([...inOrder(state.ready)]).toEqual(['b', 'a']);
  });

  it('is not changed for work that runs or has ended', () => {
    const story = given(started(), added(spec('a')), ...worked('a'));
    expect(() => prioritize(story.state, { task: 'a', priority: 5 })).toThrow('only queued tasks');
  });
});

describe('the priority of a run', () => {
  it('is that of its queued tasks; what runs or has ended keeps its own', () => {
    const { state } = given(started(), added(spec('a'), spec('b'), spec('c', { priority: 3 })), attempted('a'));
    expect(prioritizeRun(state, 3)).toEqual([{ type: 'task.prioritized', data: { task: 'b', priority: 3 } }]);
    const busy = given(started(), added(spec('a')), attempted('a')).state;
    expect(() => prioritizeRun(busy, 3)).toThrow('no queued task');
  });
});
