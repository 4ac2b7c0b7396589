import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeScratch, type Scratch, writeFiles } from '../support/scratch.ts';
import { agent, inMirror, job, makeShop, SHOP, tell } from './scene.ts';

const FIXES = agent('bend.sh', 'fixes-source');

describe.concurrent('a base that moves during the run', () => {
  test('a commit that the user made meanwhile is merged, checked again and kept', async () => {
    await using shop = await makeShop();
    const { code, run } = await reach(shop, 'base', '--land', 'merge');
    expect([code, run.status, run.landed?.branch]).toEqual([0, 'done', 'main']);
    expect(shop.git('show', 'main:user.txt')).toBe('user');
    expect(shop.git('show', 'main:sum.js')).toContain('a + b');
    expect(shop.git('status', '--porcelain')).toBe('');
    expect(shop.git('rev-list', '--first-parent', '--count', 'main')).toBe('3');
  });

  test('a conflict with what the user did meanwhile is held, and the branch stands beside it', async () => {
    await using shop = await makeShop();
    const { code, run } = await reach(shop, 'conflicting-base', '--land', 'merge');
    expect([code, run.status, run.landed]).toEqual([4, 'held', null]);
    expect(run.reason).toContain('conflicts with main');
    expect(shop.git('show', 'main:sum.js')).toContain('a * b');
    expect(shop.git('show', `mh/${run.run}:sum.js`)).toContain('a + b');
  });

  test('a base that the user rewrote is merged with, never moved back', async () => {
    await using shop = await makeShop();
    const { run } = await reach(shop, 'rewritten-base', '--land', 'merge');
    expect(run.status).toBe('held');
    expect(shop.git('log', '-1', '--format=%s', 'main')).toBe('Another start');
    expect(shop.git('show', `mh/${run.run}:sum.js`)).toContain('a + b');
  });

  test('a base that moves with every check is given up on, and a person is asked', async () => {
    const moves = 'cd "$HOME/project" && git -c user.name=A -c user.email=a commit -q --allow-empty -m move';
    const settings = `checks:\n  - ${JSON.stringify(`grep -q 'a + b' sum.js && ${moves}; test -e user.txt || true`)}\n`;
    await using shop = await makeScratch({ files: { ...SHOP, '.manyhands/config.yaml': settings } });
    const moving = 'cd "$HOME/project" && date +%N >moved.txt && git add moved.txt && git -c user.name=A -c user.email=a commit -qm move';
    const { code, run } = await job(shop, FIXES, '--land', 'merge', '--check', `${moving}; true`);
    expect([code, run.status, run.reason]).toEqual([4, 'held', expect.stringContaining('moved 5 times')]);
  });
});

describe.concurrent('a checkout that is not clean', () => {
  test('is left alone; the landing waits until it is clean', async () => {
    await using shop = await makeShop();
    writeFiles(shop.repo, { 'sum.js': 'mine, not committed\n' });
    const before = await shop.fingerprint();
    const held = await job(shop, FIXES, '--land', 'merge');
    expect([held.code, held.run.status, held.run.landed]).toEqual([4, 'held', null]);
    expect(held.run.reason).toMatch(/main could not be moved \(dirty\)/);
    expect(await shop.fingerprint()).toBe(before);

    const refused = await shop.mh(['land', held.run.run]);
    expect(refused.code).toBe(4);
    shop.git('checkout', '--', 'sum.js');
    const landed = await tell(shop, 'land', held.run.run);
    expect([landed.code, landed.run.status, landed.run.landed?.branch]).toEqual([0, 'done', 'main']);
    expect(shop.git('status', '--porcelain')).toBe('');
    expect(shop.git('show', 'HEAD:sum.js')).toContain('a + b');
  });

  test('is not part of the run, which says so', async () => {
    await using shop = await makeShop();
    writeFiles(shop.repo, { 'sum.js': 'mine\n', 'new.txt': 'mine\n' });
    const before = await shop.fingerprint();
    const { run, stderr } = await job(shop, FIXES);
    expect(run.status).toBe('done');
    expect(stderr).toContain('2 uncommitted changes are not part of this run');
    expect(await shop.fingerprint()).toBe(before);
  });
});

describe.concurrent('names that the user took', () => {
  test('a branch named mh is left alone, and the result is kept and can be had under another name', async () => {
    await using shop = await makeShop();
    shop.git('branch', 'mh');
    const before = await shop.fingerprint();
    const { code, run, stderr } = await job(shop, FIXES);
    expect([code, run.status]).toEqual([4, 'held']);
    expect(`${run.reason} ${stderr}`).toContain('mh');
    expect(await shop.fingerprint()).toBe(before);
    expect(inMirror(shop, 'show', `${run.commit}:sum.js`)).toContain('a + b');

    shop.git('branch', '-m', 'mh', 'other');
    const again = await tell(shop, 'approve', run.run);
    expect([again.code, again.run.branch]).toEqual([0, `mh/${run.run}`]);
  });

  test("commits of the user's own on the run branch are never lost", async () => {
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

test('a repository that is gone in the middle of a run is told, and the run goes on once it is back', async () => {
  await using shop = await makeShop();
  const away = join(shop.root, 'away');
  const finished = await shop.mh(['job', 'x', '--agent', agent('reach.sh', 'gone-repository', away, shop.repo)]);
  expect(finished.code).not.toBe(0);
  expect(finished.code).not.toBe(70);
  expect(existsSync(away)).toBe(true);
  renameSync(away, shop.repo);
  const resumed = await shop.mh(['resume', '--json']);
  expect(resumed.code).toBe(0);
  expect(shop.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/mh')).toMatch(/^mh\//);
});

test('a linked worktree works like the repository, and the one it belongs to is not touched', async () => {
  await using shop = await makeShop();
  const linked = join(shop.root, 'linked');
  shop.git('worktree', 'add', '--quiet', '-b', 'side', linked);
  const { code, run } = await job(shop, FIXES, '--dir', linked, '--land', 'merge');
  expect([code, run.status, run.landed?.branch]).toEqual([0, 'done', 'side']);
  expect(shop.git('-C', linked, 'status', '--porcelain')).toBe('');
  expect(shop.git('show', 'side:sum.js')).toContain('a + b');
  expect(shop.git('show', 'main:sum.js')).toContain('a - b');
});

function reach(shop: Scratch, deed: string, ...options: string[]) {
  return job(shop, agent('reach.sh', deed, join(shop.root, 'outside'), shop.repo), ...options);
}
