import { describe, expect, it } from 'vitest';
import { TESTS_ALL, variants } from '../support/variants.ts';
import { makeShop } from './shop.ts';

const CHECK = ['--check', 'test -e base.txt'];

describe.concurrent('landing by pull request', { timeout: 120_000 }, () => {
  it('pushes the run, opens one pull request, and does not change the repository', async () => {
    await using shop = await makeShop('github');
    const before = shop.scratch.git('for-each-ref');
    const { code, run, stderr } = await shop.runJson(['job', 'Add a file', '--land', 'pr', ...CHECK]);
    expect([code, run?.status], stderr).toEqual([0, 'done']);
    const [pull, ...more] = shop.forge.state().pulls;
    expect([pull?.head, pull?.base, pull?.draft, more.length]).toEqual([`mh/${run?.run}`, 'main', false, 0]);
    expect(run?.landed).toMatchObject({ how: 'pr', branch: 'main', url: expect.stringContaining('ann/shop') });
    expect(shop.atRemote('rev-parse', `mh/${run?.run}`)).toBe(run?.commit);
    for (const text of ['> Add a file', '`job/1`', 'test -e base.txt', '| pass |', 'git fetch origin mh/'])
      expect(pull?.body).toContain(text);
    expect(pull?.body).not.toContain('@everybody');
    const after = shop.scratch.git('for-each-ref').split('\n');
    expect(after.filter((line) => !line.endsWith(`refs/heads/mh/${run?.run}`)).join('\n')).toBe(before);
  });

  it.runIf(TESTS_ALL)('can be requested later with pr, and a second request creates no second one', async () => {
    await using shop = await makeShop('bitbucket');
    const { run } = await shop.runJson(['job', 'Add a file', ...CHECK]);
    expect(shop.forge.state().pulls).toEqual([]);
    for (let time = 0; time < 2; time += 1) {
      const updated = await shop.runJson(['pr', run?.run ?? '', '--draft']);
      expect([updated.code, updated.run?.landed?.how], updated.stderr).toEqual([0, 'pr']);
    }
    expect(shop.forge.state().pulls).toMatchObject([{ head: `mh/${run?.run}`, draft: true }]);
  });

  it('opens a draft when no check ran on the result', async () => {
    await using shop = await makeShop('github');
    const { code, run } = await shop.runJson(['job', 'Add a file', '--land', 'pr']);
    expect([code, run?.status]).toEqual([4, 'unverified']);
    expect(shop.forge.state().pulls).toMatchObject([{ draft: true, body: expect.stringContaining('unverified') }]);
  });

  it('waits for the user when the login has expired, and continues once it is renewed', async () => {
    await using shop = await makeShop('github');
    shop.forge.change((state) => state.faults.push({ on: 'find', kind: 'expired', times: 1 }));
    const held = await shop.runJson(['job', 'Add a file', '--land', 'pr', ...CHECK]);
    expect([held.code, held.run?.status]).toEqual([4, 'held']);
    expect(held.run?.reason).toContain('gh auth login');
    const done = await shop.runJson(['approve', held.run?.run ?? '']);
    expect([done.code, done.run?.landed?.how], done.stderr).toEqual([0, 'pr']);
    expect(shop.forge.state().pulls).toHaveLength(1);
  });

  it.each(variants(['pr.created'], ['remote.pushed', 'pr.recording']))(
    'has one pull request in the end when the engine is killed at %s',
    async (point) => {
      await using shop = await makeShop('github');
      const env = { MANYHANDS_CRASH: `${point}:1` };
      const killed = await shop.scratch.mh(['job', 'Add a file', '--land', 'pr', ...CHECK], {
        env: { ...shop.forge.env, ...env },
      });
      expect(killed.signal).toBe('SIGKILL');
      const resumed = await shop.runJson(['resume']);
      expect(resumed.code, resumed.stderr).toBe(0);
      expect(shop.forge.state().pulls).toMatchObject([{ state: 'open' }]);
    },
  );

  it('opens one for each task and pushes the work of failed ones, if configured', async () => {
    await using shop = await makeShop('gitlab', 'pr: { per: task, pushFailed: true }\nreview: { rounds: 0 }');
    const { code, run } = await shop.runJson(['do', 'Do A and B', '--land', 'pr', ...CHECK]);
    expect([code, run?.status]).toEqual([1, 'partial']);
    const branches = shop.atRemote('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n');
    expect(branches).toEqual(['main', `mh-tasks/${run?.run}/implement-1.1`, `mh-tasks/${run?.run}/implement-1.2`]);
    expect(shop.forge.state().pulls).toMatchObject([{ head: `mh-tasks/${run?.run}/implement-1.1`, draft: false }]);
  });

  it('refuses without a forge before anything is spent', async () => {
    await using shop = await makeShop('github', 'git: { provider: auto }');
    const { code, json } = await shop.runJson(['job', 'Add a file', '--land', 'pr', ...CHECK]);
    expect([code, json]).toMatchObject([
      3,
      { error: { code: 'FORGE_MISSING', message: expect.stringContaining('git.provider') } },
    ]);
  });

  it('holds the run when its branch at the remote has other commits', async () => {
    await using shop = await makeShop('github');
    const { run } = await shop.runJson(['job', 'Add a file', ...CHECK]);
    shop.colleague(`mh/${run?.run}`, { 'theirs.txt': 'theirs\n' });
    const updated = await shop.runJson(['pr', run?.run ?? '']);
    expect([updated.code, updated.json]).toMatchObject([
      4,
      { error: { message: expect.stringContaining('another user or process moved it') } },
    ]);
  });
});

describe('landing on the base with git.push', { timeout: 120_000 }, () => {
  it('pushes the base to the remote as well', async () => {
    await using shop = await makeShop('github', 'git: { push: true }');
    const { code, run } = await shop.runJson(['job', 'Add a file', '--land', 'merge', ...CHECK]);
    expect([code, shop.atRemote('rev-parse', 'main')]).toEqual([0, run?.landed?.commit]);
  });
});
