import { describe, expect, it } from 'vitest';
import { TESTS_ALL } from '../support/variants.ts';
import { makeShop } from './shop.ts';

const GREEN = ['--check', 'test -e base.txt'];
const BUG = { 'bug.txt': 'a bug\n' };
const FINE = { 'fine.txt': 'fine\n' };

describe.concurrent('the review of a pull request', { timeout: 120_000 }, () => {
  it('approves a passing pull request, with consent, in one comment', async () => {
    await using shop = await makeShop('gitlab');
    shop.colleague('feature', FINE);
    const { code, run, stderr } = await shop.runJson(['review', '--pr', '1', '--yes', ...GREEN]);
    expect([code, run?.status, run?.reason], stderr).toEqual([0, 'done', expect.stringContaining('approved')]);
    const [pull] = shop.forge.state().pulls;
    expect([pull?.approvals.length, pull?.state, pull?.comments.length]).toEqual([1, 'open', 1]);
  });

  it('asks for consent before it writes to the forge', async () => {
    await using shop = await makeShop('github');
    shop.colleague('feature', FINE);
    const held = await shop.runJson(['review', '--pr', '1', ...GREEN]);
    expect([held.code, held.run?.status]).toEqual([4, 'held']);
    expect(shop.forge.state().pulls).toMatchObject([{ approvals: [], comments: [] }]);
    const done = await shop.runJson(['approve', held.run?.run ?? '']);
    expect([done.code, shop.forge.state().pulls[0]?.approvals.length], done.stderr).toEqual([0, 1]);
    expect(done.run?.tasks.map(({ key }) => key)).toEqual(['review/1']);
  });

  it('merges a passing pull request on request, and verifies the merge', async () => {
    await using shop = await makeShop('bitbucket');
    shop.colleague('feature', FINE);
    const { code, run, stderr } = await shop.runJson(['review', '--pr', '1', '--yes', '--automerge', ...GREEN]);
    expect([code, run?.landed?.branch], stderr).toEqual([0, 'main']);
    expect(shop.atRemote('ls-tree', '--name-only', 'main')).toContain('fine.txt');
    expect(shop.forge.state().pulls).toMatchObject([{ state: 'merged' }]);
  });

  it.runIf(TESTS_ALL)('reports no merge that the forge does not confirm', async () => {
    await using shop = await makeShop('github');
    shop.colleague('feature', FINE);
    shop.forge.change((state) => state.faults.push({ on: 'merge', kind: '500', times: 9 }));
    const { code, run } = await shop.runJson(['review', '--pr', '1', '--yes', '--automerge', ...GREEN]);
    expect([code, run?.status, run?.landed]).toEqual([4, 'held', null]);
  });

  it('fixes its findings, and pushes the fix only on request', async () => {
    await using shop = await makeShop('github');
    shop.colleague('feature', BUG);
    const was = shop.atRemote('rev-parse', 'feature');
    const held = await shop.runJson(['review', '--pr', '1', '--yes', ...GREEN]);
    expect([held.code, held.run?.status, shop.atRemote('rev-parse', 'feature')]).toEqual([4, 'held', was]);
    expect(held.run?.reason).toContain('pushes them to feature');
    const done = await shop.runJson(['approve', held.run?.run ?? '']);
    expect(done.code, done.stderr).toBe(0);
    expect(shop.atRemote('ls-tree', '--name-only', 'feature')).not.toContain('bug.txt');
    expect(shop.atRemote('merge-base', '--is-ancestor', was, 'feature')).toBe('');
    expect(shop.forge.state().pulls).toMatchObject([{ approvals: [{}] }]);
  });

  it('runs the checks on the pull request merged with its base, and repairs failures', async () => {
    await using shop = await makeShop('github');
    shop.colleague('feature', { 'a.note': 'is red\n' });
    const check = ['--check', "! grep -rq 'is red' --include='*.note' ."];
    const { code, run, stderr } = await shop.runJson(['review', '--pr', '1', '--yes', '--push', ...check]);
    expect([code, run?.tasks.map(({ key }) => key)], stderr).toEqual([0, ['review/1', 'repair/1']]);
    expect(shop.atRemote('show', 'feature:a.note')).toBe('is green');
  });

  it.runIf(TESTS_ALL)('fails with a check that keeps failing, and never approves', async () => {
    await using shop = await makeShop('github');
    shop.colleague('feature', FINE);
    const failed = await shop.runJson(['review', '--pr', '1', '--yes', '--check', 'false']);
    expect([failed.code, failed.run?.status]).toEqual([1, 'failed']);
    expect(shop.forge.state().pulls).toMatchObject([{ approvals: [], comments: [expect.stringContaining('fail')] }]);
  });

  it.runIf(TESTS_ALL)('never approves while a check at the forge fails, even with consent', async () => {
    await using shop = await makeShop('github');
    shop.colleague('feature', FINE);
    shop.forge.change((state) => state.checks.push({ name: 'ci', state: 'fail' }));
    const held = await shop.runJson(['review', '--pr', '1', '--yes', ...GREEN]);
    expect([held.code, held.run?.reason]).toEqual([4, expect.stringContaining('ci')]);
    const again = await shop.runJson(['approve', held.run?.run ?? '']);
    expect([again.code, shop.forge.state().pulls[0]?.approvals]).toEqual([4, []]);
  });

  it.runIf(TESTS_ALL)('does not approve a pull request with new commits', async () => {
    await using shop = await makeShop('github');
    shop.colleague('feature', FINE);
    const held = await shop.runJson(['review', '--pr', '1', ...GREEN]);
    shop.atRemote('update-ref', 'refs/heads/feature', shop.atRemote('rev-parse', 'main'));
    const again = await shop.runJson(['approve', held.run?.run ?? '']);
    expect([again.code, again.run?.reason]).toEqual([4, expect.stringContaining('got new commits')]);
    expect(shop.forge.state().pulls).toMatchObject([{ approvals: [] }]);
  });

  it.runIf(TESTS_ALL)('finds the pull requests of a run', async () => {
    await using shop = await makeShop('github');
    const { run } = await shop.runJson(['job', 'Add a file', '--land', 'pr', ...GREEN]);
    const { code, json } = await shop.runJson(['review', '--from-run', run?.run ?? '', '--yes', ...GREEN]);
    expect([code, json]).toMatchObject([0, [{ recipe: 'review', status: 'done' }]]);
    expect(shop.forge.state().pulls).toMatchObject([{ approvals: [{}] }]);
  });

  it('names the flags in a non-interactive session', async () => {
    await using shop = await makeShop('github');
    shop.colleague('feature', FINE);
    const { code, json } = await shop.runJson(['review']);
    expect([code, json]).toMatchObject([2, { error: { message: expect.stringContaining('--pr') } }]);
  });
});
