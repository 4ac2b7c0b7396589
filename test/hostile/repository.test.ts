import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ERRORS } from '../../src/errors.ts';
import type { Scratch } from '../support/scratch.ts';
import { TESTS_ALL } from '../support/variants.ts';
import { agent, makeShop, runAndReport } from './hostile-run.ts';

const FIXES = agent('bend.sh', 'fixes-source');

describe.concurrent('an unsupported folder is refused with the reason, and nothing is created', () => {
  test.each<[string, (shop: Scratch) => string, RegExp]>([
    ['no repository', (shop) => folder(shop), /is not inside a git repository/],
    ['an empty repository', (shop) => initialised(shop), /has no commit yet/],
    ['an unborn branch', (shop) => unborn(shop), /has no commit yet/],
    ['a bare repository', (shop) => cloned(shop, '--bare'), /it is bare/],
    ['the inside of .git', (shop) => join(shop.repo, '.git'), /inside \.git|bare|work tree/],
    ['a partial clone', (shop) => partial(shop), /partial clone/],
  ])('%s', async (_, make, reason) => {
    await using shop = await makeShop();
    const dir = make(shop);
    const { code, stderr, stdout } = await shop.mh(['job', 'x', '--agent', FIXES, '--dir', dir]);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(reason);
    expect(Object.values(ERRORS).some(({ hint }) => stderr.includes(hint))).toBe(true);
    expect(readdirSync(shop.home).includes('mirrors') ? readdirSync(join(shop.home, 'mirrors')) : []).toEqual([]);
  });

  test('one with Git LFS without git-lfs', async () => {
    await using shop = await makeShop({ files: { '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' } });
    const path = withoutLfs(shop);
    const { code, stderr } = await shop.mh(['job', 'x', '--agent', FIXES], { env: { PATH: path } });
    expect([code, stderr]).toEqual([3, expect.stringContaining('git-lfs is not installed')]);
  });
});

describe.concurrent('a repository of an unusual kind works', () => {
  test('a shallow clone', async () => {
    await using shop = await makeShop();
    shop.git('commit', '--quiet', '--allow-empty', '--message=More');
    const dir = cloned(shop, '--depth=1', '--no-local');
    await lands(shop, dir);
  });

  test.runIf(TESTS_ALL)('a sparse checkout, which stays sparse', async () => {
    await using shop = await makeShop({ files: { 'far/away.txt': 'x\n' } });
    shop.git('sparse-checkout', 'set', 'test', '.manyhands');
    const before = await shop.fingerprint();
    await lands(shop, shop.repo);
    expect(await shop.fingerprint()).toBe(before);
  });

  test('one with a submodule', async () => {
    await using shop = await makeShop();
    const inner = cloned(shop, '--quiet');
    shop.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'inner');
    shop.git('commit', '--quiet', '--message=Add a submodule');
    const run = await lands(shop, shop.repo);
    expect(shop.git('ls-tree', run.commit ?? '', 'inner')).toMatch(/^160000/);
  });

  test.runIf(TESTS_ALL)('one with unusual file names', async () => {
    await using shop = await makeShop({ files: { ' a\nb\t"c': 'x\n', '-rf': 'x\n', 'ü/ñ': 'x\n' } });
    const run = await lands(shop, shop.repo);
    expect(shop.git('diff', '--name-only', 'main', run.commit ?? '')).toBe('sum.js');
  });

  test('one at a path with spaces, quotes and non-ASCII letters', async () => {
    await using shop = await makeShop();
    const dir = join(shop.root, 'it\'s a "päth" $HOME;x');
    renameSync(shop.repo, dir);
    mkdirSync(shop.repo);
    await lands(shop, dir);
  });

  test.runIf(TESTS_ALL)('started from a subfolder', async () => {
    await using shop = await makeShop();
    const run = await lands(shop, join(shop.repo, 'test'));
    expect(run.project).toBe(shop.repo);
  });

  test.runIf(TESTS_ALL)('one with a detached HEAD, of which only a landing on the base is refused', async () => {
    await using shop = await makeShop();
    shop.git('checkout', '--quiet', '--detach');
    const refused = await shop.mh(['job', 'x', '--agent', FIXES, '--land', 'merge']);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('HEAD is detached')]);
    const run = await lands(shop, shop.repo);
    expect([run.base.branch, run.branch]).toEqual([null, `mh/${run.run}`]);
    const land = await shop.mh(['land', run.run]);
    const step = `git switch main && git merge mh/${run.run}`;
    expect([land.code, land.stderr]).toEqual([4, expect.stringContaining(`Run: ${step}\n`)]);
    expect((await shop.mh(['show', run.run])).stdout).not.toContain('manyhands land');
    execFileSync('sh', ['-c', step], { cwd: shop.repo, stdio: 'pipe' });
    expect(shop.git('rev-parse', 'main^{tree}')).toBe(shop.git('rev-parse', `${run.branch}^{tree}`));
  });
});

test('a repository whose objects are symbolic links works', async () => {
  await using shop = await makeShop();
  const [folderName = ''] = readdirSync(join(shop.repo, '.git/objects')).filter((name) => name.length === 2);
  const objects = join(shop.repo, '.git/objects', folderName);
  for (const name of readdirSync(objects)) {
    renameSync(join(objects, name), join(shop.root, name));
    symlinkSync(join(shop.root, name), join(objects, name));
  }
  await lands(shop, shop.repo);
});

async function lands(shop: Scratch, dir: string) {
  const { code, run } = await runAndReport(shop, 'job', 'x', '--agent', FIXES, '--dir', dir);
  expect([code, run.status]).toEqual([0, 'done']);
  return run;
}

function folder(shop: Scratch): string {
  const dir = join(shop.root, 'folder');
  mkdirSync(dir);
  return dir;
}

function initialised(shop: Scratch): string {
  const dir = folder(shop);
  shop.git('init', '--quiet', dir);
  return dir;
}

function unborn(shop: Scratch): string {
  shop.git('checkout', '--quiet', '--orphan', 'new');
  return shop.repo;
}

function cloned(shop: Scratch, ...how: string[]): string {
  const dir = join(shop.root, 'clone');
  shop.git('clone', '--quiet', ...how, shop.repo, dir);
  return dir;
}

function partial(shop: Scratch): string {
  shop.git('config', 'uploadpack.allowFilter', 'true');
  const dir = join(shop.root, 'clone');
  shop.git('clone', '--quiet', '--filter=blob:none', `file://${shop.repo}`, dir);
  return dir;
}

/** A PATH with everything that is needed here but git-lfs. */
function withoutLfs(shop: Scratch): string {
  const bin = join(shop.root, 'bin');
  mkdirSync(bin);
  const find = (name: string) => execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
  for (const name of ['git', 'sh', 'grep', 'mkfifo', 'cat']) {
    writeFileSync(join(bin, name), `#!/bin/sh\nexec ${find(name)} "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}
