import { describe, expect, it } from 'vitest';
import { boardRun } from '../../../src/core/view/board.ts';
import { added, attemptEnded, attempted, failure, given, spec, started, taskEnded } from '../../support/given.ts';

describe('the tasks of a run on the board', () => {
  const bad = failure('tests', 'one test fails');
  const { state } = given(
    started(),
    added(spec('a'), spec('b'), spec('c', { priority: 3 }), spec('d', { needs: ['b'] }), spec('e'), spec('f')),
    attempted('a'),
    attemptEnded('a', 1),
    taskEnded('a', 'done'),
    attempted('e'),
    attemptEnded('e', 1, { failure: bad }),
    { type: 'task.ended', data: { task: 'e', status: 'failed', reason: 'one test fails', failure: bad } },
    attempted('f'),
  );
  const keys = (shown: ReturnType<typeof boardRun>) =>
    Object.fromEntries(Object.entries(shown.tasks).map(([column, tasks]) => [column, tasks.map(({ task }) => task)]));

  it('are in the columns of their states, queued ones in the order of their turn', () => {
    const shown = boardRun(state, { limit: 50 });
    expect(keys(shown)).toEqual({ queued: ['c', 'b', 'd'], running: ['f'], done: ['a'], failed: ['e'] });
    expect(shown.tasks.queued?.map(({ reason }) => reason)).toEqual([null, null, 'Waits for b']);
    expect(shown.tasks.failed?.[0]?.reason).toBe('one test fails');
    expect(shown.agents).toEqual(['one']);
  });

  it('are counted in full where only some are listed, or only those of an agent', () => {
    const some = boardRun(state, { limit: 1 });
    expect(some.counts).toEqual({ queued: 3, running: 1, done: 1, failed: 1 });
    expect(keys(some).queued).toEqual(['c']);
    expect(keys(boardRun(state, { limit: 50, agent: 'one' }))).toEqual({
      running: ['f'],
      done: ['a'],
      failed: ['e'],
    });
    expect(boardRun(state, { limit: 50, agent: 'two' }).counts).toEqual({});
  });

  it('have landed when the result of their run has, until that is undone', () => {
    const landed = given(started(), added(spec('a')), attempted('a'), attemptEnded('a', 1), taskEnded('a', 'done'), {
      type: 'run.landed',
      data: { branch: 'main', commit: 'tip', how: 'merge' },
    });
    expect(boardRun(landed.state, { limit: 50 }).counts).toEqual({ landed: 1 });
    const undone = landed.and({
      type: 'run.undone',
      data: { branch: 'main', commit: 'revert', from: 'tip', reason: 'no' },
    });
    expect(boardRun(undone.state, { limit: 50 }).counts).toEqual({ done: 1 });
  });

  it('need the user while their agent asks or their work is held', () => {
    const hold = { what: 'guard' as const, reason: 'changes check.sh', files: ['check.sh'] };
    const held = given(started(), added(spec('a')), attempted('a'), attemptEnded('a', 1), {
      type: 'task.held',
      data: { task: 'a', hold, commit: 'c1' },
    }).state;
    expect(boardRun(held, { limit: 50 }).tasks['needs you']).toMatchObject([
      { task: 'a', what: 'held', reason: 'changes check.sh' },
    ]);
  });
});
