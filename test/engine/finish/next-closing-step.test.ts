import { describe, expect, it } from 'vitest';
import type { RunState } from '../../../src/core/run/state.ts';
import { nextClosingStep } from '../../../src/engine/finish/next-closing-step.ts';
import type { RunEvent } from '../../../src/schema/event.ts';
import { added, blocked, given, landed, spec, started, taskEnded, worked } from '../../support/given.ts';

const checked: RunEvent = { type: 'run.base-checked', data: { tree: 'tree', evidence: [] } };
const reservation = { costUsd: 0, tokens: 0, turns: 0 };
const asking: RunEvent = { type: 'call.started', data: { call: 'title', kind: 'title', reservation } };
const onBase: RunEvent = { type: 'run.landed', data: { branch: 'main', commit: 'merge', how: 'merge', tip: 'tip' } };
const pushed: RunEvent = { type: 'run.branch-pushed', data: { branch: 'mh/r0000001', commit: 'tip' } };
const nameOf = (state: RunState) => nextClosingStep(state)?.name;

describe('the next step of a run besides its tasks', () => {
  const done = given(started(), checked, added(spec('a')), ...worked('a'), landed('a'));

  it('is none while a task is open', () => {
    expect(nameOf(given(started(), checked, added(spec('a'))).state)).toBeUndefined();
  });

  it('is none before the base is checked, although there is no task yet', () => {
    expect(nameOf(given(started()).state)).toBeUndefined();
  });

  it('is its end once every task has ended, and no small call is open', () => {
    expect(nameOf(done.state)).toBe('end');
    expect(nameOf(done.and(asking).state)).toBeUndefined();
  });

  it('is its end when it is cancelled, whether or not the base was checked', () => {
    const cancelling: RunEvent = { type: 'run.cancelling', data: { reason: 'a test' } };
    const { state } = given(started(), added(spec('a')), cancelling, taskEnded('a', 'cancelled'));
    expect(nameOf(state)).toBe('end');
  });

  it('is none after its end', () => {
    const ended: RunEvent = { type: 'run.ended', data: { status: 'done', reason: 'done', spend: reservation } };
    expect(nameOf(done.and(ended).state)).toBeUndefined();
  });

  it('is landing on the base after each task where the run lands each, until that tip has landed', () => {
    const each = given(started({ landEach: true }), checked, added(spec('a'), spec('b')), ...worked('a'), landed('a'));
    expect(nameOf(each.state)).toBe('land');
    expect(nameOf(each.and(onBase).state)).toBeUndefined();
  });

  it('is pushing its branch once for each tip while it waits for a person', () => {
    const waiting = given(started(), checked, added(spec('a'), spec('b')), ...worked('a'), landed('a'), blocked('b'));
    expect(nextClosingStep(waiting.state)).toMatchObject({ name: 'show tip', onlyOnce: true });
    expect(nameOf(waiting.and(pushed).state)).toBeUndefined();
  });
});
