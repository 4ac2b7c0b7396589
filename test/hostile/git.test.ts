import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunDocument } from '../../src/schema/document.ts';
import type { Scratch } from '../support/scratch.ts';
import { variants } from '../support/variants.ts';
import { agent, inMirror, job, makeShop, runAndReport, savedFiles } from './hostile-run.ts';

/** What an agent does to its git, and a file of it that must be saved. */
const LANDS = variants(
  [
    ['amended', 'first.txt'],
    ['broken-git', 'broken.txt'],
  ],
  [
    ['other-branch', 'side.txt'],
    ['git-file', 'file.txt'],
    ['alternates', 'alternates.txt'],
    ['orphan', 'orphan.txt'],
    ['no-git', 'none.txt'],
    ['no-objects', 'objects.txt'],
    ['stays-on-branch', 'side.txt'],
    ['detached', 'detached.txt'],
    ['rewritten', 'lost.txt'],
    ['staged', 'staged.txt'],
    ['merging', 'side.txt'],
    ['shallow', 'shallow.txt'],
    ['grafted', 'grafted.txt'],
    ['git-link', 'link.txt'],
    ['locks', 'locks.txt'],
    ['gitlink', 'gitlink.txt'],
  ],
);

describe.concurrent('whatever an agent does to its git, its work is saved, checked and landed, and none of its hooks run', () => {
  test.each(LANDS)('%s', async (misbehaviour, file) => {
    await using shop = await makeShop();
    const { code, run } = await misbehave(shop, misbehaviour);
    expect(code).toBe(0);
    expectSavedAndLanded(shop, run, file);
  });
});

describe.concurrent('work that git cannot store, or that configures git, waits for the user and is kept', () => {
  test.each(
    variants(
      [
        ['config', 'held', /\.gitattributes/],
        ['evil-tree', 'blocked', /invalid path/],
      ],
      [
        ['git-names', 'blocked', /\.GIT\/config/],
        ['encoding', 'held', /\.gitattributes/],
        ['fifo', 'blocked', /README\.md/],
      ],
    ),
  )('%s', async (misbehaviour, status, reason) => {
    await using shop = await makeShop();
    const { code, run } = await misbehave(shop, misbehaviour);
    expect([code, run.status]).toEqual([4, status]);
    expect(run.reason).toMatch(reason);
    expect(savedFiles(shop, 'precious')).not.toEqual([]);
    const salvage = await shop.mh(['salvage', '--json']);
    expect(JSON.stringify(salvage.json)).toContain(run.run);
  });
});

describe.concurrent('commits with more than the limits allow are refused before anything compares them, and are kept', () => {
  test.each(
    variants(
      [['tree-bomb', /more than 50000 files are changed in its commits, and limits\.workFiles is 50000/]],
      [
        ['removed-tree-bomb', /more than 50000 files are changed in its commits/],
        ['large-commit', /a file in its commits has 101 MB, and limits\.workFileMb is 100/],
      ],
    ),
  )('%s', async (misbehaviour, reason) => {
    await using shop = await makeShop();
    const { code, run } = await misbehave(shop, misbehaviour);
    expect([code, run.status, run.reason]).toEqual([4, 'blocked', expect.stringMatching(reason)]);
    expect(readFileSync(join(shop.home, 'workspaces', `${run.run}-1`, 'sum.js'), 'utf8')).toContain('a + b');
  });
});

describe.concurrent('an agent that destroys its workspace does not succeed, and nothing else is affected', () => {
  test.each(variants(['link-for-workspace'], ['no-workspace', 'file-for-workspace']))('%s', async (misbehaviour) => {
    await using shop = await makeShop();
    const { code, run } = await misbehave(shop, misbehaviour);
    expect([code, run.status, run.tasks[0]?.reason]).toEqual([
      1,
      'failed',
      expect.stringContaining('without changing anything'),
    ]);
  });
});

describe.concurrent('after a failed attempt that damaged its repository the next one gets a usable one', () => {
  test.each(variants(['locks'], ['broken-git', 'git-link', 'git-file', 'no-git', 'link-for-workspace', 'detached']))(
    '%s',
    async (misbehaviour) => {
      await using shop = await makeShop({ limits: 'attempts: 2' });
      const { code, run } = await misbehave(shop, misbehaviour, '1');
      expect([code, run.status, run.tasks[0]?.attempts]).toEqual([0, 'done', 2]);
    },
  );
});

test('a folder too deep for git to open keeps its workspace from being removed', async () => {
  await using shop = await makeShop();
  const { code, run } = await misbehave(shop, 'deep');
  expect([code, run.status, run.reason]).toEqual([4, 'blocked', expect.stringContaining('could not open directory')]);
  expect(new Set(savedFiles(shop, 'precious'))).toEqual(new Set(['deep.txt']));
  execFileSync('rm', ['-r', join(shop.home, 'workspaces', `${run.run}-1`)]);
});

test('links to outside the tree wait for a person, land as links, and nothing is read or written through them', async () => {
  await using shop = await makeShop();
  const { run: held } = await misbehave(shop, 'links');
  expect([held.status, held.attention[0]?.reason]).toEqual(['held', expect.stringMatching(/passwd/)]);
  const { run } = await runAndReport(shop, 'approve', held.run);
  expectSavedAndLanded(shop, run, 'links.txt');
  const modes = shop.git('ls-tree', run.commit ?? '', 'passwd', 'user', 'up', 'loop').split('\n');
  expect(modes.map((line) => line.slice(0, 6))).toEqual(['120000', '120000', '120000', '120000']);
});

test('files with unusual names are saved and land unchanged', async () => {
  await using shop = await makeShop();
  const { run } = await misbehave(shop, 'odd-names');
  expect(run.status).toBe('done');
  const landed = shop.git('ls-tree', '-r', '-z', '--name-only', run.commit ?? '').split('\0');
  const odd = [
    '-rf',
    '--help',
    'a b',
    'tab\ttab',
    'quo"te',
    "it's",
    'back\\slash',
    'star*',
    ':(top)',
    '$(touch x)',
    'new\nline',
    'dir;ls/{a,b}',
  ];
  expect(landed).toEqual(expect.arrayContaining(odd));
});

test('a nested repository is saved with its history, under its own refs; its files land after approval', async () => {
  await using shop = await makeShop();
  const { run: held } = await misbehave(shop, 'nested');
  expect([held.status, held.attention[0]?.reason]).toEqual(['held', expect.stringMatching(/sub/)]);
  const { run } = await runAndReport(shop, 'approve', held.run);
  expectSavedAndLanded(shop, run, 'nested.txt');
  expect(inMirror(shop, 'for-each-ref', '--format=%(refname)')).toMatch(/nested/);
  expect(shop.git('ls-tree', '-r', '--name-only', run.commit ?? '')).toContain('sub/nested.txt');
});

test('saved work is put on a branch on request', async () => {
  await using shop = await makeShop();
  const { run } = await misbehave(shop, 'stashed');
  expectSavedAndLanded(shop, run, 'stash.txt');
  const refs = inMirror(shop, 'for-each-ref', '--format=%(refname)', `refs/manyhands/attempts/${run.run}-1-1`);
  const stash = refs.split('\n').find((ref) => ref.endsWith('stash')) ?? '';
  const restored = await shop.mh(['salvage', 'restore', stash, '--branch', 'rescued']);
  expect([restored.code, restored.stderr]).toEqual([0, expect.stringContaining('rescued')]);
  expect(shop.git('show', 'rescued:stash.txt')).toBe('precious');
});

test('a workspace with unsaved work is not removed by clean', async () => {
  await using shop = await makeShop();
  const { run } = await misbehave(shop, 'git-names');
  await runAndReport(shop, 'cancel', run.run);
  const cleaned = await shop.mh(['clean', '--older-than', '0', '--apply']);
  const kept = join(shop.home, 'workspaces', `${run.run}-1`, '.GIT', 'config');
  expect([cleaned.code, readFileSync(kept, 'utf8')]).toEqual([3, 'x\n']);
});

function expectSavedAndLanded(shop: Scratch, run: RunDocument, file: string): void {
  expect(run.status).toBe('done');
  expect(savedFiles(shop, 'precious')).toContain(file);
  expect(shop.git('show', `mh/${run.run}:sum.js`)).toContain('a + b');
}

/** Lets the agent misbehave, and checks that nothing of it ran and nothing of the user's changed. */
async function misbehave(shop: Scratch, misbehaviour: string, exitCode = '0') {
  const before = await shop.fingerprint();
  const canary = join(shop.root, 'canary');
  const result = await job(shop, agent('git.sh', misbehaviour, canary, shop.repo, exitCode));
  expect(existsSync(canary)).toBe(false);
  expect(await shop.fingerprint()).toBe(before);
  expect(inMirror(shop, 'for-each-ref', 'refs/replace')).toBe('');
  return result;
}
