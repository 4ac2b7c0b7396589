import { describe, expect, it } from 'vitest';
import { boardColumns, movedBefore, prioritiesFor } from '../../../src/dashboard/features/board/board-columns.ts';
import type { RunOverview } from '../../../src/schema/overview.ts';

const NOW = Date.parse('2026-11-17T12:00:00Z');
const ALL = { project: '', collection: '', agent: '' };

// Only these fields decide.
const run = (id: string, more: Partial<RunOverview>): RunOverview =>
  ({
    run: id,
    hidden: false,
    projectId: 'p',
    collection: null,
    status: 'running',
    carried: true,
    endedAt: null,
    attention: [],
    live: [],
    liveCount: 0,
    done: 0,
    failure: null,
    landed: null,
    ...more,
  }) as unknown as RunOverview;

describe('the board', () => {
  it('has each run in the column of its state, and filters by project, collection and agent', () => {
    const ended = { endedAt: '2026-11-17T11:00:00Z' };
    const failure = { task: null, title: null, reason: 'no', command: null, error: null, lines: [] };
    const waiting = {
      task: null,
      what: 'plan',
      reason: 'a plan',
      since: '',
    } as unknown as RunOverview['attention'][number];
    const agent = { agent: 'ada' } as RunOverview['live'][number];
    const runs = [
      run('queued', {}),
      run('running', { liveCount: 1, live: [agent], projectId: 'q' }),
      run('interrupted', { carried: false }),
      run('waits', { attention: [waiting], collection: 'night' }),
      run('done', { ...ended, status: 'done' }),
      run('failed', { ...ended, status: 'failed', failure }),
      run('partial', { ...ended, status: 'partial', failure }),
      run('hidden', { hidden: true }),
    ];
    const shown = (filter: Partial<typeof ALL>) =>
      Object.fromEntries(
        [...boardColumns(runs, { ...ALL, ...filter }, NOW)].map(([column, some]) => [
          column,
          some.map((each) => each.run),
        ]),
      );
    expect(shown({})).toEqual({
      queued: ['queued'],
      running: ['running'],
      'needs you': ['interrupted', 'waits'],
      landed: ['done'],
      failed: ['failed', 'partial'],
    });
    expect(shown({ project: 'q' }).running).toEqual(['running']);
    expect(shown({ project: 'q' }).queued).toEqual([]);
    expect(shown({ collection: 'night' })['needs you']).toEqual(['waits']);
    expect(shown({ agent: 'ada' })).toMatchObject({ running: ['running'], queued: [] });
  });
});

describe('the order of queued runs', () => {
  const queue = (...priorities: number[]) =>
    priorities.map((priority, index) => ({ run: 'abcd'.charAt(index), priority, startedAt: `2026-11-17T0${index}` }));
  const changed = (runs: ReturnType<typeof queue>, moved: string, before: string | null) =>
    prioritiesFor(movedBefore(runs, moved, before));

  it('changes with as few priorities as possible', () => {
    expect(changed(queue(0, 0, 0), 'c', 'a')).toEqual([{ run: 'c', priority: 1 }]);
    expect(changed(queue(0, 0, 0), 'c', 'b')).toEqual([
      { run: 'c', priority: 1 },
      { run: 'a', priority: 1 },
    ]);
    expect(changed(queue(0, 0, 0), 'a', null)).toEqual([
      { run: 'c', priority: 1 },
      { run: 'b', priority: 1 },
    ]);
    expect(changed(queue(5, 0), 'a', 'a')).toEqual([]);
  });

  it('stays within the range of priorities', () => {
    expect(changed(queue(10, 10), 'b', 'a')).toEqual([{ run: 'a', priority: 9 }]);
  });

  it('is that of the engine', () => {
    const runs = queue(0, 3, 0).map((each) => run(each.run, each));
    expect(
      boardColumns(runs, ALL, NOW)
        .get('queued')
        ?.map((each) => each.run),
    ).toEqual(['b', 'a', 'c']);
  });
});
