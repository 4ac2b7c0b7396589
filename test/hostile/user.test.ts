import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Scratch, writeFiles } from '../support/scratch.ts';
import { TESTS_ALL } from '../support/variants.ts';
import { agent, job, makeShop, runAndReport } from './hostile-run.ts';

const FIXES = agent('bend.sh', 'fixes-source');

describe.concurrent('a base that moves during the run', () => {
  test('a concurrent commit of the user is merged, checked again and kept', async () => {
    await using shop = await makeShop();
    const { code, run } = await reach(shop, 'base', '--land', 'merge');
    expect([code, run.status, run.landed?.branch]).toEqual([0, 'done', 'main']);
    expect(shop.git('show', 'main:user.txt')).toBe('user');
    expect(shop.git('show', 'main:sum.js')).toContain('a + b');
    expect(shop.git('status', '--porcelain')).toBe('');
    expect(shop.git('rev-list', '--first-parent', '--count', 'main')).toBe('3');
  });

  test('a conflict with a concurrent commit of the user is held, and the branch is kept', async () => {
    await using shop = await makeShop();
    const { code, run } = await reach(shop, 'conflicting-base', '--land', 'merge');
    expect([code, run.status, run.landed]).toEqual([4, 'held', null]);
    expect(run.reason).toContain('conflicts with main');
    expect(shop.git('show', 'main:sum.js')).toContain('a * b');
    expect(shop.git('show', `mh/${run.run}:sum.js`)).toContain('a + b');
  });

  test.runIf(TESTS_ALL)('a base that the user rewrote is merged with, never moved back', async () => {
    await using shop = await makeShop();
    const { run } = await reach(shop, 'rewritten-base', '--land', 'merge');
    expect(run.status).toBe('held');
    expect(shop.git('log', '-1', '--format=%s', 'main')).toBe('Another start');
    expect(shop.git('show', `mh/${run.run}:sum.js`)).toContain('a + b');
  });

  test.runIf(TESTS_ALL)('a base that moves with every check is given up on, and the user decides', async () => {
    const move =
      'cd "$HOME/project" && date +%N >moved && git add moved && git -c user.name=A -c user.email=a commit -qm Move';
    await using shop = await makeShop({ files: { 'check.sh': `grep -q 'a + b' sum.js && ${move}\n` } });
    const { code, run } = await job(shop, FIXES, '--land', 'merge');
    expect([code, run.status, run.reason]).toEqual([4, 'held', expect.stringContaining('main moved 5 times')]);
    expect(shop.git('log', '-1', '--format=%s', 'main')).toBe('Move');
  });
});

describe.concurrent('a checkout that is not clean', () => {
  test('is not changed; the landing waits until it is clean', async () => {
    await using shop = await makeShop();
    writeFiles(shop.repo, { 'sum.js': 'mine, not committed\n' });
    const before = await shop.fingerprint();
    const held = await job(shop, FIXES, '--land', 'merge');
    expect([held.code, held.run.status, held.run.landed]).toEqual([4, 'held', null]);
    expect(held.run.reason).toBe('main is checked out with uncommitted changes: sum.js');
    const [step] = held.run.attention;
    expect(step).toMatchObject({ files: ['sum.js'], nextStep: `git stash && manyhands land ${held.run.run}` });
    expect(await shop.fingerprint()).toBe(before);

    const refused = await shop.mh(['land', held.run.run]);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain(`changes: sum.js. Run: ${step?.nextStep}\n`);
    expect(refused.stderr).not.toMatch(/refusing|Then/);
    shop.git('stash');
    const landed = await runAndReport(shop, 'land', held.run.run);
    expect([landed.code, landed.run.status, landed.run.landed?.branch]).toEqual([0, 'done', 'main']);
    expect(shop.git('status', '--porcelain')).toBe('');
    expect(shop.git('show', 'HEAD:sum.js')).toContain('a + b');
  });

  test.runIf(TESTS_ALL)('is not part of the run, which says so', async () => {
    await using shop = await makeShop();
    writeFiles(shop.repo, { 'sum.js': 'mine\n', 'new.txt': 'mine\n' });
    const before = await shop.fingerprint();
    const { run, stderr } = await job(shop, FIXES);
    expect(run.status).toBe('done');
    expect(stderr).toContain('2 uncommitted changes are not part of this run');
    expect(await shop.fingerprint()).toBe(before);
  });
});

describe.concurrent('names that the user already uses', () => {
  test('a branch named mh conflicts with mh/<run>, which is reported before anything is done', async () => {
    await using shop = await makeShop();
    shop.git('branch', 'mh');
    const { code, stderr } = await shop.mh(['job', 'x', '--agent', FIXES]);
    expect([code, stderr]).toEqual([3, expect.stringContaining('There is a branch named mh')]);
    expect(await shop.mh(['ls', '--json'])).toMatchObject({ json: [] });
  });

  test('a branch named mh that is created later holds the run until it is removed', async () => {
    await using shop = await makeShop();
    const held = await reach(shop, 'branch-named-mh');
    expect([held.code, held.run.status, held.run.branch]).toEqual([4, 'held', null]);
    expect(held.run.reason).toContain('conflicts with the name mh/');
    shop.git('branch', '-m', 'mh', 'other');
    const approved = await runAndReport(shop, 'approve', held.run.run);
    expect([approved.code, approved.run.branch]).toEqual([0, `mh/${held.run.run}`]);
    expect(shop.git('show', `mh/${held.run.run}:sum.js`)).toContain('a + b');
  });

  test.runIf(TESTS_ALL)("commits of the user's own on the run branch are never lost", async () => {
    await using shop = await makeShop();
    const { run } = await job(shop, FIXES);
    shop.git('checkout', '--quiet', `mh/${run.run}`);
    shop.git('commit', '--quiet', '--allow-empty', '--message=Mine');
    const mine = shop.git('rev-parse', 'HEAD');
    await shop.mh(['land', run.run]);
    expect(shop.git('rev-parse', `mh/${run.run}`)).toBe(mine);
    expect(shop.git('symbolic-ref', 'HEAD')).toBe(`refs/heads/mh/${run.run}`);
    expect(shop.git('show', 'main:sum.js')).toContain('a + b');
  });
});

test('a repository that disappears during a run is reported, and the run continues once it is back', async () => {
  await using shop = await makeShop();
  const moved = join(shop.root, 'away');
  const gone = await job(shop, agent('reach.sh', 'gone-repository', moved, shop.repo));
  expect([gone.code, gone.run.status, gone.run.reason]).toEqual([4, 'blocked', expect.stringContaining('is missing')]);
  expect(existsSync(moved)).toBe(true);
  renameSync(moved, shop.repo);
  const retried = await runAndReport(shop, 'retry', gone.run.run);
  expect([retried.code, retried.run.status]).toEqual([0, 'done']);
  expect(shop.git('show', `mh/${gone.run.run}:sum.js`)).toContain('a + b');
});

test('a linked worktree works like the repository, and its main repository is not changed', async () => {
  await using shop = await makeShop();
  const linked = join(shop.root, 'linked');
  shop.git('worktree', 'add', '--quiet', '-b', 'side', linked);
  const { code, run } = await job(shop, FIXES, '--dir', linked, '--land', 'merge');
  expect([code, run.status, run.landed?.branch]).toEqual([0, 'done', 'side']);
  expect(shop.git('-C', linked, 'status', '--porcelain')).toBe('');
  expect(shop.git('show', 'side:sum.js')).toContain('a + b');
  expect(shop.git('show', 'main:sum.js')).toContain('a - b');
});

function reach(shop: Scratch, misbehaviour: string, ...options: string[]) {
  return job(shop, agent('reach.sh', misbehaviour, join(shop.root, 'outside'), shop.repo), ...options);
}
