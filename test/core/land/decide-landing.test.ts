import { describe, expect, it } from 'vitest';
import {
  completeLanding,
  conflictLanding,
  holdLanding,
  recordGate,
  rejectLanding,
} from '../../../src/core/land/decide-landing.ts';
import { approve } from '../../../src/core/run/answer-hold.ts';
import { retryTasks } from '../../../src/core/run/decide-run.ts';
import type { RunState } from '../../../src/core/run/state.ts';
import type { FollowUp } from '../../../src/schema/failure.ts';
import { added, evidence, failure, given, landed, spec, started, statuses, T0, worked } from '../../support/given.ts';

const RED = { failure: failure('tests', 'red'), from: { commit: 'candidate', base: 'tip' }, now: T0 };
const AGAIN: FollowUp = { action: 'retry', delayMs: 0, resume: false, free: false };
const GUARD = { what: 'guard', reason: 'it changes the test script', files: ['package.json'] } as const;

const waiting = given(started(), added(spec('a'), spec('b', { needs: ['a'] })), ...worked('a'));
const conflicting = (task: string) => (state: RunState) =>
  conflictLanding(state, { task, onto: 'tip', files: ['x', 'y'], now: T0 });
const landingOf = (task: string) => (state: RunState) =>
  completeLanding(state, { tasks: [task], from: 'base', commit: 'tip', tree: 'tree' });

describe('landing', () => {
  it('moves the branch, ends the tasks, and makes their dependents ready', () => {
    const story = waiting.when(landingOf('a'));
    expect(statuses(story.state)).toEqual({ a: 'done', b: 'ready' });
    expect(story.state.tip).toEqual({ commit: 'tip', tree: 'tree' });
    expect(story.state.landing).toEqual({});
  });

  it('is refused when the branch moved concurrently', () => {
    expect(() =>
      completeLanding(waiting.state, { tasks: ['a'], from: 'elsewhere', commit: 'tip', tree: 'tree' }),
    ).toThrow('moved concurrently from elsewhere');
  });

  it('is refused for a task that has nothing to land', () => {
    expect(() => completeLanding(waiting.state, { tasks: ['b'], from: 'base', commit: 'tip', tree: 'tree' })).toThrow(
      'b is waiting',
    );
  });

  it('counts a task once, however often it is named', () => {
    const story = waiting.when((state) =>
      completeLanding(state, { tasks: ['a', 'a'], from: 'base', commit: 'tip', tree: 'tree' }),
    );
    expect(story.state.tasks.b?.missing).toBe(0);
  });
});

describe('a check that was red on the merged tree', () => {
  it('retries the task from exactly that tree, with the evidence', () => {
    const story = waiting.when((state) => rejectLanding(state, { task: 'a', follow: AGAIN, ...RED }));
    expect(story.state.tasks.a).toMatchObject({
      counted: 1,
      lesson: 'red',
      from: RED.from,
      phase: { status: 'ready' },
    });
  });

  it('fails the task at its cap', () => {
    const last = given(started(), added(spec('a', { retry: { attempts: 1 } })), ...worked('a'));
    expect(statuses(last.when((state) => rejectLanding(state, { task: 'a', follow: AGAIN, ...RED })).state)).toEqual({
      a: 'failed',
    });
  });

  it('is refused for a task that is not landing', () => {
    expect(() => rejectLanding(waiting.state, { task: 'b', follow: AGAIN, ...RED })).toThrow(
      'b is waiting, not landing',
    );
  });
});

describe('the evidence of a gate', () => {
  it('is kept with the task, the latest of each gate, and a pass is proven for its tree', () => {
    const story = waiting
      .when(() => recordGate(['a'], 'candidate', evidence('test', 'fail')))
      .when(() => recordGate(['a'], 'candidate', evidence('test', 'pass')))
      .when(() => recordGate(['a'], 'candidate', evidence('lint', 'error')));
    expect(story.state.tasks.a?.evidence.map(({ gate, verdict }) => [gate, verdict])).toEqual([
      ['test', 'pass'],
      ['lint', 'error'],
    ]);
    expect(Object.values(story.state.proven)).toEqual([evidence('test', 'pass')]);
  });
});

describe('a merge conflict', () => {
  const conflicted = waiting.when(conflicting('a'));
  const resolved = conflicted.and(...worked('resolve/1.1'));

  it('becomes a task for a resolver with the same work and the files named', () => {
    expect(statuses(conflicted.state)).toEqual({ a: 'conflicted', b: 'waiting', 'resolve/1.1': 'ready' });
    const { spec: resolver } = conflicted.state.tasks['resolve/1.1'] ?? {};
    expect(resolver).toMatchObject({
      role: 'resolve',
      resolves: 'a',
      needs: [],
      priority: 1,
      prompt: expect.stringContaining('- y'),
    });
  });

  it('is over when the resolver lands: both tasks are done', () => {
    expect(statuses(resolved.when(landingOf('resolve/1.1')).state)).toEqual({
      a: 'done',
      b: 'ready',
      'resolve/1.1': 'done',
    });
  });

  it('of the resolver itself is resolved by the next one from the new tip', () => {
    const again = resolved.when(conflicting('resolve/1.1'));
    expect(statuses(again.state)).toMatchObject({ a: 'conflicted', 'resolve/1.1': 'skipped', 'resolve/1.2': 'ready' });
    expect(again.state.tasks.a?.phase).toMatchObject({ resolver: 'resolve/1.2' });
  });

  it('fails the task after three resolvers', () => {
    const third = resolved
      .when(conflicting('resolve/1.1'))
      .and(...worked('resolve/1.2'))
      .when(conflicting('resolve/1.2'))
      .and(...worked('resolve/1.3'))
      .when(conflicting('resolve/1.3'));
    expect(statuses(third.state)).toMatchObject({ a: 'failed', b: 'skipped', 'resolve/1.3': 'failed' });
  });

  it('sends a resolver back whose merge is red, and keeps the conflict open', () => {
    const red = resolved.when((state) => rejectLanding(state, { task: 'resolve/1.1', follow: AGAIN, ...RED }));
    expect(statuses(red.state)).toMatchObject({ a: 'conflicted', 'resolve/1.1': 'ready' });
  });

  it('can be held at the resolver, and an approval lands both', () => {
    const held = resolved.when((state) => holdLanding(state, { task: 'resolve/1.1', hold: { ...GUARD, files: [] } }));
    expect(statuses(held.state)).toMatchObject({ a: 'conflicted', 'resolve/1.1': 'held' });
    const story = held.when((state) => approve(state, { task: 'resolve/1.1' })).when(landingOf('resolve/1.1'));
    expect(statuses(story.state)).toMatchObject({ a: 'done', 'resolve/1.1': 'done' });
  });
});

describe('work that a person must see', () => {
  it('is held before it lands, and stays in the mirror', () => {
    const story = waiting.when((state) =>
      holdLanding(state, { task: 'a', hold: { ...GUARD, files: ['package.json'] } }),
    );
    expect(story.state.tasks.a?.phase).toMatchObject({ status: 'held', hold: GUARD, commit: 'a-commit', ref: 'a-ref' });
    expect(story.state.landing).toEqual({});
  });

  it('is refused for a task that has landed', () => {
    expect(() => holdLanding(waiting.and(landed('a')).state, { task: 'a', hold: { ...GUARD, files: [] } })).toThrow(
      'a is done',
    );
  });

  it('lands the saved work again when its landing was blocked, without another attempt', () => {
    const story = given(started(), added(spec('implement/1.1')), ...worked('implement/1.1')).when((state) =>
      rejectLanding(state, {
        task: 'implement/1.1',
        failure: failure('environment'),
        follow: { action: 'block', reason: 'the set-up failed' },
        from: { commit: 'candidate', base: 'base' },
        now: T0,
      }),
    );
    expect(story.state.tasks['implement/1.1']?.phase).toMatchObject({
      status: 'blocked',
      landing: { commit: 'implement/1.1-commit' },
    });
    const again = story.when((state) => retryTasks(state, { reason: 'mended' }));
    expect(again.state.tasks['implement/1.1']?.phase).toMatchObject({
      status: 'landing',
      commit: 'implement/1.1-commit',
    });
    expect(again.state.landing).toEqual({ 'implement/1.1': true });
  });
});
