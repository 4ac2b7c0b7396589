import fc from 'fast-check';
import { expect, test } from 'vitest';
import { git } from '../../../src/git/git.ts';
import { changedPaths, compareCommits } from '../../../src/git/read/tree-changes.ts';
import { TESTS_ALL } from '../../support/variants.ts';
import { sandbox } from '../sandbox.ts';
import { FILES, importCommits } from '../trees.ts';

test('the paths in which two commits differ are those that git finds, in its order', async () => {
  const { mirror } = await sandbox();
  const commits = importCommits(
    mirror,
    fc.sample(FILES, TESTS_ALL ? 2_000 : 40).map((files) => ({ files })),
  );
  for (let index = 1; index < commits.length; index += 1) {
    const [from = '', to = ''] = commits.slice(index - 1);
    const ours = await compareCommits(mirror, { from, to });
    const rows = ours.map(({ path, modes, oids }) => {
      return [`:${modes.before} ${modes.after} ${oids.before} ${oids.after}`, path];
    });
    expect(rows.flat()).toEqual(await byGit(mirror.dir, from, to));
  }
});

test('the changed paths of many pairs of commits are those of each pair', async () => {
  const { mirror } = await sandbox();
  const commits = importCommits(
    mirror,
    fc.sample(FILES, 20).map((files) => ({ files })),
  );
  const pairs = commits.map((to, index) => ({ from: commits[Math.max(0, index - 2)] ?? '', to }));
  const expected = await Promise.all(pairs.map(async (pair) => compareCommits(mirror, pair)));
  expect(await changedPaths(mirror, pairs)).toEqual(expected.map((changes) => changes.map(({ path }) => path)));
  const missing = { from: commits[0] ?? '', to: 'f'.repeat(40) };
  expect(await changedPaths(mirror, [missing])).toEqual([[]]);
  expect(await changedPaths(mirror, [])).toEqual([]);
});

async function byGit(gitDir: string, from: string, to: string): Promise<string[]> {
  const { stdout } = await git(['diff-tree', '-r', '-z', '--raw', '--no-renames', from, to], { gitDir });
  const fields = stdout.split('\0').slice(0, -1);
  return fields.map((field) => field.replace(/^(:.*) [AMDT]$/, '$1'));
}
