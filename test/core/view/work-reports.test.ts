import { describe, expect, it } from 'vitest';
import { pressureReport } from '../../../src/core/view/pressure-report.ts';
import { teamReport } from '../../../src/core/view/team-report.ts';
import { toMarkdown } from '../../../src/reports/markdown.ts';
import { pressurePage, teamPage } from '../../../src/reports/work-report.ts';
import { added, attemptEnded, attempted, given, spec, started, T0 } from '../../support/given.ts';

const USAGE = { kind: 'known', costUsd: 2, inputTokens: 1, outputTokens: 1, cachedTokens: 0, turns: 1 } as const;
const RATE_LIMIT = { kind: 'rate-limit', message: 'too many requests' } as const;
const HOUR = 3_600_000;

/** Two tasks at once; the first is tried again an hour after a rate limit. */
const story = given(started(), added(spec('a', { role: 'implement' }), spec('b', { role: 'review' })))
  .at(T0 + HOUR)
  .and(attempted('a'), attempted('b'))
  .at(T0 + 2 * HOUR)
  .and(attemptEnded('a', 1, { failure: RATE_LIMIT, usage: USAGE }), attemptEnded('b', 1, { usage: USAGE }))
  .and({ type: 'task.retrying', data: { task: 'a', at: T0 + 3 * HOUR, counted: false, resume: true, evidence: '' } })
  .at(T0 + 3 * HOUR)
  .and(attempted('a', 2))
  .at(T0 + 4 * HOUR)
  .and(attemptEnded('a', 2, { usage: USAGE }));
const EVENTS = [
  { type: 'tasks.added', data: { specs: [spec('a'), spec('b')] } },
  { type: 'task.held', data: { task: 'b', hold: { id: 'h1' } }, at: T0 + HOUR },
  { type: 'task.approved', data: { task: 'b', hold: 'h1' }, at: T0 + 2 * HOUR },
  { type: 'run.held', data: { hold: { id: 'h2' } }, at: T0 + 5 * HOUR },
].map((event, version) => ({ at: T0, version, ...event }));

describe('the pressure report', () => {
  const limits = { all: 2, of: { one: 1 } };
  const report = pressureReport([{ state: story.state, events: EVENTS }], limits, T0 + 6 * HOUR);

  it('compares what ran at once with the limits', () => {
    expect(report.agents[0]).toEqual({
      agent: 'all',
      attempts: 3,
      mostAtOnce: 2,
      limit: 2,
      busyMs: 3 * HOUR,
      atLimitMs: HOUR,
    });
    expect(report).toMatchObject({
      runs: 1,
      from: new Date(T0 + HOUR).toISOString(),
      to: new Date(T0 + 4 * HOUR).toISOString(),
    });
  });

  it('says what was waited for, the longest first', () => {
    expect(report.waits).toEqual([
      {
        cause: 'a slot, an account or the budget, before the first attempt',
        times: 2,
        totalMs: 2 * HOUR,
        longestMs: HOUR,
      },
      { cause: 'a person: a decision', times: 2, totalMs: 2 * HOUR, longestMs: HOUR },
      { cause: 'after rate-limit', times: 1, totalMs: HOUR, longestMs: HOUR },
    ]);
  });

  it('says what money was spent for, and what of it for retries', () => {
    expect(report.retries).toEqual([{ cause: 'again after rate-limit', times: 1, cost: 2 }]);
    expect(report.costs.map(({ cause, cost }) => `${cause} ${cost}`).sort()).toEqual([
      'again after rate-limit 2',
      'implement 2',
      'review 2',
    ]);
  });

  it('counts what still runs until now, and nothing where there is nothing', () => {
    const running = given(started(), added(spec('a')), attempted('a'));
    const open = pressureReport([{ state: running.state, events: [] }], limits, T0 + HOUR);
    expect(open.agents[0]).toMatchObject({ mostAtOnce: 1, busyMs: HOUR });
    expect(pressureReport([], limits, T0)).toMatchObject({ runs: 0, from: null, to: null, waits: [], costs: [] });
  });
});

describe('the team report', () => {
  it('has a row for each agent and role, and how they worked together', () => {
    const report = teamReport([story.state], T0 + 6 * HOUR);
    expect(
      report.members.map(({ role, attempts, succeeded, failed, cost }) => ({
        role,
        attempts,
        succeeded,
        failed,
        cost,
      })),
    ).toEqual([
      { role: 'implement', attempts: 2, succeeded: 1, failed: 1, cost: 4 },
      { role: 'review', attempts: 1, succeeded: 1, failed: 0, cost: 2 },
    ]);
    expect(report.runs).toMatchObject([{ run: 'r0000001', tasks: 2 }]);
    expect(report.together).toMatchObject({ subtasks: 0, questions: 0, conflicts: 0 });
  });
});

describe('the documents of both', () => {
  it('have tables, and say that there is nothing', () => {
    const state = given(started({ title: 'a | b <script>' }), added(spec('a')), attempted('a')).state;
    const team = toMarkdown(teamPage(teamReport([state], T0), 'shop'));
    expect(team).toContain('# Team report of shop');
    expect(team).not.toContain('<script>');
    expect(toMarkdown(teamPage(teamReport([], T0), 'shop'))).toContain('There is no run in this time');
    expect(toMarkdown(pressurePage(pressureReport([], { all: 2, of: {} }, T0), 'shop'))).toContain(
      '0 runs, no attempt',
    );
  });
});
