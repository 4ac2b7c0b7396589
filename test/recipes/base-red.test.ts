import { describe, expect, it } from 'vitest';
import type { RunState } from '../../src/core/run/state.ts';
import { recipeOf } from '../../src/recipes/registry.ts';
import type { Config } from '../../src/schema/config.ts';
import type { RunEvent } from '../../src/schema/event.ts';
import { added, given, landed, started, taskEnded, worked } from '../support/given.ts';

const RED = {
  gate: 'npm test',
  verdict: 'fail' as const,
  tree: 't',
  definition: 'd',
  setup: 's',
  summary: 'npm test failed with exit code 1',
  output: 'sum is wrong',
  exitCode: 1,
  durationMs: 1,
  reused: false,
};
const CHECKED: RunEvent = { type: 'run.base-checked', data: { tree: 't', evidence: [RED] } };
const REHEARSAL = { agents: { one: { kind: 'rehearsal' as const } }, routing: { order: ['one'] } };
const TASK = { id: 'a', title: 'A', description: 'Do it', files: [], needs: [] };
const FEATURE = { id: 'f', name: 'F', category: 'c', description: 'Do it', steps: ['look'], status: 'open' };

const INPUTS: [string, unknown][] = [
  ['tasks', { tasks: [TASK] }],
  ['features', { file: null, features: [FEATURE] }],
  ['bulk', { items: [{ id: 'a', prompt: 'Do it', files: ['a.txt'] }] }],
  ['workflow', { name: 'w', nodes: [{ id: 'n', role: 'implement', needs: [], task: 'Do it', access: 'write' }] }],
  ['todo', { file: null, text: 'Do it', entries: [], execute: true }],
];

function red(config: Partial<Config> | Record<string, unknown> = {}) {
  return given(started({}, config), CHECKED);
}

function unfolding(name: string, input: unknown, state: RunState, ended?: string) {
  return recipeOf(name).unfold(state, input, ended === undefined ? undefined : state.tasks[ended]);
}

function answered(name: string, input: unknown, option: string) {
  const { hold } = unfolding(name, input, red().state);
  if (hold === undefined) throw new Error('it was not held');
  return red().and({ type: 'run.held', data: { hold } }, { type: 'run.approved', data: { option } });
}

describe.each(INPUTS)('on a red base the recipe %s', (name, input) => {
  it('is held before its first task; the output is shown once, with the failed check', () => {
    const { add, hold } = unfolding(name, input, red().state);
    expect(add).toEqual([]);
    expect(hold).toMatchObject({ what: 'base-red', options: [{ id: 'repair' }, { id: 'continue' }] });
    expect(hold?.reason).toBe('npm test fails on the base, before any work, so nothing could land');
  });

  it('repairs the base first once a person chose that, and begins when the repair has landed', () => {
    const story = answered(name, input, 'repair');
    const { add } = unfolding(name, input, story.state);
    expect(add).toMatchObject([{ key: 'repair/1', role: 'repair', prompt: expect.stringContaining('sum is wrong') }]);
    const repairing = story.and(added(...add));
    expect(unfolding(name, input, repairing.state).add).toEqual([]);
    const repaired = repairing.and(...worked('repair/1'), landed('repair/1'));
    const begun = unfolding(name, input, repaired.state, 'repair/1');
    expect(begun.hold).toBeUndefined();
    expect(begun.add.length).toBeGreaterThan(0);
    expect(begun.add[0]?.prompt).not.toContain('sum is wrong');
  });

  it('adds no task when the repair failed', () => {
    const story = answered(name, input, 'repair');
    const failed = story.and(added(...unfolding(name, input, story.state).add), taskEnded('repair/1', 'failed'));
    expect(unfolding(name, input, failed.state, 'repair/1')).toEqual({ add: [] });
  });

  it('begins at once when a person chose to continue', () => {
    const { add, hold } = unfolding(name, input, answered(name, input, 'continue').state);
    expect([add.some(({ key }) => key === 'repair/1'), add.length > 0, hold]).toEqual([false, true, undefined]);
  });

  it('repairs without a question where the settings or --repair-base require it', () => {
    const { add, hold } = unfolding(name, input, red({ baseRed: 'repair' }).state);
    expect([add.map(({ key }) => key), hold]).toEqual([['repair/1'], undefined]);
  });

  it('ends a rehearsal at once', () => {
    const { state } = red({ ...REHEARSAL, baseRed: 'repair' });
    expect(unfolding(name, input, state)).toEqual({ add: [] });
    expect(recipeOf(name).failure?.(state, input)).toContain('a rehearsal repairs no base');
  });
});

it.each([
  ['job', { task: 'Fix it' }],
  ['goal', { goal: 'Fix it' }],
])('the recipe %s gets the output as part of its task, and ends a rehearsal at once', (name, input) => {
  const { add, hold } = unfolding(name, input, red().state);
  expect([add.length, hold]).toEqual([1, undefined]);
  expect(add[0]?.prompt).toContain('sum is wrong');
  const { state } = red(REHEARSAL);
  expect(unfolding(name, input, state)).toEqual({ add: [] });
  expect(recipeOf(name).failure?.(state, input)).toContain('a rehearsal repairs no base');
});
