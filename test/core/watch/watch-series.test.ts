import { describe, expect, it } from 'vitest';
import {
  failRound,
  nextRound,
  openProposal,
  retryAt,
  roundInput,
  sayTo,
  settleProposals,
} from '../../../src/core/watch/decide-watch.ts';
import { isSameProposal } from '../../../src/core/watch/same-proposal.ts';
import { emptySeries, evolveSeries, type WatchState } from '../../../src/core/watch/watch-series.ts';
import { type WatchEvent, WatchSettings } from '../../../src/schema/watch/watch-event.ts';
import { FoundProposal, type RoundResult } from '../../../src/schema/watch/watch-round.ts';

const NOON = new Date(2026, 4, 4, 12).getTime();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SETTINGS = WatchSettings.parse({ options: { dir: '/project' }, budgetPerDay: 2 });
const EMPTY: RoundResult = { proposals: [], replies: [], reviews: [] };

const found = (title: string, more: object = {}) => ({
  ...FoundProposal.parse({ title, category: 'bug', file: 'src/cart.ts', line: 12, confidence: 0.8, ...more }),
  confirmation: 'src/cart.ts:12',
});

function series(...events: [WatchEvent, number][]): WatchState {
  let state = emptySeries();
  for (const [event, at] of events) state = evolveSeries(state, structuredClone(event), at);
  return state;
}

const started: [WatchEvent, number] = [{ type: 'watch.started', data: { settings: SETTINGS } }, NOON];

function round(
  number: number,
  at: number,
  result: Partial<RoundResult> = {},
  more: object = {},
): [WatchEvent, number][] {
  const run = `r000000${number % 10}`;
  return [
    [{ type: 'watch.round-started', data: { round: number, run, why: 'interval' } }, at],
    [
      {
        type: 'watch.round-ended',
        data: { round: number, run, result: { ...EMPTY, ...result }, head: 'head', spentUsd: 0.1, ...more },
      },
      at,
    ],
  ];
}

const facts = (now: number, more: object = {}) => ({ now, head: 'head', pulls: undefined, attemptUsd: 0.5, ...more });

describe('a series of rounds', () => {
  it('begins at once, and then waits longer while nothing is found and shorter when something is', () => {
    expect(nextRound(series(started), facts(NOON))).toEqual({ why: 'start' });
    const quiet = series(started, ...round(1, NOON), ...round(2, NOON + HOUR));
    expect(quiet.intervalMs).toBe(20 * MINUTE);
    expect(nextRound(quiet, facts(NOON + HOUR))).toEqual({ until: NOON + HOUR + 20 * MINUTE });
    expect(nextRound(quiet, facts(NOON + HOUR + 20 * MINUTE))).toEqual({ why: 'interval' });
    const busy = series(started, ...round(1, NOON), ...round(2, NOON, { proposals: [found('A crash')] }));
    expect(busy.intervalMs).toBe(5 * MINUTE);
    const long = Array.from({ length: 20 }, (_, index) => round(index + 1, NOON + index)).flat();
    expect(series(started, ...long).intervalMs).toBe(6 * HOUR);
  });

  it('is woken at once by a message, and by commits and pull requests after the shortest interval', () => {
    const quiet = [started, ...round(1, NOON), ...round(2, NOON)];
    const state = series(...quiet);
    expect(nextRound(state, facts(NOON + MINUTE, { head: 'new' }))).toEqual({ until: NOON + 5 * MINUTE });
    expect(nextRound(state, facts(NOON + 5 * MINUTE, { head: 'new' }))).toEqual({ why: 'commit' });
    expect(nextRound(state, facts(NOON + 5 * MINUTE, { pulls: { 7: 'abc' } }))).toEqual({ why: 'pull-request' });
    const messaged = series(...quiet, [{ type: 'watch.messaged', data: { discussion: 'd1', text: 'Why?' } }, NOON + 1]);
    expect(nextRound(messaged, facts(NOON + 2))).toEqual({ why: 'reply' });
  });

  it('tries again when no round could begin, each time after twice as long, also for a message', () => {
    const failed: [WatchEvent, number] = [{ type: 'watch.round-failed', data: { reason: 'no agent' } }, NOON];
    const once = series(started, failed);
    expect(nextRound(once, facts(NOON + MINUTE))).toEqual({ until: NOON + 5 * MINUTE });
    expect(nextRound(once, facts(NOON + 5 * MINUTE))).toEqual({ why: 'start' });
    expect(retryAt(series(started, failed, failed))).toBe(NOON + 10 * MINUTE);
    expect(retryAt(series(started, ...Array.from({ length: 50 }, () => failed)))).toBe(NOON + 6 * HOUR);
    expect(retryAt(series(started, failed, ...round(1, NOON)))).toBeUndefined();
    expect(failRound(series(started, [{ type: 'watch.stopped', data: { reason: 'enough' } }, NOON]), 'x')).toEqual([]);
  });

  it('does not repeat at once a round that could not answer', () => {
    const reply: [WatchEvent, number] = [{ type: 'watch.said', data: { discussion: 'd1', text: 'Why?' } }, NOON + 1];
    const state = series(started, ...round(1, NOON), reply, ...round(2, NOON + 2, {}, { head: null }));
    expect(nextRound(state, facts(NOON + 3))).toEqual({ until: NOON + 2 + 5 * MINUTE });
    expect(nextRound(state, facts(NOON + 2 + 5 * MINUTE))).toEqual({ why: 'reply' });
  });

  it('keeps to its budget per day, and ends at its deadline', () => {
    const spent = series(started, ...round(1, NOON, {}, { spentUsd: 1.6 }));
    const due = nextRound(spent, facts(NOON + 6 * HOUR));
    expect(due).toEqual({ until: new Date(2026, 4, 5).getTime() });
    expect(nextRound(spent, facts(new Date(2026, 4, 5, 0, 1).getTime()))).toEqual({ why: 'interval' });
    const bound = { ...SETTINGS, options: { ...SETTINGS.options, until: NOON + HOUR } };
    const state = series([{ type: 'watch.started', data: { settings: bound } }, NOON]);
    expect(nextRound(state, facts(NOON + HOUR))).toEqual({ stop: 'the deadline is reached' });
  });

  it('merges the same proposal in new words, also of a rejected one, and remembers the reason', () => {
    const first = found('The total is wrong for an empty cart');
    const rejected: [WatchEvent, number] = [
      { type: 'watch.proposal-decided', data: { proposal: 'p1', status: 'rejected', reason: 'carts are never empty' } },
      NOON,
    ];
    const again = [
      found('Division by zero when nothing was bought', { line: 14 }),
      found('Empty carts yield wrong totals', { line: 90, category: 'maintenance' }),
    ];
    const state = series(
      started,
      ...round(1, NOON, { proposals: [first] }),
      rejected,
      ...round(2, NOON, { proposals: again }),
    );
    expect(state.proposals).toMatchObject([{ id: 'p1', status: 'rejected', reason: 'carts are never empty', seen: 3 }]);
    expect(() => openProposal(state, 'p1')).toThrow('already rejected');
    expect(roundInput(state, { why: 'interval', pulls: [], seen: {} }).known).toMatchObject([
      { reason: 'carts are never empty' },
    ]);
    const judged = { ...found('Other words altogether', { file: 'src/other.ts' }), duplicateOf: 'p1' };
    expect(
      series(started, ...round(1, NOON, { proposals: [first] }), ...round(2, NOON, { proposals: [judged] })).proposals,
    ).toHaveLength(1);
    expect(isSameProposal(first, found('The cart has no icon', { category: 'documentation', line: 300 }))).toBe(false);
  });

  it('lets proposals lapse, and those whose run is done are done', () => {
    const accepted: [WatchEvent, number] = [
      { type: 'watch.proposal-decided', data: { proposal: 'p1', status: 'accepted', run: 'r0000009' } },
      NOON,
    ];
    const two = [found('A crash'), found('Slow start', { file: 'src/main.ts', category: 'performance' })];
    const state = series(started, ...round(1, NOON, { proposals: two }), accepted);
    const settled = (now: number, isDone: boolean) => settleProposals(state, { now, isDone: () => isDone });
    expect(settled(NOON + HOUR, false)).toEqual([]);
    expect(settled(NOON + HOUR, true)).toMatchObject([{ data: { proposal: 'p1', status: 'done' } }]);
    expect(settled(NOON + 31 * 24 * HOUR, false)).toMatchObject([{ data: { proposal: 'p2', status: 'expired' } }]);
  });

  it('summarizes each day', () => {
    const tomorrow = new Date(2026, 4, 5, 9).getTime();
    const state = series(started, ...round(1, NOON, { proposals: [found('A crash')] }), ...round(2, tomorrow));
    expect(state.summaries).toEqual([{ day: '2026-05-04', text: '1 round, $0.10\np1 new: A crash (src/cart.ts:12)' }]);
    expect(state.day).toMatchObject({ day: '2026-05-05', rounds: 1 });
  });

  it('remembers the session of a discussion for the next round', () => {
    const message: WatchEvent = { type: 'watch.messaged', data: { discussion: 'd1', text: 'Why?' } };
    const session = { agent: 'one', account: null, id: 's1' };
    const answered = round(1, NOON, { replies: [{ discussion: 'd1', text: 'So.', session }] });
    const state = series(started, [message, NOON], ...answered, [message, NOON + HOUR]);
    expect(roundInput(state, { why: 'reply', pulls: [], seen: {} }).discussions).toMatchObject([
      { id: 'd1', session, messages: [{ by: 'person' }, { by: 'agent' }, { by: 'person' }] },
    ]);
  });

  it('continues a discussion, and refuses one that does not exist', () => {
    const state = series(started, [{ type: 'watch.said', data: { discussion: 'd1', text: 'Why?' } }, NOON]);
    expect(sayTo(state, { discussion: undefined, text: 'And?' })).toMatchObject([{ data: { discussion: 'd2' } }]);
    expect(() => sayTo(state, { discussion: 'd9', text: 'And?' })).toThrow('no discussion d9');
  });

  it('stays bounded over a thousand rounds', () => {
    let state = series(started);
    const sizes: number[] = [];
    for (let number = 1; number <= 1_000; number += 1) {
      const at = NOON + number * HOUR;
      const proposal = found(`Finding ${number} word${number}`, { file: `src/f${number}.ts` });
      for (const [event, when] of round(number, at, { proposals: [proposal] }))
        state = evolveSeries(state, event, when);
      sizes.push(JSON.stringify(roundInput(state, { why: 'interval', pulls: [], seen: {} })).length);
    }
    expect(state.proposals.length).toBeLessThanOrEqual(300);
    expect((sizes.at(-1) ?? 0) / (sizes[99] ?? 1)).toBeLessThan(1.2);
  });
});
