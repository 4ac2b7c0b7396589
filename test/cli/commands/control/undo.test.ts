import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { testProgram } from '../../cli-run.ts';

const cwd = tmpdir();
const PLAN = {
  run: 'r0000001',
  dryRun: true,
  reverted: {
    branch: 'main',
    commit: null,
    files: [{ path: 'a\u001b[31m.ts', status: 'deleted' }],
    checks: [{ gate: 'npm test', verdict: null }],
  },
  deleted: null,
  notes: [],
};
const DONE = { ...PLAN, dryRun: false, reverted: { ...PLAN.reverted, commit: 'c'.repeat(40) } };

/** Answers the dry run with the plan, and the second call with the result. */
function answers() {
  const replies = [PLAN, DONE];
  return { 'undo-run': () => replies.shift() };
}

describe('undo', () => {
  it('shows what it would do, asks, and does it when confirmed', async () => {
    const { code, stdout, stderr, calls } = await testProgram({ cwd, confirms: true, answers: answers() }).run(
      'undo',
      'r0',
      '--reason',
      'broke',
    );
    expect(stderr).toBe(
      'A new commit on main would revert run r0000001, provided that these checks pass: npm test\n  deleted   a.ts\n',
    );
    expect([code, stdout]).toEqual([0, expect.stringContaining('To restore it: git revert cccccccccc')]);
    expect(calls.map(({ input }) => input)).toMatchObject([{ dryRun: true }, { dryRun: false, reason: 'broke' }]);
  });

  it('changes nothing when declined', async () => {
    const { code, calls } = await testProgram({ cwd, confirms: false, answers: answers() }).run('undo', 'r0');
    expect([code, calls.map(({ input }) => input)]).toMatchObject([1, [{ dryRun: true }]]);
  });

  it('requires --yes without a terminal', async () => {
    const { code, stderr, calls } = await testProgram({ cwd, answers: answers() }).run('undo', 'r0');
    expect([code, calls.length, stderr]).toEqual([2, 1, expect.stringContaining('pass --yes')]);
    expect((await testProgram({ cwd, answers: { 'undo-run': DONE } }).run('undo', 'r0', '--yes', '--json')).code).toBe(
      0,
    );
  });
});
