import { describe, expect, it } from 'vitest';
import { activityOf } from '../../../src/core/view/activity.ts';
import { compactRun } from '../../../src/core/view/compact-run.ts';
import { added, attemptEnded, attempted, given, spec, started, T0, taskEnded } from '../../support/given.ts';

const call = (id: number, command: string) => ({
  id,
  task: 'job/1',
  at: T0 + id,
  kind: 'tool-call',
  text: 'Bash',
  data: { type: 'tool-call', id: `c${id}`, name: 'Bash', input: { command } },
});

describe('the summary of a run', () => {
  const working = given(started(), added(spec('job/1')), attempted('job/1'));
  const rows = [
    call(1, 'npm test'),
    { id: 2, task: 'job/1', at: T0 + 2, kind: 'tool-result', text: 'ok', data: { id: 'c1', isError: false } },
    call(3, 'ls'),
    call(4, 'npm test'),
    { id: 5, task: 'job/1', at: T0 + 5, kind: 'file-change', text: 'modified a.ts', data: { path: 'a.ts' } },
  ];

  it('counts the same call once, lists the files and the last action, and contains only what is new after a cursor', () => {
    const first = compactRun(working.state, rows, undefined);
    expect(first.toolCalls.map(({ detail, times }) => [detail, times])).toEqual([
      ['ls', 1],
      ['npm test', 2],
    ]);
    expect([first.phase, first.changedFiles, first.lastAction?.what]).toEqual(['working', ['a.ts'], 'modified a.ts']);
    expect(first.recommended.action).toBe('wait');
    const same = compactRun(working.state, rows, first.cursor);
    expect([same.unchanged, same.toolCalls, same.changedFiles]).toEqual([true, [], []]);
    const more = compactRun(working.state, [...rows, call(6, 'ls')], first.cursor);
    expect([more.unchanged, more.toolCalls.map(({ times }) => times)]).toEqual([false, [1]]);
  });

  it('lists the worst risk first and recommends an action for what waits', () => {
    const flags = [
      { risk: 'not-checked' as const, severity: 'low' as const, blocking: false, detail: 'no check' },
      { risk: 'destructive-command' as const, severity: 'high' as const, blocking: true, detail: 'rm -rf' },
    ];
    const blocked = working.and(attemptEnded('job/1', 1, { flags }), {
      type: 'task.blocked',
      data: { task: 'job/1', reason: 'logged out', nextStep: 'log in' },
    });
    const compact = compactRun(blocked.state, rows, undefined);
    expect(compact.risks.map(({ severity }) => severity)).toEqual(['high', 'low']);
    expect(compact.phase).toBe('waiting');
    expect(compact.recommended).toMatchObject({ action: 'retry', task: 'job/1', because: 'logged out' });
    const failed = working.and(attemptEnded('job/1'), taskEnded('job/1', 'failed'), {
      type: 'run.ended',
      data: { status: 'failed', reason: 'it failed', spend: { costUsd: 0, tokens: 0, turns: 0 } },
    });
    expect(compactRun(failed.state, rows, 'nonsense').recommended.action).toBe('retry');
  });
});

describe('what an agent does, in a line', () => {
  it('is harmless and short whatever the agent wrote', () => {
    expect(activityOf({ kind: 'text', text: '\n\u001b[31m  red\u0007\u202e news \nmore' })).toBe('red news');
    expect(activityOf({ kind: 'tool-call', text: 'Edit', data: { input: { file_path: 'src/a.ts' } } })).toBe(
      'Edit: src/a.ts',
    );
    expect(activityOf({ kind: 'text', text: 'x'.repeat(500) })).toHaveLength(200);
    expect(activityOf({ kind: 'usage', text: '' })).toBeNull();
    expect(activityOf({ kind: 'text', text: '' })).toBeNull();
  });
});
