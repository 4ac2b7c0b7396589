import { describe, expect, it } from 'vitest';
import {
  failedOutput,
  gatesByAttempt,
  resultOf,
} from '../../../../../src/dashboard/features/task/gates/gate-results.ts';
import type { RunEvent } from '../../../../../src/schema/event.ts';
import type { Evidence } from '../../../../../src/schema/gate.ts';
import { added, attempted, evidence, given, spec, started, T0, worked } from '../../../../support/given.ts';

const duration = (ms: number) => `${ms} ms`;

describe('the card of a gate', () => {
  it('shows the last lines of a check that failed, and how many are omitted', () => {
    const output = Array.from({ length: 30 }, (_, index) => `line ${index + 1}.`).join('\n');
    const failed = { ...evidence('npm test', 'fail'), exitCode: 3, command: 'npm test', output };
    const shown = failedOutput({ ...failed, outputLines: 30, outputFile: '/data/output.txt' }, duration);
    expect(shown?.facts).toEqual(['output: the last 20 lines; 10 lines before them are omitted']);
    expect([shown?.lines[0], shown?.lines.at(-1)]).toEqual(['line 11.', 'line 30.']);
  });

  it('shows no output of a check that passed or has not run', () => {
    expect(failedOutput(evidence('npm test', 'pass'), duration)).toBeNull();
    expect(failedOutput(null, duration)).toBeNull();
  });
});

describe('the gates of a task', () => {
  it('show a gate that the attempt passes by having a result as passed', () => {
    const gate = { gate: 'changed' as const, name: 'changed' };
    const task = given(started(), added(spec('a', { gates: [gate] })), ...worked('a')).state.tasks.a;
    const [shown] = task === undefined ? [] : gatesByAttempt(task);
    expect(shown?.gates.map(({ name, isOfAttempt }) => [name, isOfAttempt])).toEqual([['changed', true]]);
    expect(resultOf(null, { isOver: true, isPassed: true })).toEqual({
      displayState: 'done',
      text: 'passed with the attempt',
    });
    expect(resultOf(null, { isOver: true, isPassed: false }).text).toBe('no evidence');
  });

  it('are shown by attempt: what rejected the first one stays with its output when the second one passed', () => {
    const gate = { gate: 'command' as const, name: 'npm test', run: 'npm test' };
    const failed = { ...evidence('npm test', 'fail', 'tree-1'), output: 'Error: 3 is not 4' };
    const ended = (found: Evidence): RunEvent => ({
      type: 'gate.ended',
      data: { tasks: ['implement/1'], commit: 'c', evidence: found },
    });
    const { state } = given(started(), added(spec('implement/1', { gates: [gate] })))
      .and(...worked('implement/1'), ended(failed), ended({ ...evidence('secrets', 'pass'), output: 'long' }))
      .and({
        type: 'task.retrying',
        data: { task: 'implement/1', at: T0, counted: true, resume: true, evidence: 'npm test failed' },
      })
      .and(attempted('implement/1', 2));
    const task = state.tasks['implement/1'];
    if (task === undefined) throw new Error('no task');
    expect(task.attempts[0]?.ended?.rejected).toBe('npm test failed');
    const shown = gatesByAttempt(task).map(({ attempt, gates }) => ({
      attempt,
      gates: gates.map(({ name, command, evidence: found }) => [name, command, found?.verdict, found?.output]),
    }));
    expect(shown).toEqual([
      { attempt: 2, gates: [['npm test', 'npm test', undefined, undefined]] },
      {
        attempt: 1,
        gates: [
          ['npm test', 'npm test', 'fail', 'Error: 3 is not 4'],
          ['secrets', null, 'pass', undefined],
        ],
      },
    ]);
  });
});
