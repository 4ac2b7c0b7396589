import { describe, expect, it } from 'vitest';
import { notificationFor, tabStatus } from '../../../src/dashboard/features/alerts/run-notification.ts';
import { historyInput, historyQuery, withFilter } from '../../../src/dashboard/features/history/history-query.ts';
import { groupItems, inboxItems } from '../../../src/dashboard/features/inbox/inbox-items.ts';
import {
  type Entry,
  findEntries,
  runActions,
  withRecent,
} from '../../../src/dashboard/features/palette/palette-entries.ts';
import { stepOf } from '../../../src/dashboard/features/palette/shortcut-keys.ts';
import { groupHits } from '../../../src/dashboard/features/search/search-hits.ts';
import { findSettings, originAt, sectionsOf } from '../../../src/dashboard/features/settings/setting-paths.ts';
import { dayBars, roundUp } from '../../../src/dashboard/features/usage/day-bars.ts';
import { usageInput, usageQuery } from '../../../src/dashboard/features/usage/usage-query.ts';
import { RunOverview } from '../../../src/schema/overview.ts';

const NOW = Date.parse('2026-11-16T12:00:00Z');

const run = (some: Partial<RunOverview>): RunOverview =>
  RunOverview.parse({
    run: 'abc',
    title: 'Prices',
    recipe: 'goal',
    project: '/work/shop',
    projectId: 'shop',
    status: 'running',
    cost: 0,
    startedAt: '2026-11-16T11:00:00Z',
    endedAt: null,
    nextAt: null,
    tasks: 1,
    done: 0,
    collection: null,
    hidden: false,
    flag: null,
    version: 1,
    updatedAt: '2026-11-16T11:00:00Z',
    reason: null,
    branch: null,
    base: 'main',
    landed: null,
    budget: null,
    counts: {},
    attention: [],
    activity: [],
    live: [],
    carried: true,
    liveCount: 0,
    unread: false,
    ...some,
  });
const held = (since: string, what: 'plan' | 'held' | 'blocked' | 'paused' = 'held') => ({
  task: 'a/1',
  taskTitle: 'A',
  what,
  reason: 'it touches a test',
  files: [],
  nextStep: 'mh approve abc',
  since,
});

describe('the inbox', () => {
  it('lists the items of all runs, oldest first, by age or by project', () => {
    const runs = [
      run({ run: 'new', attention: [held('2026-11-16T11:30:00Z')] }),
      run({ run: 'old', project: '/work/notes', attention: [held('2026-11-01T00:00:00Z', 'blocked')] }),
    ];
    const items = inboxItems(runs, NOW);
    expect(items.map((item) => item.run.run)).toEqual(['old', 'new']);
    expect(groupItems(items, 'age', NOW).map(([name]) => name)).toEqual(['Older than a week', 'In the last hour']);
    expect(groupItems(items, 'project', NOW).map(([name]) => name)).toEqual(['/work/notes', '/work/shop']);
  });
});

describe('what a sub-run waits for', () => {
  it('is in the inbox once, with the sub-run, or with its parent where the sub-run is not shown', () => {
    const parent = run({ run: 'parent', attention: [{ ...held('2026-11-16T11:30:00Z', 'blocked'), subRun: 'child' }] });
    const child = run({ run: 'child', attention: [held('2026-11-16T11:30:00Z')] });
    expect(inboxItems([parent, child], NOW).map((item) => item.run.run)).toEqual(['child']);
    expect(inboxItems([parent], NOW).map((item) => item.run.run)).toEqual(['parent']);
  });
});

describe('run notifications', () => {
  it('are sent when a run needs the user, ends or fails, and only once', () => {
    const before = run({});
    expect(notificationFor(before, run({ attention: [held('2026-11-16T11:30:00Z')] }))?.text).toContain(
      'has work to approve',
    );
    expect(notificationFor(before, run({ status: 'done' }))).toMatchObject({ kind: 'done' });
    expect(notificationFor(before, run({ status: 'failed' }))).toMatchObject({ kind: 'error' });
    expect(notificationFor(before, run({ version: 2 }))).toBeUndefined();
    const waiting = run({ attention: [held('2026-11-16T11:30:00Z')] });
    expect(notificationFor(waiting, { ...waiting, version: 3 })).toBeUndefined();
    expect(notificationFor(undefined, run({ status: 'done' }))).toBeUndefined();
    expect(
      notificationFor(before, run({ status: 'done', hidden: true, endedAt: '2026-11-17T10:00:00.000Z' })),
    ).toBeUndefined();
  });

  it('set the tab icon to the most urgent state, and reset it once all is read', () => {
    expect(tabStatus([run({}), run({ status: 'held', attention: [held('2026-11-16T11:30:00Z')] })], NOW)).toEqual({
      waiting: 1,
      displayState: 'waiting',
    });
    expect(tabStatus([run({ status: 'failed', unread: true }), run({})], NOW)).toEqual({
      waiting: 0,
      displayState: 'failed',
    });
    expect(tabStatus([run({ status: 'done' })], NOW)).toEqual({ waiting: 0, displayState: undefined });
  });
});

describe('the palette', () => {
  const entry = (title: string, some: Partial<Entry> = {}): Entry => ({
    id: title,
    title,
    group: 'Pages',
    run: () => {},
    ...some,
  });

  it('lists prefix matches first, and includes all other matches', () => {
    const entries = [entry('Show prices'), entry('Prices'), entry('Cart', { words: 'prices' }), entry('Home')];
    expect(findEntries(entries, 'pri', []).map(({ title }) => title)).toEqual(['Prices', 'Show prices', 'Cart']);
    expect(findEntries(entries, 'pri nothing', [])).toEqual([]);
  });

  it('lists recently used entries first, and only a few runs, without a query', () => {
    const runs = Array.from({ length: 20 }, (_, index) => entry(`Run ${index}`, { group: 'Runs' }));
    const found = findEntries([...runs, entry('Home'), entry('Inbox')], '', withRecent(['Home'], 'Inbox'));
    expect(found.slice(0, 2).map(({ title }) => title)).toEqual(['Inbox', 'Home']);
    expect(found.filter(({ group }) => group === 'Runs')).toHaveLength(6);
  });

  it('never offers first what is irreversible, although it was used last', () => {
    const stop = entry('Stop everything', { needsConfirmation: true });
    const found = findEntries([entry('Home'), stop], '', withRecent([], 'Stop everything'));
    expect(found.map(({ title }) => title)).toEqual(['Home', 'Stop everything']);
  });

  it('offers the actions available for a run', () => {
    const actions = (some: Partial<RunOverview>) =>
      runActions(run(some), { task: undefined, isOnOwnMachine: false }).map(({ action }) => action);
    expect(actions({ attention: [held('2026-11-16T11:30:00Z')], status: 'held' })).toEqual(
      expect.arrayContaining(['review', 'pause-run', 'cancel-run']),
    );
    const ended = { status: 'done', endedAt: '2026-11-16T11:30:00Z', branch: 'mh/abc' } as const;
    expect(actions(ended)).toEqual(expect.arrayContaining(['land', 'copy-branch', 'message']));
    expect(actions({ ...ended, branch: null })).not.toContain('land');
    expect(actions({ status: 'needs-rerun' })).toEqual(expect.arrayContaining(['pause-run', 'cancel-run']));
    expect(actions({ ...ended, status: 'cancelled' })).not.toContain('message');
    expect(actions({ attention: [held('2026-11-16T11:30:00Z')], status: 'held' })).toContain('reject');
    expect(actions({ status: 'done' })).not.toContain('cancel-run');
    expect(actions({ status: 'paused' })).toContain('resume');
  });

  it('offers an editor only on the machine of the server, and names what a retry affects', () => {
    const titles = (task: string | undefined, isOnOwnMachine: boolean) =>
      runActions(run({ status: 'blocked' }), { task, isOnOwnMachine }).map(({ title }) => title);
    expect(titles(undefined, true)).toContain('Open the project in an editor (vscode:)');
    expect(titles(undefined, false)).not.toContain('Open the project in an editor (vscode:)');
    expect(titles(undefined, false)).toContain('Retry failed and blocked tasks');
    expect(titles('a/1', false)).toContain('Retry this task');
  });

  it('opens a page with g and a letter, but not while typing', () => {
    const key = { isCommand: false, isTyping: false, isAfterG: false };
    expect(stepOf({ ...key, key: 'g' })).toEqual({ does: 'wait' });
    expect(stepOf({ ...key, key: 'i', isAfterG: true })).toEqual({ does: 'go', to: '/inbox' });
    expect(stepOf({ ...key, key: 'i', isAfterG: true, isTyping: true })).toEqual({ does: 'nothing' });
    expect(stepOf({ ...key, key: 'K', isCommand: true, isTyping: true })).toEqual({ does: 'palette' });
  });
});

describe('search', () => {
  const hit = {
    run: 'abc',
    title: 'Prices',
    task: 'a/1',
    taskTitle: 'A',
    attempt: 1,
    row: 1,
    at: '2026-11-16T11:00:00Z',
    kind: 'text',
    excerpt: '',
  };

  it('groups the hits of a task from all pages', () => {
    const pages = [
      { hits: [hit, { ...hit, task: 'b/1', row: 2 }], tasks: [], next: 2 },
      { hits: [{ ...hit, row: 3 }], tasks: [], next: null },
    ];
    expect(groupHits(pages).map(({ task, hits }) => [task, hits.length])).toEqual([
      ['a/1', 2],
      ['b/1', 1],
    ]);
  });
});

describe('usage', () => {
  it('requests the days of the address, and thirty days by default', () => {
    expect(usageInput(usageQuery(new URLSearchParams('by=model'), NOW), true)).toEqual({
      by: 'model',
      daily: true,
      since: '2026-10-18',
    });
    expect(usageInput(usageQuery(new URLSearchParams('range=all'), NOW), false)).toEqual({ by: 'agent', daily: false });
    expect(usageInput(usageQuery(new URLSearchParams('since=2026-01-01&until=nonsense'), NOW), false)).toEqual({
      by: 'agent',
      daily: false,
      since: '2026-01-01',
    });
  });

  it('plots every day, also days without usage', () => {
    const row = {
      name: 'fake',
      attempts: 1,
      calls: 0,
      unknown: 0,
      inputTokens: 0,
      outputTokens: 0,
      cachedTokens: 0,
      turns: 0,
      uncharged: 0,
      cost: 2,
    };
    const rows = [
      { ...row, day: '2026-11-14' },
      { ...row, name: 'other', day: '2026-11-16', cost: 3 },
    ];
    expect(dayBars(rows, { measure: 'cost', chosen: 'fake', since: '', until: '2026-11-16' })).toEqual([
      { day: '2026-11-14', all: 2, chosen: 2 },
      { day: '2026-11-15', all: 0, chosen: 0 },
      { day: '2026-11-16', all: 3, chosen: 0 },
    ]);
    expect([roundUp(0), roundUp(0.03), roundUp(7), roundUp(100)]).toEqual([1, 0.05, 10, 100]);
  });
});

describe('history', () => {
  it('keeps every filter in the address', () => {
    const params = withFilter(new URLSearchParams('status=done&hidden=yes'), {
      q: 'prices',
      hidden: false,
      flagged: true,
    });
    expect(params.toString()).toBe('status=done&q=prices&flagged=yes');
    expect(historyInput(historyQuery(params), 'abc')).toEqual({
      limit: 50,
      status: ['done'],
      text: 'prices',
      flagged: true,
      before: 'abc',
    });
    expect(historyInput(historyQuery(new URLSearchParams('status=nonsense')), undefined)).toEqual({ limit: 50 });
  });
});

describe('settings', () => {
  const entry = (key: string, about: string) => ({
    key,
    title: key,
    about,
    isRequired: false,
    fallback: undefined,
    field: { kind: 'switch' } as const,
  });
  const sections = sectionsOf([
    entry('land', 'what becomes of it'),
    {
      ...entry('limits', ''),
      field: { kind: 'group', entries: [entry('agents', 'Maximum number of concurrent attempts.')] },
    },
  ]);

  it('are found by name and description', () => {
    expect(findSettings(sections, 'attempts').map(({ key }) => key)).toEqual(['limits']);
    expect(findSettings(sections, 'limits.agents').map(({ key }) => key)).toEqual(['limits']);
    expect(findSettings(sections, '').map(({ key }) => key)).toEqual(['general', 'limits']);
  });

  it('have the origin of a value, also of a group', () => {
    const origins = { 'limits.agents': 'project', 'agents.fake.kind': 'user', land: 'default' } as const;
    expect(originAt(origins, ['limits', 'agents'])).toBe('project');
    expect(originAt(origins, ['agents'])).toBe('user');
    expect(originAt(origins, ['land'])).toBe('default');
  });
});
