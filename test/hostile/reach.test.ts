import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Scratch } from '../support/scratch.ts';
import { variants } from '../support/variants.ts';
import { agent, inMirror, job, makeShop, runAndReport } from './hostile-run.ts';

const CANARIES = {
  AWS_SECRET_ACCESS_KEY: 'canary-aws',
  MY_CANARY: 'canary-mine',
  GITHUB_TOKEN: 'canary-github',
  GIT_DIR: '/canary-git',
};

test('secrets in our environment reach neither an agent nor a check', async () => {
  await using shop = await makeShop({ files: { 'check.sh': 'env >"$HOME/check.env"\ngrep -q "a + b" sum.js\n' } });
  const seen = join(shop.root, 'agent.env');
  const { GIT_DIR: _, ...env } = CANARIES;
  const finished = await shop.mh(['job', 'x', '--agent', agent('reach.sh', 'environment', seen, shop.repo)], { env });
  expect(finished.code).toBe(0);
  for (const file of [seen, join(shop.root, 'check.env')]) {
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('PATH=');
    expect(text).not.toContain('canary');
  }
});

test('GIT_* variables are not passed to agents', async () => {
  await using shop = await makeShop();
  const seen = join(shop.root, 'agent.env');
  const env = { GIT_AUTHOR_NAME: 'canary', GIT_SSH_COMMAND: 'canary', GIT_CONFIG_COUNT: '0' };
  const finished = await shop.mh(['job', 'x', '--agent', agent('reach.sh', 'environment', seen, shop.repo)], { env });
  expect([finished.code, readFileSync(seen, 'utf8').includes('canary')]).toEqual([0, false]);
});

describe.concurrent("a change of the mirror's configuration by an agent is detected before git runs there again", () => {
  test.each(
    variants(
      [['mirror-config', 'config']],
      [
        ['mirror-hooks', 'hooks'],
        ['mirror-attributes', 'info/attributes'],
      ],
    ),
  )('%s', async (misbehaviour, what) => {
    await using shop = await makeShop();
    const { code, run, canary } = await reach(shop, misbehaviour);
    expect([code, run.status, run.reason]).toEqual([4, 'blocked', expect.stringContaining(`${what} of the mirror`)]);
    expect(existsSync(canary)).toBe(false);
    expect(shop.git('branch', '--list', 'mh/*')).toBe('');
  });
});

test('a run branch that an agent moves in the mirror does not land', async () => {
  await using shop = await makeShop();
  const { code, run } = await reach(shop, 'mirror-branch');
  expect([code, run.status]).toEqual([0, 'done']);
  expect(shop.git('show', `mh/${run.run}:sum.js`)).toContain('a + b');
  expect(inMirror(shop, 'rev-parse', `refs/manyhands/runs/${run.run}`)).toBe(run.commit);
});

test("an agent that edits the user's checkout makes a landing there wait for the user", async () => {
  await using shop = await makeShop();
  const { code, run } = await reach(shop, 'checkout', '--land', 'merge');
  expect([code, run.status, run.landed]).toEqual([4, 'held', null]);
  expect(shop.git('log', '--format=%s', 'main')).toBe('Start');
});

test('an agent that kills another costs it an attempt and nothing else', async () => {
  await using shop = await makeShop({ check: 'true', limits: 'attempts: 2' });
  const victim = join(shop.root, 'victim');
  const { code, run } = await runAndReport(
    shop,
    'do',
    'x',
    '--agent',
    agent('reach.sh', 'kills-another', victim, shop.repo),
  );
  expect([code, run.status]).toEqual([0, 'done']);
  expect(run.tasks.find(({ key }) => key === 'implement/1.2')?.attempts).toBe(2);
});

async function reach(shop: Scratch, misbehaviour: string, ...options: string[]) {
  const canary = join(shop.root, 'canary');
  const result = await job(shop, agent('reach.sh', misbehaviour, canary, shop.repo), ...options);
  return { ...result, canary };
}
