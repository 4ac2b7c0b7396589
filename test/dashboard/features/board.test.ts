import { describe, expect, it } from 'vitest';
import { boardColumns } from '../../../src/dashboard/features/board/board-columns.ts';
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
