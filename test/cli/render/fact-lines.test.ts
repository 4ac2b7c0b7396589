import { describe, expect, it } from 'vitest';
import { factLines } from '../../../src/cli/follow/follow-run.ts';
import { evolve } from '../../../src/core/run/evolve.ts';
import type { RunState } from '../../../src/core/run/state.ts';
import { timeText } from '../../../src/core/view/amounts.ts';
import type { RunEvent } from '../../../src/schema/event.ts';
import {
  added,
  attemptEnded,
  attempted,
  blocked,
  evidence,
  failure,
  landed,
  landing,
  spec,
  started,
  T0,
  taskEnded,
  used,
} from '../../support/given.ts';

/** The lines of a history, without their times. */
function linesOf(...events: RunEvent[]): string[] {
  let state: RunState | undefined;
  return events.flatMap((event, index) => {
    const recorded = { event, at: T0 + index * 1_500 };
    state = evolve(state, recorded);
    return factLines(state, recorded).map((line) => line.replace(/^\d\d:\d\d:\d\d {2}/, ''));
  });
}

describe('plain lines', () => {
  it('begin with the time of day', () => {
    expect(timeText(T0)).toMatch(/^\d\d:\d\d:\d\d$/);
    const state = evolve(undefined, { event: started(), at: T0 });
    expect(factLines(state, { event: started(), at: T0 })[0]).toMatch(
      /^\d\d:\d\d:\d\d {2}run {2}started r0000001 \(job\) on main at base: A run$/,
    );
  });

  it('state the check and the landing of several tasks once, under the ids of the work file', () => {
    const specs = ['a', 'b', 'c'].map((key) => spec(`task/${key}`, { name: `part-${key}` }));
    const tasks = specs.map(({ key }) => key);
    const check: RunEvent = {
      type: 'gate.ended',
      data: { tasks, commit: 'c', evidence: evidence('npm test', 'fail') },
    };
    const lines = linesOf(started(), added(...specs), check, landed(...tasks));
    expect(lines.slice(4)).toEqual([
      'part-a and 2 more  check npm test: fail (1ms): fail',
      '    exit code 0 after 1ms',
      'part-a, part-b, part-c  landed at tip',
    ]);
  });

  it('state one fact each, after the task', () => {
    expect(
      linesOf(
        started(),
        added(spec('a', { title: 'Do a' }), spec('b', { title: 'Do b', needs: ['a'] })),
        attempted('a'),
        attemptEnded('a', 1, { failure: failure('rate-limit', 'slow down'), usage: used(0.5) }),
        { type: 'task.retrying', data: { task: 'a', at: T0 + 16_000, counted: false, resume: false, evidence: '' } },
        attempted('a', 2, { agent: 'two', because: 'one is rate-limited' }),
        attemptEnded('a', 2),
        landing('a'),
        { type: 'gate.ended', data: { tasks: ['a'], commit: 'c', evidence: evidence('npm test', 'fail') } },
        {
          type: 'gate.ended',
          data: { tasks: ['a'], commit: 'c', evidence: { ...evidence('npm test', 'pass'), reused: true } },
        },
        landed('a'),
        attempted('b'),
        blocked('b'),
        taskEnded('b', 'failed'),
        { type: 'run.landed', data: { branch: 'main', commit: '0123456789', how: 'merge' } },
        {
          type: 'run.ended',
          data: { status: 'failed', reason: 'b failed', spend: { costUsd: 0.5, tokens: 0, turns: 0 } },
        },
      ),
    ).toEqual([
      'run  started r0000001 (job) on main at base: A run',
      'a  added: Do a',
      'b  added: Do b (after a)',
      'a  attempt 1 by one: a test',
      'a  attempt 1 (1.5s, $0.50) failed: rate-limit: slow down',
      'a  will be retried in 10.0s (not counted)',
      'a  attempt 2 by two: one is rate-limited',
      'a  attempt 2 (1.5s) ended: a said so',
      'a  landing a-commit',
      'a  check npm test: fail (1ms): fail',
      '    exit code 0 after 1ms',
      'a  check npm test: pass (reused)',
      'a  landed at tip',
      'b  attempt 1 by one: a test',
      'b  needs you: the disk is full; next: make room',
      'b  failed: failed',
      'run  landed (merge) on main at 01234567',
      'run  failed: b failed; $0.50',
    ]);
  });

  it('of a passed check on the base name it once', () => {
    const passed = { ...evidence('npm test', 'pass'), summary: 'npm test passed' };
    const event = { type: 'run.base-checked' as const, data: { tree: 'tree', evidence: [passed] } };
    expect(linesOf(started(), event).slice(1)).toEqual(['run  check on the base: npm test: pass']);
  });

  it('of a failed check on the base or on the landing are followed by its output', () => {
    const failed = { ...evidence('npm test', 'fail'), exitCode: 3, command: 'npm test', output: 'red\n' };
    const details = ['    command: npm test', '    exit code 3 after 1ms', '      red'];
    expect(
      linesOf(
        started(),
        { type: 'run.base-checked', data: { tree: 'tree', evidence: [failed] } },
        { type: 'gate.ended', data: { tasks: [], commit: 'c', evidence: failed } },
        { type: 'run.held', data: { hold: { what: 'landing', reason: 'npm test fails', files: [] } } },
      ).slice(1),
    ).toEqual([
      'run  check on the base: npm test: fail: fail',
      ...details,
      'run  landing: check npm test: fail (1ms): fail',
      ...details,
      "run  needs you: npm test fails; next: manyhands show r0000001, then manyhands approve r0000001; or end the run: manyhands reject r0000001 --reason 'why not'",
    ]);
  });

  it('show the output of a check that fails on the base when it fails, and not again with the result of all checks', () => {
    const failed = { ...evidence('npm test', 'fail'), exitCode: 3, command: 'npm test', output: 'red\n' };
    const again = { verdict: 'fail' as const, summary: 'fail', exitCode: 3, durationMs: 1, failures: [] };
    expect(
      linesOf(
        started(),
        { type: 'run.base-check-failed', data: { tree: 'tree', evidence: failed } },
        {
          type: 'run.base-checked',
          data: { tree: 'tree', evidence: [{ ...failed, reruns: [again] }, evidence('lint', 'fail')] },
        },
      ).slice(1),
    ).toEqual([
      'run  check on the base: npm test: fail: fail',
      '    command: npm test',
      '    exit code 3 after 1ms',
      '      red',
      'run  check on the base: npm test: fail, also when repeated: fail',
      'run  check on the base: lint: fail: fail',
      expect.stringContaining('after 1ms'),
    ]);
  });

  it('stay single lines whatever an agent prints', () => {
    const lines = linesOf(
      started(),
      added(spec('a')),
      attempted('a'),
      attemptEnded('a', 1, { summary: 'one\ntwo\r\u001b[31mthree' }),
    );
    expect(lines.at(-1)).toMatch(/ended: one two three$/);
  });
});
