import { describe, expect, it } from 'vitest';
import type { RunState, TaskState } from '../../../src/core/run/state.ts';
import {
  failedWork,
  landedWork,
  pullRequestPer,
  pushedBranch,
} from '../../../src/engine/pull-requests/pull-request-branch.ts';
import { added, given, landed, spec, started, taskEnded, worked } from '../../support/given.ts';

function runWith(branch?: string, title = 'Add: Offers & more!'): RunState {
  const git = branch === undefined ? {} : { git: { branch } };
  return given(started({ title }, git), added(spec('implement/1', { title: 'Write it' }))).state;
}

function taskOf(state: RunState, key: string): TaskState {
  const task = state.tasks[key];
  if (task === undefined) throw new Error(`There is no task ${key}`);
  return task;
}

describe('the branch at the remote', () => {
  it.each([
    [undefined, 'mh/r0000001', 'mh-tasks/r0000001/implement-1'],
    ['feature/{title}-{run}', 'feature/add-offers-more-r0000001', 'feature/write-it-r0000001-implement-1'],
    ['{run}/{task}', 'r0000001', 'r0000001/implement-1'],
    ['bad..name-{run}', 'mh/r0000001', 'mh/r0000001-implement-1'],
  ])('with the setting %s is %s for a run and %s for a task', (setting, ofRun, ofTask) => {
    const state = runWith(setting);
    expect([pushedBranch(state), pushedBranch(state, taskOf(state, 'implement/1'))]).toEqual([ofRun, ofTask]);
  });

  it('of a title without letters is still a name', () => {
    expect(pushedBranch(runWith('{title}-{run}', '???'))).toBe('work-r0000001');
  });
});

describe('pull requests', () => {
  it.each([
    [{}, {}, 'run'],
    [{}, { pr: { per: 'task' as const } }, 'task'],
    [{ pr: 'each' }, {}, 'task'],
    [{ pr: 'run' }, { pr: { per: 'task' as const } }, 'run'],
  ])('with the input %j and the settings %j are one per %s', (input, settings, per) => {
    expect(pullRequestPer(given(started({ input }, settings)).state)).toBe(per);
  });

  it('contain the work of tasks that landed, and offer that of tasks that failed', () => {
    const { state } = given(
      started(),
      added(spec('a'), spec('b'), spec('c')),
      ...worked('a'),
      landed('a'),
      ...worked('b'),
      taskEnded('b', 'failed'),
    );
    expect(landedWork(state).map(({ task }) => task.spec.key)).toEqual(['a']);
    expect(failedWork(state).map(({ task }) => task.spec.key)).toEqual(['b']);
  });
});
