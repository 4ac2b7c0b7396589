import { describe, expect, it } from 'vitest';
import type { RunState, TaskState } from '../../../src/core/run/state.ts';
import { todo } from '../../../src/recipes/todo/todo.ts';
import { TodoRequest } from '../../../src/schema/request.ts';
import { given, started } from '../../support/given.ts';

const TEXT = '- [ ] Say hello\n- [x] Say goodbye';
const ENTRIES = [
  { line: 1, text: 'Say hello', done: false },
  { line: 2, text: 'Say goodbye', done: true },
];
const OUTPUT = {
  tasks: [
    { id: '../hello', title: 'Say hello', description: 'Do it', files: ['hello.txt'], check: 'true' },
    { id: 'bye', title: 'Say bye', description: 'Do it', needs: ['../hello'] },
  ],
};

function requestOf(more = {}): TodoRequest {
  return TodoRequest.parse({ file: 'todo.md', text: TEXT, entries: ENTRIES, ...more });
}

/** The run after its planner handed this over. */
function planned(output: unknown, input: TodoRequest): { state: RunState; ended: TaskState } {
  const story = given(started({ recipe: { name: 'todo', version: 1 }, input }));
  const [spec] = todo.unfold(story.state, input, undefined).add;
  if (spec === undefined) throw new Error('nothing was planned');
  const { state } = story.and({ type: 'tasks.added', data: { specs: [spec] } });
  const task = state.tasks[spec.key];
  if (task === undefined) throw new Error('the task is missing');
  const end = { at: 0, summary: '', output, failure: null, saved: null, flags: [] };
  const attempt = { number: 1, agent: 'one', account: null, tier: null, because: '', base: '', startedAt: 0 };
  const rest = { process: null, usage: { kind: 'none' as const }, session: null, warnings: [] };
  const reservation = { costUsd: 0, tokens: 0, turns: 0, ms: 0 };
  task.attempts.push({ ...attempt, ...rest, reservation, ended: end });
  task.phase = { status: 'done', at: 0, commit: null, reason: '' };
  return { state, ended: task };
}

describe('a to-do list', () => {
  it('becomes one reading task that is told what is done already', () => {
    const [spec] = todo.unfold(given(started()).state, requestOf(), undefined).add;
    expect(spec).toMatchObject({ key: 'plan/1', role: 'tasks', access: 'read' });
    expect(spec?.prompt).toContain('ticked off are done');
    expect(spec?.prompt).toContain(TEXT);
    const [goal] = todo.unfold(given(started()).state, requestOf({ text: 'A goal', entries: [] }), undefined).add;
    expect(goal?.prompt).toBe('A goal');
  });

  it('ends with the list, unless it is to be carried out at once', () => {
    const { state, ended } = planned(OUTPUT, requestOf());
    expect(todo.unfold(state, requestOf(), ended).add).toEqual([]);
  });

  it('is carried out in the order of needs, without checks that nobody has read', () => {
    const input = requestOf({ execute: true });
    const { state, ended } = planned(OUTPUT, input);
    const { add } = todo.unfold(state, input, ended);
    expect(add.map(({ key, name, role, needs }) => ({ key, name, role, needs }))).toEqual([
      { key: 'task/1', name: 'hello', role: 'implement', needs: [] },
      { key: 'task/2', name: 'bye', role: 'implement', needs: ['task/1'] },
    ]);
    expect(add.flatMap(({ gates }) => gates).some(({ gate }) => gate === 'command')).toBe(false);
    expect(todo.unfold(state, input, ended).add).toEqual(add);
  });

  it.each([
    [
      'two tasks of one name',
      { tasks: [OUTPUT.tasks[1], { ...OUTPUT.tasks[1], needs: [] }] },
      /two tasks have the id "bye"/,
    ],
    ['a need that is not there', { tasks: [OUTPUT.tasks[1]] }, /needs "..\/hello", which is not in the plan/],
    ['a cycle', { tasks: [{ ...OUTPUT.tasks[0], needs: ['bye'] }, OUTPUT.tasks[1]] }, /have a cycle/],
    ['nothing', { tasks: [] }, /at least one task/],
    ['too long a text', { tasks: [{ ...OUTPUT.tasks[0], description: 'x'.repeat(200_001) }] }, /at most 200,000/],
  ])('is refused with the reason when the answer holds %s', (_, output, reason) => {
    const { ended } = planned(OUTPUT, requestOf());
    expect(todo.accept?.(ended, output)).toMatch(reason);
    expect(todo.accept?.(ended, OUTPUT)).toBeUndefined();
  });
});
