import { describe, expect, it } from 'vitest';
import type { RunState } from '../../../src/core/run/state.ts';
import { goal } from '../../../src/recipes/goal/goal.ts';
import type { RunEvent } from '../../../src/schema/event.ts';
import { added, attemptEnded, attempted, given, landed, started, taskEnded, worked } from '../../support/given.ts';

/** A check that was red before any work. */
const RED = {
  gate: 'npm test',
  verdict: 'fail',
  tree: 't',
  definition: 'd',
  setup: 's',
  summary: 'red',
  exitCode: 1,
  durationMs: 1,
  reused: false,
} as const;
const INPUT = { goal: 'Make it better', planOnly: false };
const PLAN = {
  tasks: [
    { id: 'api', title: 'Write the API', description: 'Do it', needs: [] },
    { id: '__proto__', title: 'Write the page', description: 'Do it', needs: ['api'] },
  ],
};

function unfolding(state: RunState, ended?: string, input = INPUT) {
  return goal.unfold(state, input, ended === undefined ? undefined : state.tasks[ended]);
}

function begun(config = {}) {
  const story = given(started({}, config));
  return story.and(added(...unfolding(story.state).add));
}

function planned(config = {}, input = INPUT) {
  const story = begun(config).and(
    attempted('plan/1'),
    attemptEnded('plan/1', 1, { output: PLAN }),
    taskEnded('plan/1', 'done'),
  );
  const { add } = unfolding(story.state, 'plan/1', input);
  return { story: story.and(added(...add)), add };
}

function reviewed(round: number, findings: unknown[]): RunEvent[] {
  const key = `review/${round}`;
  return [
    attempted(key, 1, { base: `tip${round}` }),
    attemptEnded(key, 1, { output: { findings, summary: '' } }),
    taskEnded(key, 'done'),
  ];
}

function finding(severity: string) {
  return { severity, title: `A ${severity} thing`, description: 'Look', file: 'a.js', line: 3 };
}

/** A run whose two tasks have landed and whose first review was asked for. */
function inReview(config = {}) {
  const { story } = planned(config);
  const done = story.and(
    ...worked('implement/1.1'),
    landed('implement/1.1'),
    ...worked('implement/1.2'),
    landed('implement/1.2'),
  );
  return done.and(added(...unfolding(done.state, 'implement/1.2').add));
}

describe('the goal recipe', () => {
  it('begins with a plan that only reads', () => {
    expect(unfolding(given(started()).state).add).toMatchObject([
      { key: 'plan/1', role: 'plan', access: 'read', prompt: 'Make it better' },
    ]);
  });

  it('gives the output of a check that fails on the base to the planner, whose first task comes before all others', () => {
    const base = given(started(), {
      type: 'run.base-checked',
      data: { tree: 't', evidence: [{ ...RED, output: 'sum is wrong' }] },
    });
    const { add, hold } = unfolding(base.state);
    expect([add.map(({ key }) => key), hold]).toEqual([['plan/1'], undefined]);
    expect(add[0]?.prompt).toContain('sum is wrong');
    const tasks = ['one', 'two'].map((id) => ({ id, title: id, description: id, needs: [] }));
    const plan = base.and(
      added(...add),
      attempted('plan/1'),
      attemptEnded('plan/1', 1, { output: { tasks } }),
      taskEnded('plan/1', 'done'),
    );
    expect(unfolding(plan.state, 'plan/1').add.map(({ key, needs }) => [key, needs])).toEqual([
      ['implement/1.1', []],
      ['implement/1.2', ['implement/1.1']],
    ]);
  });

  it('repairs a base on which a check is red before it plans, where the settings require it', () => {
    const { state } = given(started({}, { baseRed: 'repair' }), {
      type: 'run.base-checked',
      data: { tree: 't', evidence: [RED] },
    });
    expect(unfolding(state).add.map(({ key, needs }) => [key, needs])).toEqual([
      ['repair/1', []],
      ['plan/1', ['repair/1']],
    ]);
    expect(unfolding(state).hold).toBeUndefined();
  });

  it('asks a person first when the settings say that a red base blocks', () => {
    const story = given(started({}, { baseRed: 'block' }), {
      type: 'run.base-checked',
      data: { tree: 't', evidence: [RED] },
    });
    const { hold } = unfolding(story.state);
    expect(hold?.what).toBe('base-red');
    if (hold === undefined) throw new Error('it was not held');
    const approved = story.and({ type: 'run.held', data: { hold } }, { type: 'run.approved', data: {} });
    expect(unfolding(approved.state).hold).toBeUndefined();
  });

  it("turns each planned task into one with a key of its own, never the model's id", () => {
    const { add } = planned();
    expect(add.map(({ key, needs }) => [key, needs])).toEqual([
      ['implement/1.1', []],
      ['implement/1.2', ['implement/1.1']],
    ]);
  });

  it('gives every writing task the checks of the settings', () => {
    const { add } = planned({ checks: ['npm test', { run: ['make', 'lint'], name: 'lint', timeoutSeconds: 5 }] });
    expect(add[0]?.gates).toEqual([
      { gate: 'changed', name: 'changed' },
      { gate: 'command', name: 'npm test', run: 'npm test', timeoutMs: 600_000 },
      { gate: 'command', name: 'lint', run: ['make', 'lint'], timeoutMs: 5_000 },
      { gate: 'secrets', name: 'secrets', allow: [] },
    ]);
  });

  it('holds a plan that was asked for alone until a person approves it', () => {
    const input = { ...INPUT, planOnly: true };
    const story = begun().and(
      attempted('plan/1'),
      attemptEnded('plan/1', 1, { output: PLAN }),
      taskEnded('plan/1', 'done'),
    );
    const held = unfolding(story.state, 'plan/1', input);
    expect(held.hold).toMatchObject({ what: 'plan' });
    expect(held.add).toHaveLength(2);
  });

  it('refuses a plan with a cycle, and names it', () => {
    const task = begun().state.tasks['plan/1'];
    if (task === undefined) throw new Error('there is no plan');
    const cycle = {
      tasks: [
        { id: 'a', title: 'A', description: 'a', needs: ['b'] },
        { id: 'b', title: 'B', description: 'b', needs: ['a'] },
      ],
    };
    expect(goal.accept?.(task, cycle)).toMatch(/cycle: (a needs b needs a|b needs a needs b)/);
    expect(goal.accept?.(task, { tasks: [] })).toMatch(/at least one task/);
    expect(goal.accept?.(task, PLAN)).toBeUndefined();
  });

  it('wants nothing while tasks are open', () => {
    const { story } = planned();
    const one = story.and(...worked('implement/1.1'), landed('implement/1.1'));
    expect(unfolding(one.state, 'implement/1.1').add).toEqual([]);
  });

  it('reviews the merged result once every task has landed', () => {
    expect(inReview().state.tasks['review/1']?.spec).toMatchObject({
      role: 'review',
      access: 'read',
      prompt: 'Review what changed: git diff base HEAD',
    });
  });

  it('does not review a run of which a task failed', () => {
    const { story } = planned();
    const failed = story.and(...worked('implement/1.1'), landed('implement/1.1'), taskEnded('implement/1.2', 'failed'));
    expect(unfolding(failed.state, 'implement/1.2').add).toEqual([]);
  });

  it('switches reviews off with rounds: 0', () => {
    expect(inReview({ review: { rounds: 0 } }).state.tasks['review/1']).toBeUndefined();
  });

  it('fixes each serious finding and lets the small ones be', () => {
    const story = inReview().and(...reviewed(1, [finding('high'), finding('low'), finding('medium')]));
    const { add } = unfolding(story.state, 'review/1');
    expect(add.map(({ key, title, optional }) => [key, title, optional])).toEqual([
      ['fix/1.1', 'Fix: A high thing', true],
      ['fix/1.2', 'Fix: A medium thing', true],
    ]);
    expect(add[0]?.prompt).toContain('In a.js:3');
  });

  it('ends on a clean review', () => {
    const story = inReview().and(...reviewed(1, [finding('low')]));
    expect(unfolding(story.state, 'review/1')).toEqual({ add: [] });
  });

  it('reviews only the fixes in the next round, also when one of them failed', () => {
    const first = inReview().and(...reviewed(1, [finding('high')]));
    const fixing = first.and(added(...unfolding(first.state, 'review/1').add), taskEnded('fix/1.1', 'failed'));
    expect(unfolding(fixing.state, 'fix/1.1').add).toMatchObject([{ key: 'review/2' }]);
    expect(unfolding(fixing.state, 'fix/1.1').add[0]?.prompt).toMatch(/git diff tip1 HEAD[\s\S]*A high thing/);
  });

  it('asks a person when serious findings are left on a plateau', () => {
    const first = inReview().and(...reviewed(1, [finding('high')]));
    const fixed = first.and(added(...unfolding(first.state, 'review/1').add), ...worked('fix/1.1'), landed('fix/1.1'));
    const second = fixed.and(added(...unfolding(fixed.state, 'fix/1.1').add), ...reviewed(2, [finding('high')]));
    expect(unfolding(second.state, 'review/2').hold).toMatchObject({
      what: 'review',
      reason:
        '1 serious finding is left after 2 reviews, because the last one found as much as the one before: A high thing',
    });
  });

  it('keeps the best tree, not the last, when fixing made it worse', () => {
    const first = inReview().and(...reviewed(1, [finding('medium')]));
    const fixed = first.and(added(...unfolding(first.state, 'review/1').add), ...worked('fix/1.1'), landed('fix/1.1'));
    const second = fixed.and(
      added(...unfolding(fixed.state, 'fix/1.1').add),
      ...reviewed(2, [finding('medium'), finding('medium')]),
    );
    expect(unfolding(second.state, 'review/2')).toMatchObject({
      add: [],
      keep: { commit: 'tip1', reason: 'deterioration' },
    });
  });

  it('wants the same again when it is asked again after a restart', () => {
    const story = inReview();
    for (const key of [undefined, 'plan/1', 'implement/1.1', 'implement/1.2']) {
      for (const spec of unfolding(story.state, key).add) expect(story.state.tasks[spec.key]?.spec).toEqual(spec);
    }
  });
});
