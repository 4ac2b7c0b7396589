import { describe, expect, it } from 'vitest';
import { marksOf, segmentsOf } from '../../../../../src/dashboard/features/run/timeline/task-segments.ts';
import { moved, ticksOf, zoomed } from '../../../../../src/dashboard/features/run/timeline/time-range.ts';
import { emptyHistory, recordEvent } from '../../../../../src/dashboard/features/run/timeline/timeline-history.ts';
import { mostUrgent, timelineRows } from '../../../../../src/dashboard/features/run/timeline/timeline-rows.ts';
import {
  added,
  attemptEnded,
  attempted,
  blocked,
  evidence,
  failure,
  given,
  landed,
  landing,
  type Story,
  spec,
  started,
  T0,
  taskEnded,
} from '../../../../support/given.ts';

const NONE = new Set<string>();

function segments(story: Story, key: string, history = emptyHistory()) {
  const task = story.state.tasks[key];
  if (task === undefined) throw new Error(`There is no ${key}`);
  return segmentsOf(story.state, task, history).map(({ kind, displayState, from, to }) => [
    kind,
    displayState,
    from - T0,
    to === null ? null : to - T0,
  ]);
}

describe("a task's row", () => {
  it('shows the wait for a slot, the attempt, then checks and landing', () => {
    const story = given(started(), added(spec('a')))
      .at(T0 + 2_000)
      .and(attempted('a'))
      .at(T0 + 5_000)
      .and(attemptEnded('a'), landing('a'))
      .at(T0 + 6_000)
      .and(landed('a'));
    expect(segments(story, 'a')).toEqual([
      ['wait', 'queued', 0, 2_000],
      ['attempt', 'done', 2_000, 5_000],
      ['checks', 'checking', 5_000, 6_000],
    ]);
  });

  it('shows a question that ended with its attempt once', () => {
    const story = given(started(), added(spec('a')), attempted('a'))
      .at(T0 + 5_000)
      .and(attemptEnded('a'), blocked('a'));
    const history = emptyHistory();
    history.waits.set('a', [{ from: T0 + 4_900, to: T0 + 5_000, description: 'Which colour?' }]);
    expect(segments(story, 'a', history).filter(([kind]) => kind === 'held')).toEqual([
      ['held', 'waiting', 5_000, null],
    ]);
  });

  it('keeps the time in which it waited for a person, also after the approval', () => {
    const hold = { what: 'guard', reason: 'it changes a test', files: [] } as const;
    const story = given(started(), added(spec('a')), attempted('a'))
      .at(T0 + 5_000)
      .and(attemptEnded('a'), landing('a'))
      .at(T0 + 6_000)
      .and({ type: 'task.held', data: { task: 'a', hold: { ...hold, files: [] }, commit: 'c' } });
    const history = emptyHistory();
    recordEvent(
      history,
      { type: 'task.held', data: { task: 'a', hold: { ...hold, files: [] }, commit: 'c' } },
      T0 + 6_000,
    );
    expect(segments(story, 'a', history)).toEqual([
      ['attempt', 'waiting', 0, 5_000],
      ['checks', 'checking', 5_000, 6_000],
      ['held', 'waiting', 6_000, null],
    ]);
    recordEvent(history, { type: 'task.approved', data: { task: 'a' } }, T0 + 60_000);
    const approved = story.at(T0 + 60_000).and({ type: 'task.approved', data: { task: 'a' } });
    expect(segments(approved.at(T0 + 61_000).and(landed('a')), 'a', history)).toEqual([
      ['attempt', 'done', 0, 5_000],
      ['checks', 'checking', 5_000, 61_000],
      ['held', 'waiting', 6_000, 60_000],
    ]);
  });

  it('distinguishes a rate limit from other failures', () => {
    const retried = (kind: 'rate-limit' | 'tests') =>
      given(started(), added(spec('a')), attempted('a'))
        .at(T0 + 1_000)
        .and(attemptEnded('a', 1, { failure: failure(kind) }))
        .at(T0 + 9_000)
        .and(attempted('a', 2));
    expect(segments(retried('rate-limit'), 'a')[1]).toEqual(['wait', 'waiting', 1_000, 9_000]);
    expect(segments(retried('tests'), 'a')[1]).toEqual(['wait', 'queued', 1_000, 9_000]);
    expect(segments(retried('tests'), 'a')[2]).toEqual(['attempt', 'running', 9_000, null]);
  });

  it('shows completed work that was not accepted as unverified', () => {
    const story = given(started(), added(spec('a')), attempted('a'))
      .at(T0 + 1_000)
      .and(attemptEnded('a'))
      .at(T0 + 2_000)
      .and(attempted('a', 2));
    expect(segments(story, 'a').map(([, displayState]) => displayState)).toEqual(['unverified', 'checking', 'running']);
  });

  it('ends with a segment that needs the user while it is blocked', () => {
    const story = given(started(), added(spec('a')), attempted('a'))
      .at(T0 + 1_000)
      .and(attemptEnded('a'), blocked('a'));
    expect(segments(story, 'a').at(-1)).toEqual(['held', 'waiting', 1_000, null]);
  });

  it('starts when the task was added, if the history contains that', () => {
    const late = added(spec('b'));
    const story = given(started(), added(spec('a')))
      .at(T0 + 5_000)
      .and(late)
      .at(T0 + 8_000)
      .and(attempted('b'));
    const history = emptyHistory();
    recordEvent(history, late, T0 + 5_000);
    expect(segments(story, 'b', history)[0]).toEqual(['wait', 'queued', 5_000, 8_000]);
  });

  it('has marks for gates and landing', () => {
    const story = given(started(), added(spec('a')), attempted('a'), attemptEnded('a'), landing('a'), landed('a'));
    const history = emptyHistory();
    const gate = { tasks: ['a'], commit: 'c', evidence: evidence('test', 'fail') };
    recordEvent(history, { type: 'gate.ended', data: gate }, T0);
    const task = story.state.tasks.a;
    expect(
      task === undefined ? [] : marksOf(task, history).map(({ shape, displayState }) => [shape, displayState]),
    ).toEqual([
      ['gate', 'failed'],
      ['landed', 'done'],
    ]);
  });
});

describe('the rows of a timeline', () => {
  it('are in the order of starts, then in plan order', () => {
    const story = given(started(), added(spec('a'), spec('b'), spec('c')), attempted('c'))
      .at(T0 + 10)
      .and(attempted('a'));
    expect(timelineRows(story.state, NONE)).toEqual([
      { kind: 'task', key: 'c' },
      { kind: 'task', key: 'a' },
      { kind: 'task', key: 'b' },
    ]);
  });

  it('are grouped by track, and a collapsed track is only its header', () => {
    const specs = [spec('a', { track: 'south' }), spec('b', { track: 'north' }), spec('c', { track: 'south' })];
    const story = given(started(), added(...specs), attempted('a'), attemptEnded('a'), taskEnded('a', 'done'));
    const rows = timelineRows(story.state, new Set(['north']));
    expect(rows.map((row) => (row.kind === 'task' ? row.key : `${row.track} ${row.done}/${row.tasks}`))).toEqual([
      'north 0/1',
      'south 1/2',
      'a',
      'c',
    ]);
  });

  it('include the most urgent task', () => {
    const story = given(started(), added(spec('a'), spec('b'), spec('c')), attempted('b'), blocked('b'));
    expect(mostUrgent(story.state)).toBe('b');
  });

  it('records how long the whole run was held', () => {
    const history = emptyHistory();
    recordEvent(history, { type: 'run.held', data: { hold: { what: 'plan', reason: 'a plan', files: [] } } }, 10);
    recordEvent(history, { type: 'run.approved', data: {} }, 30);
    expect(history.idlePeriods).toEqual([{ from: 10, to: 30, description: 'a plan' }]);
  });

  it('ends a period of the whole run with its rejection, and not with the resumption of one track', () => {
    const history = emptyHistory();
    recordEvent(history, { type: 'run.held', data: { hold: { what: 'plan', reason: 'a plan', files: [] } } }, 10);
    recordEvent(history, { type: 'run.unpaused', data: { track: 'north' } }, 20);
    recordEvent(history, { type: 'run.rejected', data: { hold: 'h', reason: 'another' } }, 30);
    recordEvent(history, { type: 'run.approved', data: {} }, 90);
    expect(history.idlePeriods).toEqual([{ from: 10, to: 30, description: 'a plan' }]);
  });

  it('marks approvals, rejections, answers and messages of the user', () => {
    const history = emptyHistory();
    recordEvent(history, { type: 'task.rejected', data: { task: 'a', hold: 'h', reason: 'too long' } }, 10);
    recordEvent(history, { type: 'task.answered', data: { task: 'a', question: 'q', answer: 'red' } }, 20);
    expect(history.marks.get('a')?.map(({ at, shape, description }) => [at, shape, description])).toEqual([
      [10, 'person', 'rejected by the user: too long'],
      [20, 'person', 'answered by the user'],
    ]);
  });
});

describe('the visible time range', () => {
  const whole = { from: 0, to: 100_000 };

  it('is zoomed around the point under the pointer', () => {
    const span = zoomed(whole, whole, { factor: 0.5, around: 0.25 });
    expect(span).toEqual({ from: 12_500, to: 62_500 });
  });

  it('stays within the full range', () => {
    expect(zoomed({ from: 0, to: 10_000 }, whole, { factor: 100, around: 0.5 })).toEqual(whole);
    expect(moved({ from: 90_000, to: 100_000 }, whole, 1)).toEqual({ from: 90_000, to: 100_000 });
    expect(moved({ from: 0, to: 10_000 }, whole, -5)).toEqual({ from: 0, to: 10_000 });
  });

  it('has round ticks since the start, few enough to read', () => {
    const ticks = ticksOf({ from: 1_000, to: 61_000 }, 1_000, 10);
    expect(ticks.map(({ at }) => at - 1_000)).toEqual([0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000]);
  });
});
