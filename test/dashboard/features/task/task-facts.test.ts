import { describe, expect, it } from 'vitest';
import type { TaskState } from '../../../../src/core/run/state.ts';
import { pairGates, stepsOf } from '../../../../src/dashboard/features/task/gates/gate-results.ts';
import { availableActions } from '../../../../src/dashboard/features/task/header/available-actions.ts';
import { commitOf, messageEffect, reasonOf } from '../../../../src/dashboard/features/task/task-facts.ts';
import type { RunEvent } from '../../../../src/schema/event.ts';
import type { GateSpec } from '../../../../src/schema/gate.ts';
import {
  added,
  attemptEnded,
  attempted,
  blocked,
  evidence,
  given,
  landed,
  saved,
  spec,
  started,
  used,
  worked,
} from '../../../support/given.ts';

function task(...events: RunEvent[]): TaskState {
  const found = given(started(), added(spec('write')), ...events).state.tasks.write;
  if (found === undefined) throw new Error('no task');
  return found;
}

describe('the facts of a task', () => {
  it('predict that a message interrupts the agent, or starts an attempt if none is running', () => {
    const effectOf = (state: TaskState, resumable = true) =>
      messageEffect({ task: state, status: 'running', resumable });
    expect(effectOf(task(attempted('write')))).toMatchObject({ effect: expect.stringContaining('one is interrupted') });
    const done = task(...worked('write'), landed('write'));
    expect(effectOf(done)).toMatchObject({
      effect: expect.stringContaining('Attempt 2 starts with your message, in the same'),
    });
    const stopped = task(attempted('write'), attemptEnded('write'), blocked('write'));
    expect(effectOf(stopped, false)).toMatchObject({ effect: expect.stringContaining('in a new session') });
    expect(effectOf(task(...worked('write')))).toHaveProperty('unavailable');
    expect(messageEffect({ task: done, status: 'cancelled', resumable: true })).toHaveProperty('unavailable');
  });

  it('include only actions that the engine accepts', () => {
    const view = { run: 'r', title: '', project: '', recipe: '', dependents: [], stale: false, resumable: true };
    const blockedNow = { ...view, status: 'blocked' as const, task: task(attempted('write'), blocked('write')) };
    expect(availableActions(blockedNow)).toEqual({
      retry: 'retry',
      requeue: true,
      message: true,
      cancel: true,
    });
    const doneNow = { ...view, status: 'done' as const, task: task(...worked('write'), landed('write')) };
    expect(availableActions(doneNow)).toEqual({
      retry: 'redo',
      requeue: false,
      message: true,
      cancel: false,
    });
    expect(availableActions({ ...blockedNow, status: 'cancelling' })).toMatchObject({
      retry: null,
      message: false,
      cancel: false,
    });
  });

  it('include reason and commit', () => {
    const ended = attemptEnded('write', 1, { usage: used(0.5), saved: saved('write') });
    const stopped = task(attempted('write'), ended, blocked('write'));
    expect(reasonOf(stopped.phase)).toBe('the disk is full');
    expect(commitOf(stopped)).toBe('write-commit');
  });
});

describe('the gates of a task', () => {
  it('lists evidence with the command, then the gates that have not run', () => {
    const specs: GateSpec[] = [
      { gate: 'command', name: 'check', run: ['npm', 'test', "it's"], timeoutMs: 1 },
      { gate: 'changed', name: 'changed' },
    ];
    expect(pairGates(specs, [evidence('check', 'pass')])).toMatchObject([
      { name: 'check', command: "npm test 'it'\\''s'", evidence: { verdict: 'pass' } },
      { name: 'changed', command: null, evidence: null },
    ]);
  });

  it('reads the steps of a verification with their notes', () => {
    expect(stepsOf('STEP 1: PASS It opens\nSTEP 2: FAIL It saves\n  It does not\n\nAll in all bad')).toEqual([
      { number: 1, result: 'PASS', text: 'It opens' },
      { number: 2, result: 'FAIL', text: 'It saves\nIt does not' },
    ]);
    expect(stepsOf('STEP one: PASS')).toEqual([]);
  });
});
