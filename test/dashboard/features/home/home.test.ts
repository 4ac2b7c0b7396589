import { describe, expect, it } from 'vitest';
import {
  interruptionBy,
  notificationFor,
  tabStatus,
} from '../../../../src/dashboard/features/alerts/run-notification.ts';
import { projectsOf, sectionsOf } from '../../../../src/dashboard/features/home/home-sections.ts';
import { inboxItems } from '../../../../src/dashboard/features/inbox/inbox-items.ts';
import { folderName } from '../../../../src/dashboard/ui/browser/page-paths.ts';
import { stepPieces } from '../../../../src/dashboard/ui/run/next-step.ts';
import type { RunOverview, WaitingItem } from '../../../../src/schema/overview.ts';

function run(id: string, more: Partial<RunOverview> = {}): RunOverview {
  return {
    run: id,
    title: id,
    recipe: 'job',
    project: '/home/ada/shop',
    projectId: 'p1',
    status: 'running',
    cost: 0,
    startedAt: '2026-01-01T00:00:00.000Z',
    endedAt: null,
    nextAt: null,
    waitsFor: null,
    activity: [],
    tasks: 1,
    done: 0,
    collection: null,
    hidden: false,
    flag: null,
    version: 1,
    updatedAt: '2026-01-01T00:00:00.000Z',
    reason: null,
    branch: null,
    base: 'main',
    landed: null,
    resultLanded: false,
    budget: null,
    priority: 0,
    counts: {},
    attention: [],
    failure: null,
    live: [],
    carried: true,
    liveCount: 0,
    unread: false,
    ...more,
  };
}

function waitingItem(since: string): WaitingItem {
  return {
    task: null,
    taskTitle: null,
    what: 'plan',
    reason: 'a plan',
    files: [],
    nextStep: 'manyhands approve',
    since,
  };
}

const NOW = Date.parse('2026-11-16T12:00:00Z');

const ENDED = '2026-01-02T00:00:00.000Z';

describe('the home page', () => {
  it('lists the longest waiting item first', () => {
    const late = run('late', { status: 'held', attention: [waitingItem('2026-01-01T10:00:00.000Z')] });
    const early = run('early', { status: 'held', attention: [waitingItem('2026-01-01T09:00:00.000Z')] });
    expect(sectionsOf([late, early], null, NOW).waiting.map((entry) => entry.run.run)).toEqual(['early', 'late']);
  });

  it('lists a waiting run under running only if it is still active', () => {
    const both = run('both', { attention: [waitingItem(ENDED)], liveCount: 1 });
    const stuck = run('stuck', { status: 'held', attention: [waitingItem(ENDED)] });
    const { waiting, running, idle } = sectionsOf([both, stuck], null, NOW);
    expect([waiting.length, running.map((each) => each.run), idle]).toEqual([2, ['both'], []]);
  });

  it('lists a run that no engine is running as one that needs the user, and not under running', () => {
    const interrupted = run('interrupted', { carried: false });
    const { waiting, count, running, idle } = sectionsOf([interrupted], null, NOW);
    expect(waiting).toMatchObject([{ item: { what: 'paused', nextStep: 'manyhands resume interrupted' } }]);
    expect([count, running, idle]).toEqual([1, [], []]);
    expect(inboxItems([interrupted], NOW)).toHaveLength(1);
    expect(tabStatus([interrupted], NOW).waiting).toBe(1);
  });

  it('lists unread ended runs first, then the latest', () => {
    const runs = [
      run('old', { endedAt: '2026-01-01T01:00:00.000Z' }),
      run('new', { endedAt: '2026-01-01T02:00:00.000Z' }),
      run('unread', { endedAt: '2026-01-01T00:30:00.000Z', unread: true }),
    ];
    expect(sectionsOf(runs, null, NOW).recent.map((each) => each.run)).toEqual(['unread', 'new', 'old']);
  });

  it('needs the user for a failed run until it is landed, hidden or a week old, and for an open one although it is hidden', () => {
    const failure = {
      task: null,
      title: null,
      reason: 'npm test failed',
      command: 'npm test',
      error: null,
      lines: ['1 failing'],
    };
    const failed = (id: string, more: Partial<RunOverview> = {}) =>
      run(id, { status: 'failed', endedAt: '2026-11-16T11:00:00.000Z', failure, ...more });
    const runs = [
      failed('earlier', { endedAt: '2026-11-15T11:00:00.000Z' }),
      failed('now'),
      failed('hidden', { hidden: true }),
      failed('old', { endedAt: '2026-11-01T11:00:00.000Z' }),
      failed('landed', { landed: { branch: 'main', commit: 'c', how: 'merge', url: null } }),
      run('done', { status: 'done', endedAt: '2026-11-16T11:00:00.000Z' }),
    ];
    expect(sectionsOf(runs, null, NOW).failed.map((each) => each.run)).toEqual(['now', 'earlier']);
    const all = [
      ...runs,
      run('held', { status: 'held', attention: [waitingItem(ENDED)] }),
      run('hidden held', { status: 'held', hidden: true, attention: [waitingItem(ENDED)] }),
    ];
    expect(sectionsOf(all, null, NOW).count).toBe(4);
    expect(inboxItems(all, NOW).map((item) => item.run.run)).toEqual(['held', 'hidden held', 'earlier', 'now']);
    expect(tabStatus(all, NOW)).toEqual({ waiting: 4, displayState: 'waiting' });
  });

  it('leaves out hidden runs that ended, and other projects', () => {
    const ended = { status: 'done', endedAt: ENDED } as const;
    const hidden = [run('c', { hidden: true }), run('d', { ...ended, hidden: true })];
    const sections = sectionsOf([run('a'), run('b', { projectId: 'p2' }), ...hidden], 'p1', NOW);
    expect(sections.running.map((each) => each.run)).toEqual(['a', 'c']);
    expect(sections.recent).toEqual([]);
  });

  it('names projects by their folders and counts their runs', () => {
    const runs = [run('a'), run('b'), run('c', { projectId: 'p2', project: '/home/ada/api/' })];
    expect(projectsOf(runs).map(({ name, runs: number }) => [name, number])).toEqual([
      ['api', 1],
      ['shop', 2],
    ]);
    expect(folderName('C:\\work\\shop')).toBe('shop');
  });
});

describe('the next step', () => {
  const commands = (sentence: string) =>
    stepPieces(sentence, 'k3v9x2ab').flatMap(({ kind, text }) => (kind === 'command' ? [text] : []));

  it('has each command of a sentence separated from its text', () => {
    const pieces = stepPieces('manyhands diff k3v9x2ab fix/1.2, then manyhands approve k3v9x2ab fix/1.2', 'k3v9x2ab');
    expect(pieces.map(({ text }) => text)).toEqual([
      'manyhands diff k3v9x2ab fix/1.2',
      ', then ',
      'manyhands approve k3v9x2ab fix/1.2',
    ]);
  });

  it('adds the run to a command that names none', () => {
    expect(commands('Free some disk space, then manyhands retry.')).toEqual(['manyhands retry k3v9x2ab']);
    expect(commands('Fix what it names (manyhands doctor helps), then manyhands retry.')).toEqual([
      'manyhands doctor',
      'manyhands retry k3v9x2ab',
    ]);
  });

  it('keeps quoted arguments and options together', () => {
    expect(commands('manyhands resume k3v9x2ab --track docs')).toEqual(['manyhands resume k3v9x2ab --track docs']);
    expect(commands("manyhands resume k3v9x2ab --track 'the north'")).toEqual([
      "manyhands resume k3v9x2ab --track 'the north'",
    ]);
    expect(commands('manyhands answer k3v9x2ab q1-1 "<answer>"')).toEqual([
      'manyhands answer k3v9x2ab q1-1 "<answer>"',
    ]);
  });

  it('has no command if the sentence has none', () => {
    expect(stepPieces('make room', 'k3v9x2ab')).toEqual([{ kind: 'text', text: 'make room' }]);
  });
});

describe('an announcement of a change', () => {
  it('is made of a second question of the same task', () => {
    const asking = (question: string) =>
      run('asks', { attention: [{ ...waitingItem(ENDED), task: 'a', what: 'question', question, reason: question }] });
    expect(notificationFor(asking('q1-1'), asking('q1-1'))).toBeUndefined();
    expect(notificationFor(asking('q1-1'), asking('q1-2'))?.text).toBe('asks asks a question: q1-2');
  });

  it('is made of a run that has lost its engine, until it has one again', () => {
    const [active, interrupted] = [run('one'), run('one', { carried: false })];
    expect(interruptionBy(active, interrupted)).toBe('began');
    expect(interruptionBy(interrupted, run('one', { carried: false, unread: true }))).toBeUndefined();
    expect(interruptionBy(undefined, interrupted)).toBeUndefined();
    expect(interruptionBy(interrupted, active)).toBe('ended');
    expect(interruptionBy(interrupted, run('one', { carried: false, endedAt: ENDED, status: 'done' }))).toBe('ended');
  });
});
