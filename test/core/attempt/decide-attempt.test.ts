import { describe, expect, it } from 'vitest';
import {
  dismissWarning,
  type EndAttempt,
  endAttempt,
  recordSpawn,
  recordUsage,
  startAttempt,
  warnOf,
} from '../../../src/core/attempt/decide-attempt.ts';
import { cancelRun, holdRun } from '../../../src/core/run/decide-run.ts';
import type { RunState } from '../../../src/core/run/state.ts';
import { runDocument } from '../../../src/core/view/document.ts';
import type { FollowUp } from '../../../src/schema/failure.ts';
import {
  added,
  attempted,
  failure,
  given,
  landed,
  saved,
  spec,
  started,
  statuses,
  T0,
  used,
  worked,
} from '../../support/given.ts';

const START = {
  task: 'a',
  agent: 'one',
  because: 'a test',
  base: 'base',
  reservation: { costUsd: 1, tokens: 0, turns: 0 },
};
const END: EndAttempt = { task: 'a', attempt: 1, usage: { kind: 'none' }, summary: 'said so', now: T0 };
const AGAIN: FollowUp = { action: 'retry', delayMs: 500, resume: false, free: false };
const PROCESS = { identity: { boot: 'boot', pidNamespace: 'ns', pid: 7, startTime: '1' }, token: 'token' };

const ready = given(started(), added(spec('a'), spec('b', { needs: ['a'] })));
const running = ready.and(attempted('a'));
const ending = (more: Partial<EndAttempt>) => (state: RunState) => endAttempt(state, { ...END, ...more });

describe('starting an attempt', () => {
  it('claims a ready task under the next number', () => {
    const story = ready.when((state) => startAttempt(state, START));
    expect(story.events).toEqual([{ type: 'attempt.started', data: { ...START, attempt: 1 } }]);
    expect(statuses(story.state)).toEqual({ a: 'running', b: 'waiting' });
  });

  it('is refused for a task that waits, runs, or does not exist', () => {
    expect(() => startAttempt(ready.state, { ...START, task: 'b' })).toThrow('b is waiting, not ready');
    expect(() => startAttempt(running.state, START)).toThrow('a is running, not ready');
    expect(() => startAttempt(ready.state, { ...START, task: 'constructor' })).toThrow('has no task constructor');
  });

  it('is refused while the run is held', () => {
    const held = ready.when((state) => holdRun(state, { what: 'plan', reason: 'look', files: [] }));
    expect(() => startAttempt(held.state, START)).toThrow('is held');
  });
});

describe('what an attempt reports while it runs', () => {
  it('is put on record: its process, and what it has used', () => {
    const story = running
      .when((state) => recordSpawn(state, { task: 'a', attempt: 1, process: PROCESS }))
      .when((state) => recordUsage(state, { task: 'a', attempt: 1, usage: used(0.5) }));
    expect(story.state.tasks.a?.attempts[0]).toMatchObject({ process: PROCESS, usage: used(0.5), ended: null });
  });

  it('is the least that it cost where its usage is not known in the end', () => {
    const story = running
      .when((state) => recordUsage(state, { task: 'a', attempt: 1, usage: used(0.5) }))
      .when(ending({ saved: saved('a'), usage: { kind: 'unknown' } }));
    expect(story.state.tasks.a?.attempts[0]?.usage).toEqual({ kind: 'unknown', reportedUsd: 0.5 });
    expect(story.state.spent.costUsd).toBe(0.5);
  });

  it('is refused once the attempt has ended', () => {
    const ended = running.when(ending({ saved: saved('a') }));
    expect(() => recordUsage(ended.state, { task: 'a', attempt: 1, usage: used(1) })).toThrow(
      'a is landing, not running',
    );
    expect(() => recordSpawn(ended.state, { task: 'a', attempt: 1, process: PROCESS })).toThrow('not running');
  });
});

describe('ending an attempt', () => {
  it('sends changed work to landing', () => {
    const story = running.when(ending({ saved: saved('a') }));
    expect(statuses(story.state)).toEqual({ a: 'landing', b: 'waiting' });
    expect(story.state.landing).toEqual({ a: true });
  });

  it('is the end of a task that had nothing to land', () => {
    const reading = given(started(), added(spec('a', { access: 'read' })), attempted('a'));
    expect(statuses(reading.when(ending({ saved: saved('a') })).state)).toEqual({ a: 'done' });
    expect(statuses(running.when(ending({ saved: saved('a', false) })).state)).toEqual({ a: 'done', b: 'ready' });
  });

  it('lands nothing of a task that may only read, or whose work does not land, and says that it is saved', () => {
    const endOf = (more: Parameters<typeof spec>[1]) => {
      const story = given(started(), added(spec('a', more)), attempted('a')).when(ending({ saved: saved('a') }));
      return story.events.at(-1);
    };
    const done = { task: 'a', status: 'done' };
    const isRead = 'it may only read: what it changed is saved and does not land';
    expect(endOf({ access: 'read' })).toEqual({ type: 'task.ended', data: { ...done, reason: isRead } });
    const reason = 'its work is saved and does not land';
    expect(endOf({ lands: false })).toEqual({ type: 'task.ended', data: { ...done, reason } });
    expect(endOf({})?.type).toBe('task.landing');
  });

  it('delays a failed task, and passes the failure to the next attempt', () => {
    const story = running.when(
      ending({ failure: { kind: 'tests', message: 'red', evidence: '1 of 3 failed' }, follow: AGAIN }),
    );
    expect(story.state.tasks.a).toMatchObject({
      counted: 1,
      free: 0,
      lesson: 'red\n\n1 of 3 failed',
      phase: { status: 'ready', notBefore: T0 + 500 },
    });
    expect(story.state.delayed).toEqual({ a: T0 + 500 });
  });

  it('continues in the same session, uncounted, after an interruption', () => {
    const follow: FollowUp = { action: 'retry', delayMs: 0, resume: true, free: true };
    const story = running.when(ending({ failure: failure('interrupted'), follow }));
    expect(story.state.tasks.a).toMatchObject({
      counted: 0,
      free: 1,
      resume: true,
      lesson: null,
      phase: { status: 'ready' },
    });
  });

  it('fails the task, and skips all that need it, when nothing is left to try', () => {
    const story = ready
      .and(added(spec('c', { needs: ['b'] })), attempted('a'))
      .when(ending({ failure: failure('refused'), follow: { action: 'fail' } }));
    expect(statuses(story.state)).toEqual({ a: 'failed', b: 'skipped', c: 'skipped' });
  });

  it('fails the task when there is no follow-up', () => {
    expect(statuses(running.when(ending({ failure: failure('unknown') })).state)).toEqual({
      a: 'failed',
      b: 'skipped',
    });
  });

  it('blocks the task with the next step, and what needs it keeps waiting', () => {
    const story = running.when(ending({ failure: failure('disk-full'), follow: { action: 'block', reason: 'full' } }));
    expect(statuses(story.state)).toEqual({ a: 'blocked', b: 'waiting' });
    expect(story.state.tasks.a?.phase).toEqual({
      status: 'blocked',
      reason: 'full',
      nextStep: 'Free some disk space, then manyhands retry r0000001 a',
      landing: null,
    });
  });

  it('cancels the task when the run is being cancelled, and keeps what was saved', () => {
    const story = running.when((state) => cancelRun(state, 'enough')).when(ending({ saved: saved('a') }));
    expect(statuses(story.state)).toEqual({ a: 'cancelled', b: 'cancelled' });
    expect(story.state.tasks.a?.attempts[0]?.ended?.saved).toEqual(saved('a'));
  });

  it('is refused to an attempt that is not the current one', () => {
    const second = running
      .when(ending({ failure: failure('tests'), follow: { ...AGAIN, delayMs: 0 } }))
      .and(attempted('a', 2));
    expect(() => endAttempt(second.state, END)).toThrow('Attempt 1 of a is not the current one');
    expect(() => endAttempt(ready.state, END)).toThrow('a is ready, not running');
  });
});

describe('analysing a failure before the next attempt', () => {
  const analysing = given(
    started(),
    added(spec('a', { retry: { policy: 'analyze', attempts: 3 } })),
    attempted('a'),
  ).when(ending({ failure: failure('tests'), follow: AGAIN }));
  const due = analysing.at(T0 + 500).and(attempted('analyze/1.1'));

  it('adds one reading task that studies it, no sooner than the retry itself would have started', () => {
    expect(statuses(analysing.state)).toEqual({ a: 'analyzing', 'analyze/1.1': 'ready' });
    expect(analysing.state.tasks['analyze/1.1']?.spec).toMatchObject({
      access: 'read',
      analyzes: 'a',
      optional: true,
      notBefore: T0 + 500,
    });
  });

  it('hands what it found to the next attempt', () => {
    const story = due.when(ending({ task: 'analyze/1.1', summary: 'the clock is wrong' }));
    expect(statuses(story.state)).toEqual({ a: 'ready', 'analyze/1.1': 'done' });
    expect(story.state.tasks.a?.lesson).toContain('the clock is wrong');
  });

  it('continues the task without it when the analysis itself fails', () => {
    const story = due.when(ending({ task: 'analyze/1.1', failure: failure('crashed'), follow: AGAIN }));
    expect(statuses(story.state)).toEqual({ a: 'ready', 'analyze/1.1': 'failed' });
  });

  it('has a separate key for each attempt', () => {
    const again = due
      .when(ending({ task: 'analyze/1.1' }))
      .and(attempted('a', 2))
      .when(ending({ attempt: 2, failure: failure('tests'), follow: AGAIN }));
    expect(Object.keys(again.state.tasks)).toEqual(['a', 'analyze/1.1', 'analyze/1.2']);
  });
});

describe('a resolver', () => {
  it('that changed nothing has resolved nothing: it is retried, and the conflict stays open', () => {
    const conflicted = given(
      started(),
      added(spec('a')),
      ...worked('a'),
      added(spec('resolve/1.1', { resolves: 'a', retry: { attempts: 2 } })),
      { type: 'task.conflicted', data: { task: 'a', onto: 'tip', files: ['x'], resolver: 'resolve/1.1' } },
      attempted('resolve/1.1'),
    );
    const first = conflicted.when(ending({ task: 'resolve/1.1', saved: saved('a', false) }));
    expect(statuses(first.state)).toEqual({ a: 'conflicted', 'resolve/1.1': 'ready' });
    const second = first.and(attempted('resolve/1.1', 2)).when(ending({ task: 'resolve/1.1', attempt: 2 }));
    expect(statuses(second.state)).toEqual({ a: 'failed', 'resolve/1.1': 'failed' });
  });

  it('that is not needed any more cannot reopen a landed task', () => {
    const done = given(started(), added(spec('a')), ...worked('a'), landed('a'));
    expect(() => endAttempt(done.state, END)).toThrow('a is done, not running');
  });
});

describe('a warning about an attempt', () => {
  const SILENT = { sign: 'silent' as const, message: 'it has said nothing' };
  const warning = (state: RunState) => warnOf(state, { task: 'a', attempt: 1, warnings: [SILENT] });
  const dismissing = (state: RunState) => dismissWarning(state, { task: 'a', attempt: 1, sign: 'silent' });
  const warned = given(started(), added(spec('a')), attempted('a')).when(warning);

  it('shows a dismissed warning no longer, keeps it on record, and does not warn of the same again', () => {
    expect(runDocument(warned.state).tasks[0]?.warnings).toEqual(['it has said nothing']);
    const dismissed = warned.when(dismissing);
    expect(runDocument(dismissed.state).tasks[0]?.warnings).toEqual([]);
    expect(dismissed.state.tasks.a?.attempts[0]?.warnings).toMatchObject([{ sign: 'silent', dismissed: true }]);
    expect(dismissed.when(warning).events).toEqual([]);
    expect(dismissed.when(dismissing).events).toEqual([]);
  });

  it('rejects a warning that does not exist', () => {
    expect(() => dismissWarning(warned.state, { task: 'a', attempt: 1, sign: 'many-turns' })).toThrow('no warning');
    expect(() => dismissWarning(warned.state, { task: 'a', attempt: 2, sign: 'silent' })).toThrow('Attempt 2 of a');
  });
});
