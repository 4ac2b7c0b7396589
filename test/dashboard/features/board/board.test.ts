import { describe, expect, it } from 'vitest';
import { runColumns, runsOnBoard, taskColumns } from '../../../../src/dashboard/features/board/board-columns.ts';
import { movedBefore, prioritiesFor, type Queued } from '../../../../src/dashboard/features/board/queue-order.ts';
import type { BoardRun, BoardTask, RunOverview } from '../../../../src/schema/overview.ts';

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
    startedAt: '2026-11-17T11:00:00Z',
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
      run('landed', { ...ended, status: 'done', resultLanded: true }),
      run('landed in part', { ...ended, status: 'partial', failure, resultLanded: true }),
      run('failed', { ...ended, status: 'failed', failure }),
      run('partial', { ...ended, status: 'partial', failure }),
      run('hidden', { ...ended, status: 'done', hidden: true }),
    ];
    const shown = (filter: Partial<typeof ALL>) =>
      Object.fromEntries(
        [...runColumns(runs, { ...ALL, ...filter }, NOW)].map(([column, { cards }]) => [
          column,
          cards.map(({ id }) => id),
        ]),
      );
    expect(shown({})).toEqual({
      queued: ['queued'],
      running: ['running'],
      'needs you': ['interrupted', 'waits'],
      done: ['done'],
      landed: ['landed', 'landed in part'],
      failed: ['failed', 'partial'],
    });
    expect(shown({ project: 'q' }).running).toEqual(['running']);
    expect(shown({ project: 'q' }).queued).toEqual([]);
    expect(shown({ collection: 'night' })['needs you']).toEqual(['waits']);
    expect(shown({ agent: 'ada' })).toMatchObject({ running: ['running'], queued: [] });
  });

  it('has each task in a column, and the run itself where the run as a whole waits or failed', () => {
    const plan = {
      task: null,
      what: 'plan',
      reason: 'a plan',
      since: '',
    } as unknown as RunOverview['attention'][number];
    const failure = { task: null, title: null, reason: 'the base fails', command: null, error: null, lines: [] };
    const ended = { endedAt: '2026-11-17T11:00:00Z', updatedAt: '2026-11-17T11:00:00Z', tasks: 1 };
    const runs = [
      run('mixed', { tasks: 60 }),
      run('planned', { tasks: 2, attention: [plan], updatedAt: '2026-11-17T11:00:00Z' }),
      run('broken', { ...ended, status: 'failed', failure }),
      run('hidden', { ...ended, status: 'done', hidden: true, tasks: 1 }),
    ];
    const tasks = new Map([
      [
        'mixed',
        board('mixed', { queued: [task('b'), task('c', { priority: 2 })], failed: [task('a')] }, { queued: 58 }),
      ],
      ['hidden', board('hidden', { queued: [task('z')] })],
    ]);
    const columns = taskColumns(runs, { tasks, filter: ALL, now: NOW });
    const ids = (column: Parameters<typeof columns.get>[0]) => columns.get(column)?.cards.map(({ id }) => id);
    expect(ids('queued')).toEqual(['mixed c', 'mixed b']);
    expect(columns.get('queued')?.count).toBe(58);
    expect(ids('needs you')).toEqual(['planned']);
    expect(ids('failed')).toEqual(['mixed a', 'broken']);
    const ofAgent = taskColumns(runs, { tasks, filter: { ...ALL, agent: 'ada' }, now: NOW });
    expect(ofAgent.get('needs you')?.cards).toEqual([]);
  });

  it('has a queued run without tasks in the order of its turn among queued tasks', () => {
    const runs = [run('late', { tasks: 1, startedAt: '2026-11-17T11:30:00Z' }), run('early', { tasks: 0 })];
    const tasks = new Map([['late', board('late', { queued: [task('a')] })]]);
    const queued = taskColumns(runs, { tasks, filter: ALL, now: NOW }).get('queued')?.cards ?? [];
    expect(queued.map(({ id, queued: place }) => [id, place?.id])).toEqual([
      ['early', 'early'],
      ['late a', 'late a'],
    ]);
  });

  it('shows the tasks of all open runs, and of the latest ended ones', () => {
    const old = Array.from({ length: 30 }, (_, index) => run(`e${index}`, { endedAt: '2026-11-17T11:00:00Z' }));
    const shown = runsOnBoard([...old, run('open', {})], ALL).map((each) => each.run);
    expect(shown).toHaveLength(21);
    expect(shown[0]).toBe('open');
    expect(shown).not.toContain('e20');
  });
});

const task = (name: string, more: Partial<BoardTask> = {}): BoardTask => ({
  task: name,
  title: name,
  role: 'implement',
  track: null,
  status: 'ready',
  agent: null,
  attempts: 0,
  priority: 0,
  reason: null,
  what: null,
  at: NOW,
  ...more,
});

function board(id: string, tasks: BoardRun['tasks'], counts: BoardRun['counts'] = {}): BoardRun {
  const all = Object.fromEntries(Object.entries(tasks).map(([column, listed]) => [column, listed.length]));
  return { run: id, version: 1, agents: [], counts: { ...all, ...counts }, tasks };
}

describe('the order of queued work', () => {
  const queue = (...priorities: number[]): Queued[] =>
    priorities.map((priority, index) => {
      const id = 'abcd'.charAt(index);
      return { id, run: id, priority, aged: 0, isBlocked: false, startedAt: `2026-11-17T0${index}`, position: 0 };
    });
  /** Tasks of one run. */
  const line = (...priorities: number[]): Queued[] =>
    queue(...priorities).map((item, position) => ({ ...item, run: 'r', startedAt: '2026-11-17', position }));
  const changed = (items: readonly Queued[], moved: string, before: string | null) =>
    prioritiesFor(movedBefore(items, moved, before), moved);

  it('changes only the priority of the moved item where that is enough', () => {
    expect(changed(queue(0, 0, 0), 'c', 'a')).toEqual([{ id: 'c', priority: 1 }]);
    expect(changed(queue(0, 0, 0), 'a', null)).toEqual([{ id: 'a', priority: -1 }]);
    expect(changed(line(0, 0, 0), 'c', 'a')).toEqual([{ id: 'c', priority: 1 }]);
    expect(changed(line(0, 0, 0), 'a', null)).toEqual([{ id: 'a', priority: -1 }]);
    expect(changed(queue(5, 0), 'a', 'a')).toEqual([]);
    expect(changed(queue(5, 2, 0), 'c', 'b')).toEqual([{ id: 'c', priority: 3 }]);
  });

  it('raises those before it where there is no priority between its neighbours', () => {
    expect(changed(queue(0, 0, 0), 'c', 'b')).toEqual([
      { id: 'a', priority: 1 },
      { id: 'c', priority: 1 },
    ]);
    expect(changed(line(0, 0, 0), 'c', 'b')).toEqual([
      { id: 'a', priority: 1 },
      { id: 'c', priority: 1 },
    ]);
  });

  it('stays within the range of priorities', () => {
    expect(changed(queue(10, 10), 'b', 'a')).toEqual([{ id: 'a', priority: 9 }]);
  });

  it('counts how long a run has waited, as the engine does', () => {
    const [old, young] = queue(0, 0);
    if (old === undefined || young === undefined) throw new Error('Two are queued');
    expect(changed([{ ...old, aged: 4 }, young], 'b', 'a')).toEqual([{ id: 'b', priority: 5 }]);
  });

  it('is that of the engine', () => {
    const runs = queue(0, 3, 0).map(({ priority, startedAt }, index) =>
      run('abc'.charAt(index), { priority, startedAt: `${startedAt}:00:00Z`, liveCount: 0 }),
    );
    const soon = Date.parse('2026-11-17T02:00:00Z');
    const order = (at: number) =>
      runColumns(runs, ALL, at)
        .get('queued')
        ?.cards.map(({ id }) => id);
    expect(order(soon - 7_200_000)).toEqual(['b', 'a', 'c']);
    expect(order(soon)).toEqual(['b', 'a', 'c']);
    expect(runColumns(runs.slice(1), ALL, soon).get('queued')?.count).toBe(2);
  });
});
