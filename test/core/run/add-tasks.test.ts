import { describe, expect, it } from 'vitest';
import { addTasks } from '../../../src/core/run/add-tasks.ts';
import { cancelRun } from '../../../src/core/run/decide-run.ts';
import { added, given, landed, spec, started, statuses, taskEnded, worked } from '../../support/given.ts';

describe('adding tasks', () => {
  it('records new tasks, and nothing when all are known', () => {
    const story = given(started()).when((state) => addTasks(state, [spec('a'), spec('b', { needs: ['a'] })]));
    expect(story.events).toEqual([added(spec('a'), spec('b', { needs: ['a'] }))]);
    expect(addTasks(story.state, [spec('a')])).toEqual([]);
    expect(addTasks(story.state, [spec('a'), spec('c')])).toEqual([added(spec('c'))]);
  });

  it('recognises its own specs after they were stored as JSON', () => {
    const task = spec('a', {
      agent: 'one',
      limits: { turns: 3 },
      gates: [{ gate: 'command', name: 'test', run: 'npm test' }],
    });
    const { state } = given(started(), added(JSON.parse(JSON.stringify(task))));
    expect(addTasks(state, [task])).toEqual([]);
  });

  it('rejects another spec under a known key', () => {
    const { state } = given(started(), added(spec('a')));
    expect(() => addTasks(state, [spec('a', { prompt: 'something else' })])).toThrow(
      'already recorded with another content',
    );
  });

  it('refuses two tasks with one key', () => {
    expect(() => addTasks(given(started()).state, [spec('a'), spec('a')])).toThrow('Two tasks have the key a');
  });

  it('refuses a need that is nowhere', () => {
    expect(() => addTasks(given(started()).state, [spec('a', { needs: ['ghost'] })])).toThrow('a needs ghost');
  });

  it('refuses a circle and names its path', () => {
    const circle = [spec('a', { needs: ['b'] }), spec('b', { needs: ['c'] }), spec('c', { needs: ['a'] })];
    expect(() => addTasks(given(started()).state, circle)).toThrow('a needs b needs c needs a');
  });

  it('accepts the tasks in any order', () => {
    const story = given(started()).when((state) => addTasks(state, [spec('b', { needs: ['a'] }), spec('a')]));
    expect(statuses(story.state)).toEqual({ a: 'ready', b: 'waiting' });
  });

  it('makes a task ready at once when all its needs are done', () => {
    const story = given(started(), added(spec('a')), ...worked('a'), landed('a'));
    expect(statuses(story.when((state) => addTasks(state, [spec('b', { needs: ['a'] })])).state)).toMatchObject({
      b: 'ready',
    });
  });

  it('skips what needs a task that was not done, and what needs that', () => {
    const story = given(started(), added(spec('a')), taskEnded('a', 'failed')).when((state) =>
      addTasks(state, [spec('c', { needs: ['b'] }), spec('b', { needs: ['a'] }), spec('d')]),
    );
    expect(statuses(story.state)).toEqual({ a: 'failed', b: 'skipped', c: 'skipped', d: 'ready' });
  });

  it('accepts nothing while the run is being cancelled, and throws after its end', () => {
    const cancelling = given(started(), added(spec('a'))).when((state) => cancelRun(state, 'enough'));
    expect(addTasks(cancelling.state, [spec('b')])).toEqual([]);
    const spend = { costUsd: 0, tokens: 0, turns: 0 };
    const ended = cancelling.and({ type: 'run.ended', data: { status: 'cancelled', reason: 'enough', spend } });
    expect(() => addTasks(ended.state, [spec('b')])).toThrow('has ended');
  });
});
