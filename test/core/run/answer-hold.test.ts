import { describe, expect, it } from 'vitest';
import { approve, reject } from '../../../src/core/run/answer-hold.ts';
import { cancelRun, holdRun } from '../../../src/core/run/decide-run.ts';
import { evolve } from '../../../src/core/run/evolve.ts';
import { isApproved, openHolds, rejectionOf } from '../../../src/core/run/holds.ts';
import type { RunState } from '../../../src/core/run/state.ts';
import type { Origin } from '../../../src/schema/actor.ts';
import { added, given, spec, started, statuses, T0, worked } from '../../support/given.ts';

const PLAN = { what: 'plan' as const, reason: 'look at the plan', files: [] };
const chain = given(started(), added(spec('a'), spec('b', { needs: ['a'] }), spec('c', { needs: ['b'] })));
const holding = (state: RunState) => holdRun(state, PLAN);
const heldTask = (task: string) => ({
  type: 'task.held' as const,
  data: { task, hold: PLAN, commit: `${task}-commit` },
});
const cancelling = (state: RunState) => cancelRun(state, 'enough');
const ADA: Origin = { actor: { kind: 'person', name: 'ada' }, via: 'http' };

describe('holding and approving', () => {
  it('stops the run until a person approves, and records the subject', () => {
    const held = chain.when(holding);
    expect(held.state.status).toMatchObject({ kind: 'held', hold: PLAN });
    const story = held.when((state) => approve(state, { note: 'fine' }));
    expect(story.state).toMatchObject({
      status: { kind: 'running' },
      answers: [{ what: 'plan', choice: 'approve', note: 'fine' }],
    });
  });

  it('approves one task, or everything that waits', () => {
    const two = given(
      started(),
      added(spec('a'), spec('b')),
      ...worked('a'),
      ...worked('b'),
      heldTask('a'),
      heldTask('b'),
    );
    expect(statuses(two.when((state) => approve(state, { task: 'b' })).state)).toEqual({ a: 'held', b: 'landing' });
    expect(statuses(two.when((state) => approve(state, {})).state)).toEqual({ a: 'landing', b: 'landing' });
  });

  it('lands approved work without holding it for the same reason again', () => {
    const story = given(started(), added(spec('a')), ...worked('a'), heldTask('a')).when((state) => approve(state, {}));
    expect(story.state.tasks.a?.phase).toMatchObject({ status: 'landing', approved: true });
  });

  it('refuses when nothing waits', () => {
    expect(() => approve(chain.state, {})).toThrow('nothing to approve');
    expect(() => approve(chain.state, { task: 'a' })).toThrow('a is ready, not held');
  });

  it('does not hold a run that is being cancelled', () => {
    expect(holdRun(chain.when(cancelling).state, PLAN)).toEqual([]);
  });
});

describe('a rejected attempt', () => {
  it('says why, although its agent did not fail', () => {
    const story = given(started(), added(spec('a')), ...worked('a'), heldTask('a')).when((state) =>
      reject(state, { task: 'a', reason: 'leave the tests alone', now: T0 }),
    );
    expect(story.state.tasks.a?.attempts[0]?.ended).toMatchObject({
      failure: null,
      rejected: 'A person rejected this work: leave the tests alone',
    });
  });
});

describe('a hold', () => {
  const held = chain.when((state) => holdRun(state, { ...PLAN, subject: 'plan/1' }));
  const idOf = (state: RunState) => openHolds(state)[0]?.hold.id ?? '';

  it('has a unique id: a second one of the same kind is a new question', () => {
    const first = idOf(held.state);
    const again = held
      .when((state) => approve(state, {}))
      .when((state) => holdRun(state, { ...PLAN, subject: 'plan/2' }));
    expect(idOf(again.state)).not.toBe(first);
    expect(() => approve(again.state, { hold: first })).toThrow(`Hold ${first} was already answered: approved`);
  });

  it('is approved for its own subject and for no other', () => {
    const { state } = held.when((before) => approve(before, {}));
    expect(isApproved(state, 'plan', 'plan/1')).toBe(true);
    expect(isApproved(state, 'plan', 'plan/2')).toBe(false);
    expect(isApproved(state, 'review', 'plan/1')).toBe(false);
  });

  it('that an earlier version answered without a subject covers all of its kind', () => {
    const { state } = chain.when(holding).and({ type: 'run.approved', data: {} });
    expect(isApproved(state, 'plan', 'plan/1')).toBe(true);
  });

  it('records who answered, through which entry point, and the chosen option', () => {
    const options = [
      { id: 'wide', label: 'Everything' },
      { id: 'narrow', label: 'The core only' },
    ];
    const story = chain.when((state) => holdRun(state, { ...PLAN, options }));
    const [event] = approve(story.state, { option: 'narrow', note: 'less is enough' });
    if (event === undefined) throw new Error('There must be an event');
    const state = evolve(structuredClone(story.state), { event, at: T0 + 5, origin: ADA });
    expect(state.answers).toMatchObject([
      { hold: idOf(story.state), choice: 'approve', option: 'narrow', note: 'less is enough', at: T0 + 5, origin: ADA },
    ]);
    expect(() => approve(story.state, {})).toThrow('choose one of: wide, narrow');
    expect(() => approve(story.state, { option: 'other' })).toThrow('choose one of: wide, narrow');
  });

  it('accepts an option that needs a note only with one', () => {
    const options = [{ id: 'listed', label: 'those in the note', needsNote: true }];
    const { state } = chain.when((current) => holdRun(current, { ...PLAN, options }));
    expect(() => approve(state, { option: 'listed', note: ' ' })).toThrow('needs a note: those in the note');
    expect(approve(state, { option: 'listed', note: '1,3' })).toHaveLength(1);
  });

  it('without options accepts none', () => {
    expect(() => approve(held.state, { option: 'x' })).toThrow('it has no options');
  });

  it('that does not exist is refused', () => {
    expect(() => approve(held.state, { hold: 'h999' })).toThrow('has no hold h999');
  });
});

describe('rejecting', () => {
  const work = given(
    started(),
    added(spec('a'), spec('b')),
    ...worked('a'),
    ...worked('b'),
    heldTask('a'),
    heldTask('b'),
  );

  it('returns the work of a task to its agent with the reason, in its session, with fresh caps', () => {
    const story = work.when((state) => reject(state, { task: 'a', reason: 'keep the old names', now: T0 }));
    const task = story.state.tasks.a;
    expect(statuses(story.state)).toEqual({ a: 'ready', b: 'held' });
    expect(task).toMatchObject({ resume: true, counted: 0, from: { commit: 'a-commit' } });
    expect(task?.lesson).toContain('keep the old names');
    expect(story.state.answers).toMatchObject([{ task: 'a', choice: 'reject', note: 'keep the old names' }]);
  });

  it('needs a reason, and a name where several holds wait', () => {
    expect(() => reject(work.state, { task: 'a', reason: '  ', now: T0 })).toThrow('needs a reason');
    expect(() => reject(work.state, { reason: 'no', now: T0 })).toThrow('several holds');
  });

  it('withdraws a plan: its tasks are cancelled, the run continues, and the recipe sees the reason', () => {
    const held = chain.when((state) => holdRun(state, { ...PLAN, subject: 'plan/1' }));
    const { state } = held.when((before) => reject(before, { reason: 'too large', now: T0 }));
    expect(state.status).toEqual({ kind: 'running' });
    expect(statuses(state)).toEqual({ a: 'cancelled', b: 'cancelled', c: 'cancelled' });
    expect(rejectionOf(state, 'plan', 'plan/1')).toBe('too large');
    expect(isApproved(state, 'plan', 'plan/1')).toBe(false);
  });

  it('cancels a run that is held for anything else', () => {
    const held = chain.when((state) => holdRun(state, { what: 'base-red', reason: 'red', files: [] }));
    const { state } = held.when((before) => reject(before, { reason: 'fix it first', now: T0 }));
    expect(state.status).toMatchObject({ kind: 'cancelling', reason: 'rejected: fix it first' });
  });
});
