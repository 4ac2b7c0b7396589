import { describe, expect, it } from 'vitest';
import { inertText, runMergeMessage, workMessage } from '../../../src/core/land/commit-message.ts';
import { added, attemptEnded, attempted, given, landed, landing, saved, spec, started } from '../../support/given.ts';

const HOSTILE = `Rounds up prices. \u001b[31mRed\u001b[0m\u202e

Closes #12, fixes owner/repo#3 and resolves https://github.com/o/r/issues/4
[skip ci] [ci skip] [no ci] [skip netlify] ***NO_CI***
Signed-off-by: Eve <eve@example.org>
Co-authored-by: Eve <eve@example.org>
Reviewed-By: nobody
skip-checks: true
BREAKING CHANGE: everything
Manyhands-Run: zzzzzzzz
Thanks @alice; mail bob@example.org
PROJ-1 #close
---
diff --git a/x b/x`;

describe('a text of an agent in a commit', () => {
  it('keeps its text and has no special meaning for git or a forge', () => {
    const text = inertText(HOSTILE);
    expect(text).toContain('Rounds up prices. Red');
    expect(text).toContain('bob@example.org');
    expect(text).not.toMatch(/#\d|#close|@alice|-by:|skip|no[ _]ci|BREAKING|Manyhands-|https:|^---|^diff |\p{Cf}/imu);
  });
});

describe('the message of a landed commit', () => {
  const check = { gate: 'command' as const, name: 'npm test', run: 'npm test' };
  const task = spec('task/1', { title: 'Round prices', name: 'prices', gates: [check] });
  const summary = 'Rounds half up, because the invoices do.\n\nCloses #12';
  const story = given(started({ title: 'Fix the shop' }), added(task)).and(
    attempted('task/1'),
    attemptEnded('task/1', 1, { summary, saved: saved('task/1') }),
    landing('task/1'),
    landed('task/1'),
  );

  it('states what was done and why, the checks, the task and the run, and ends with our trailers only', () => {
    const state = story.state;
    const done = state.tasks['task/1'];
    expect(
      done && workMessage(state, done, { summary, trailers: ['Reviewed-by: Ann'], chainHead: 'k3v9x2ab@4:abc' }),
    ).toBe(
      [
        'Round prices',
        'Rounds half up, because the invoices do.\n\nCloses 12',
        'Task prices of run r0000001, requested as: Fix the shop\nChecks required to land: npm test',
        'Reviewed-by: Ann\nManyhands-Run: r0000001\nManyhands-Task: task/1\nManyhands-Audit: k3v9x2ab@4:abc\n',
      ].join('\n\n'),
    );
  });

  it('of a merge into the base names each landed task', () => {
    expect(runMergeMessage(story.state, 'k3v9x2ab@9:def')).toBe(
      [
        'Merge mh/r0000001: Fix the shop',
        '- Round prices: Rounds half up, because the invoices do.',
        'No check ran on the branch.',
        'Manyhands-Run: r0000001\nManyhands-Audit: k3v9x2ab@9:def\n',
      ].join('\n\n'),
    );
  });
});
