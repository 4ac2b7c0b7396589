import { describe, expect, it } from 'vitest';
import { startAttempt } from '../../../src/core/attempt/decide-attempt.ts';
import { sendMessage } from '../../../src/core/attempt/decide-message.ts';
import { cancelRun, holdRun } from '../../../src/core/run/decide-run.ts';
import type { RunState } from '../../../src/core/run/state.ts';
import { next } from '../../../src/core/schedule/schedule-next.ts';
import type { SchedulingInput } from '../../../src/core/schedule/tally.ts';
import type { RunEvent } from '../../../src/schema/event.ts';
import {
  added,
  attemptEnded,
  attempted,
  failure,
  given,
  spec,
  started,
  T0,
  taskEnded,
  used,
  worked,
} from '../../support/given.ts';

type Budget = { run?: number; project?: number; attempt?: number; recovery?: number };

function schedulingInput(more: Partial<SchedulingInput> = {}): SchedulingInput {
  const availability = { rateLimited: {}, busy: {}, maxParallel: {} };
  return {
    now: T0,
    slots: 10,
    availability: availability,
    projects: {},
    claimed: new Set(),
    landing: new Set(),
    outside: {},
    ...more,
  };
}

function actions(runs: RunState[], more: Partial<SchedulingInput> = {}): string[] {
  return next(runs, schedulingInput(more)).intents.map((intent) => {
    const what = intent.do === 'land' ? intent.tasks.join('+') : intent.task;
    return `${intent.do} ${intent.run} ${what}`;
  });
}

function run(
  id: string,
  events: RunEvent[],
  budget: Budget = {},
  limits: { runAttempts?: number; agents?: number; recoverySlots?: number } = {},
): RunState {
  return given(started({ run: id }, { budget, limits }), ...events).state;
}

const three = [added(spec('a'), spec('b'), spec('c'))];

describe('the deadline of a run', () => {
  const later = [added(spec('a'), spec('b', { notBefore: T0 + 60_000 }), spec('c', { needs: ['a'] }))];
  const until = (deadline: number) => given(started({ deadline }), ...later).state;

  it('ends every task that has not started, also one that would start later', () => {
    expect(actions([until(T0 + 1)])).toEqual(['attempt r0000001 a']);
    expect(actions([until(T0)])).toEqual(['give-up r0000001 b', 'give-up r0000001 a']);
    const { intents } = next([until(T0)], schedulingInput());
    expect(intents[0]).toMatchObject({ kind: 'timeout', limit: 'deadline' });
  });

  it('wakes the engine, although nothing else would', () => {
    const { wakeAt } = next([until(T0 + 5)], schedulingInput());
    expect(wakeAt).toBe(T0 + 5);
  });
});

describe('tasks that start together', () => {
  const group = (name = 'all') => [added(...['a', 'b', 'c'].map((key) => spec(key, { together: name })))];

  it('start all at once or not at all: slots, money and agents must be enough for each', () => {
    const state = run('run1', group());
    const all = ['a', 'b', 'c'].map((task) => `attempt run1 ${task}`);
    expect(actions([state], { slots: 3 })).toEqual(all);
    expect(actions([state], { slots: 2 })).toEqual([]);
    expect(next([state], schedulingInput({ slots: 2 })).waits.run1?.text).toContain('3 free slots');
    const availability = { rateLimited: {}, busy: {}, maxParallel: { one: 1, two: 1 } };
    expect(actions([state], { availability })).toEqual([]);
    const poor = run('run1', group(), { run: 1, attempt: 0.5 });
    expect(actions([poor])).toEqual(['a', 'b', 'c'].map((task) => `give-up run1 ${task}`));
    expect(actions([run('run1', group(), { run: 1.5, attempt: 0.5 })])).toEqual(all);
  });

  it('never start where fewer attempts may run at once', () => {
    const { intents } = next([run('run1', group(), {}, { agents: 2 })], schedulingInput());
    expect(intents).toHaveLength(3);
    expect(intents[0]).toMatchObject({ do: 'give-up', kind: 'environment' });
  });

  it('get the slots that become free before later runs do', () => {
    const [first, second] = [run('run1', group()), run('run2', three)];
    expect(actions([first, second], { slots: 2 })).toEqual([]);
  });

  it('are on their own once one of them has started, so that a restart starts the others', () => {
    const state = run('run1', [...group(), attempted('a')]);
    expect(actions([state], { slots: 1 })).toEqual(['attempt run1 b']);
    expect(actions([run('run1', group())], { slots: 1, claimed: new Set(['run1 a']) })).toEqual(['attempt run1 b']);
  });
});

describe('the actions to perform now', () => {
  it('is the task of the run with the highest priority; a run that waits long rises', () => {
    const low = run('run1', [added(spec('a', { priority: -10 }), spec('b', { priority: -10 }))]);
    const high = run('run2', [added(spec('a', { priority: 10 }))]);
    expect(actions([low, high], { slots: 2 })).toEqual(['attempt run2 a', 'attempt run1 a']);
    const { startedAt } = low;
    const later = { ...high, startedAt: startedAt + 11 * 3_600_000 };
    expect(actions([low, later], { slots: 1, now: later.startedAt })).toEqual(['attempt run1 a']);
    const equal = [run('run1', three), run('run2', three)];
    expect(actions(equal, { slots: 4 })).toEqual([
      'attempt run1 a',
      'attempt run2 a',
      'attempt run1 b',
      'attempt run2 b',
    ]);
  });

  it('is every ready task for which there is a slot, higher priority first', () => {
    const state = run('run1', [added(spec('a'), spec('b', { priority: 5 }), spec('c', { needs: ['a'] }))]);
    expect(actions([state])).toEqual(['attempt run1 b', 'attempt run1 a']);
    expect(actions([state], { slots: 1 })).toEqual(['attempt run1 b']);
    expect(actions([state], { slots: 0 })).toEqual([]);
  });

  it('takes one task of each run in turn, so that a large run cannot starve a small one', () => {
    const runs = [run('run1', three), run('run2', three)];
    expect(actions(runs, { slots: 3 })).toEqual(['attempt run1 a', 'attempt run2 a', 'attempt run1 b']);
  });

  it('never schedules a task that is already claimed', () => {
    expect(actions([run('run1', three)], { claimed: new Set(['run1 a', 'run1 c']) })).toEqual(['attempt run1 b']);
  });

  it('keeps each run to its own number of attempts at once, claims included', () => {
    const state = run('run1', [...three, attempted('a')], {}, { agents: 2 });
    expect(actions([state])).toEqual(['attempt run1 b']);
    expect(actions([state], { claimed: new Set(['run1 b']) })).toEqual([]);
  });

  it('keeps the runs of a project to the attempts at once of the project, and each track to its own', () => {
    const limits = { agents: 2 };
    const runs = [run('run1', [...three, attempted('a')], {}, limits), run('run2', three, {}, limits)];
    const other = given(started({ run: 'run3', project: { id: 'other', root: '/other' } }), ...three).state;
    expect(actions([...runs, other], { slots: 9 })).toEqual([
      'attempt run1 b',
      ...['a', 'b', 'c'].map((task) => `attempt run3 ${task}`),
    ]);
    expect(next(runs, schedulingInput()).waits.run2?.text).toBe('2 of 2 attempts of the project are running');
    const tasks = added(spec('a', { track: 'ui' }), spec('b', { track: 'ui' }), spec('c', { track: 'api' }));
    const tracked = given(started({ run: 'run1' }, { tracks: { ui: { features: 1 }, api: {} } }), tasks);
    expect(actions([tracked.state])).toEqual(['attempt run1 a', 'attempt run1 c']);
    expect(actions([tracked.and(attempted('a')).state])).toEqual(['attempt run1 c']);
  });

  it('starts nothing in a run that is held, cancelled or ended', () => {
    const held = given(started(), ...three).when((state) => holdRun(state, { what: 'plan', reason: '', files: [] }));
    const cancelled = given(started(), ...three).when((state) => cancelRun(state, 'enough'));
    expect(actions([held.state, cancelled.state])).toEqual([]);
  });

  it('lands waiting work in the order of its completion, one landing per run at a time', () => {
    const state = run('run1', [...three, ...worked('b'), ...worked('a'), taskEnded('c', 'skipped')]);
    expect(actions([state])).toEqual(['land run1 b+a']);
    expect(actions([state], { landing: new Set(['run1']) })).toEqual([]);
  });
});

describe('a message to a running attempt', () => {
  const reservation = { costUsd: 1, tokens: 0, turns: 0 };
  const message = { task: 'a', message: 'Use tabs', comments: [], now: T0 };
  const running = (spentUsd: number) =>
    given(
      started({ run: 'run1' }, { budget: { run: 1, attempt: 1 } }),
      added(spec('a')),
      attempted('a', 1, { reservation }),
      { type: 'attempt.used', data: { task: 'a', attempt: 1, usage: used(spentUsd) } },
    );

  it('uses what is left of the reservation of that attempt', () => {
    const story = running(0.3).when((state) => sendMessage(state, message));
    const interrupted = { usage: used(0.4), failure: failure('interrupted') };
    const next1 = story.and(attemptEnded('a', 1, interrupted), {
      type: 'task.retrying',
      data: { task: 'a', at: T0, counted: false, resume: true, evidence: '' },
    });
    expect(next([next1.state], schedulingInput()).intents).toMatchObject([
      { do: 'attempt', task: 'a', reservation: { costUsd: 0.6 } },
    ]);
  });

  it('is refused if the attempt has used it up', () => {
    expect(() => sendMessage(running(1).state, message)).toThrow('A message needs another attempt');
  });
});

describe('waiting for a time', () => {
  const state = run('run1', [added(spec('a', { notBefore: T0 + 50 }), spec('b', { notBefore: T0 + 20 }))]);

  it('requests a wake-up at the first time at which a task can start', () => {
    expect(next([state], schedulingInput())).toMatchObject({ intents: [], wakeAt: T0 + 20 });
  });

  it('starts each task once its start time is reached', () => {
    expect(actions([state], { now: T0 + 20 })).toEqual(['attempt run1 b']);
    expect(actions([state], { now: T0 + 50 })).toHaveLength(2);
  });

  it('requests a wake-up when the rate limit of an agent ends', () => {
    const availability = { rateLimited: { one: T0 + 9, two: T0 + 7 }, busy: {}, maxParallel: {} };
    expect(next([run('run1', three)], schedulingInput({ availability }))).toMatchObject({
      intents: [],
      wakeAt: T0 + 7,
    });
  });

  it('skips a task whose agent is rate-limited for one that can start', () => {
    const tasks = [added(spec('a', { agent: 'gone' }), spec('b'))];
    const state = given(started({ run: 'run1' }, { routing: { order: ['one'], fallback: false } }), ...tasks).state;
    const availability = { rateLimited: { gone: T0 + 9 }, busy: {}, maxParallel: {} };
    expect(actions([state], { availability })).toEqual(['attempt run1 b']);
  });

  it('respects the concurrency limit of an agent over all runs', () => {
    const availability = { rateLimited: {}, busy: { one: 1 }, maxParallel: { one: 2 } };
    expect(actions([run('run1', three), run('run2', three)], { availability })).toEqual(['attempt run1 a']);
  });
});

describe('coming after another run', () => {
  const state = run('run1', [added(spec('a', { after: ['run0'] }), spec('b'))]);

  it('waits while that is open, and starts when it is done', () => {
    expect(actions([state])).toEqual(['attempt run1 b']);
    expect(actions([state], { outside: { run0: 'done' } })).toEqual(['attempt run1 a', 'attempt run1 b']);
  });

  it('fails when that was not done', () => {
    expect(actions([state], { outside: { run0: 'failed' } })).toEqual(['give-up run1 a', 'attempt run1 b']);
  });
});

describe('money', () => {
  it('of a run is never promised twice, not even in one admission', () => {
    expect(actions([run('run1', three, { run: 2.5, attempt: 1 })])).toEqual(['attempt run1 a', 'attempt run1 b']);
  });

  it('of a project is never promised to two runs', () => {
    const runs = [run('run1', three, { project: 1, attempt: 1 }), run('run2', three, { project: 1, attempt: 1 })];
    expect(actions(runs)).toEqual(['attempt run1 a']);
  });

  it('is set aside by a claim before its start is on record', () => {
    const runs = [run('run1', three, { project: 1, attempt: 1 }), run('run2', three, { project: 1, attempt: 1 })];
    expect(actions(runs, { claimed: new Set(['run1 a']) })).toEqual([]);
    expect(actions([run('run1', three, { run: 1, attempt: 1 })], { claimed: new Set(['run1 a']) })).toEqual([]);
  });

  it('is set aside once when the start of a claim is on record', () => {
    const story = given(started({ run: 'run1' }, { budget: { run: 2, attempt: 1 } }), ...three).when((state) =>
      startAttempt(state, {
        task: 'a',
        agent: 'one',
        because: '',
        base: '',
        reservation: { costUsd: 1, tokens: 0, turns: 0 },
      }),
    );
    expect(actions([story.state], { claimed: new Set(['run1 a']) })).toEqual(['attempt run1 b']);
  });

  it('that is exhausted fails the task, and reports the remainder of the tighter budget', () => {
    const spent = [...three, attempted('a'), attemptEnded('a', 1, { usage: used(1.5) }), taskEnded('a', 'done')];
    const budget = { run: 9, project: 2, attempt: 1 };
    const [first] = next([run('run1', spent, budget)], schedulingInput()).intents;
    expect(first).toMatchObject({ do: 'give-up', task: 'b', kind: 'budget' });
    expect(first).toHaveProperty('reason', 'an attempt reserves $1.00 and the budget has $0.50 left');
  });

  it('that ended runs have spent counts once, whether they are among the given runs or reported by their project', () => {
    const budget = { project: 2, attempt: 1 };
    const spend = { costUsd: 1, tokens: 0, turns: 0 };
    const ended = given(started({ run: 'run0' }, { budget }), added(spec('a')), attempted('a'))
      .and(attemptEnded('a', 1, { usage: used(1) }), taskEnded('a', 'done'))
      .and({ type: 'run.ended', data: { status: 'done', reason: '', spend } });
    const live = run('run1', [added(spec('a'), spec('b'))], budget);
    expect(actions([ended.state, live])).toEqual(['attempt run1 a']);
    expect(actions([live], { projects: { project: 1 } })).toEqual(['attempt run1 a']);
    expect(actions([live], { projects: { project: 1.5 } })).toEqual(['give-up run1 a', 'give-up run1 b']);
  });
});

describe('attempts that repeat failed ones', () => {
  const again = (task: string, costUsd = 0): RunEvent[] => [
    attempted(task),
    attemptEnded(task, 1, { failure: failure('tests') }),
    { type: 'task.retrying', data: { task, at: T0, counted: true, resume: false, evidence: 'red' } },
    ...(costUsd === 0
      ? []
      : [
          attempted(task, 2),
          attemptEnded(task, 2, { failure: failure('tests'), usage: used(costUsd) }),
          { type: 'task.retrying', data: { task, at: T0, counted: true, resume: false, evidence: 'red' } } as const,
        ]),
  ];

  it('have slots of their own, and the others go to the rest of the tasks', () => {
    const state = run('run1', [...three, ...again('a'), ...again('b')], {}, { recoverySlots: 1 });
    expect(actions([state])).toEqual(['attempt run1 c', 'attempt run1 a']);
    expect(actions([state], { claimed: new Set(['run1 a']) })).toEqual(['attempt run1 c']);
    expect(actions([run('run1', [...three, ...again('a'), ...again('b')])]).toSorted()).toEqual([
      'attempt run1 a',
      'attempt run1 b',
      'attempt run1 c',
    ]);
  });

  it('have a budget, after which they are not attempted again unless a person retries', () => {
    const events = [...three, ...again('a', 1.5), ...again('b')];
    const state = run('run1', events, { recovery: 2, attempt: 1 });
    expect(actions([state])).toEqual(['attempt run1 c', 'give-up run1 a', 'give-up run1 b']);
    const [, ended] = next([state], schedulingInput()).intents;
    const reason = 'repeated attempts have cost $1.50 of $2.00';
    expect(ended).toMatchObject({ kind: 'budget', limit: 'recovery-budget', reason });
    const reopened: RunEvent = { type: 'run.reopened', data: { tasks: ['a'], reason: 'a person' } };
    const retried = run('run1', [...events, taskEnded('a', 'failed'), reopened], { recovery: 2, attempt: 1 });
    expect(actions([retried])).toContain('attempt run1 a');
    const enough = run('run1', [...three, ...again('a', 0.5), ...again('b')], { recovery: 2, attempt: 1 });
    expect(actions([enough])).toEqual(['attempt run1 c', 'attempt run1 a']);
  });
});

describe('the cap on attempts of a run', () => {
  it('holds for first attempts too, within one admission and with claims', () => {
    expect(actions([run('run1', three, {}, { runAttempts: 2 })])).toEqual(['attempt run1 a', 'attempt run1 b']);
    expect(actions([run('run1', three, {}, { runAttempts: 1 })], { claimed: new Set(['run1 a']) })).toEqual([]);
  });

  it('ends what can never start', () => {
    const state = run('run1', [...three, attempted('a')], {}, { runAttempts: 1 });
    expect(actions([state])).toEqual(['give-up run1 b', 'give-up run1 c']);
  });
});

describe('what a run waits for', () => {
  const waits = (states: RunState[], more: Partial<SchedulingInput> = {}) => next(states, schedulingInput(more)).waits;

  it('is a free slot, an agent, money, another run or a time', () => {
    const one = (more: Parameters<typeof spec>[1] = {}) => run('run1', [added(spec('a', more))]);
    expect(waits([one()])).toEqual({});
    expect(waits([one()], { slots: 0, slotLimit: 1 })).toEqual({
      run1: { kind: 'slots', text: '1 of 1 slots busy', task: 'a' },
    });
    const short = schedulingInput({ shortages: { run1: 'low' } });
    expect(next([one()], short).wakeAt).toBeGreaterThan(short.now);
    expect(waits([one()], { shortages: { run1: 'less than 500 MB of memory is free' } }).run1?.text).toBe(
      'less than 500 MB of memory is free',
    );
    const two = [one(), run('run2', [added(spec('a'))])];
    expect(actions(two, { shortages: { run1: 'low' } }), 'the limits of a run are its own').toEqual(['attempt run2 a']);
    const rateLimited = { one: T0 + 5_000, two: T0 + 3_000 };
    expect(waits([one()], { availability: { rateLimited, busy: {}, maxParallel: {} } })).toEqual({
      run1: { kind: 'agent', text: 'two is rate-limited', until: T0 + 3_000, task: 'a' },
    });
    expect(waits([one()], { availability: { rateLimited: {}, busy: { one: 2 }, maxParallel: { one: 2 } } })).toEqual({
      run1: { kind: 'agent', text: 'one is busy with 2 of 2 attempts', task: 'a' },
    });
    expect(waits([one({ after: ['k3v9', 'm2n8/job/1'] })])).toMatchObject({ run1: { text: 'waits for run k3v9' } });
    expect(waits([one({ after: ['k3v9'] })], { slots: 0 }).run1?.kind).toBe('run');
    expect(waits([one({ after: ['m2n8/job/1'] })]).run1?.text).toBe('waits for task job/1 of run m2n8');
    expect(waits([one({ notBefore: T0 + 9_000 })])).toEqual({
      run1: { kind: 'time', text: 'scheduled', until: T0 + 9_000, task: 'a' },
    });
  });

  it('is nothing while a task of it runs, is being started or lands', () => {
    const busy = run('run1', [added(spec('a'), spec('b')), attempted('a')]);
    expect(waits([busy], { slots: 0 })).toEqual({});
    const claimed = run('run1', [added(spec('a'), spec('b'))]);
    expect(waits([claimed], { slots: 0, claimed: new Set(['run1 a']) })).toEqual({});
    expect(waits([run('run1', [added(spec('a')), ...worked('a')])])).toEqual({});
  });
});
