import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filesOfCommit } from '../../../src/git/read/list-files.ts';
import { TESTS_ALL } from '../../support/variants.ts';
import { sandbox } from '../sandbox.ts';
import { FILES, importCommits } from '../trees.ts';

test('the files of a commit are the same when they follow from those of another one', async () => {
  const { mirror } = await sandbox();
  const { mirror: other } = await sandbox();
  const trees = fc.sample(FILES, TESTS_ALL ? 500 : 30).map((files) => ({ files }));
  const commits = importCommits(mirror, trees);
  expect(importCommits(other, trees)).toEqual(commits);
  for (let index = 1; index < commits.length; index += 1) {
    const [before, commit = ''] = commits.slice(index - 1);
    const followed = await filesOfCommit(mirror, commit, before);
    // Of another mirror, because a list is read once.
    const listed = await filesOfCommit(other, commit);
    expect([...followed.paths]).toEqual([...listed.paths]);
    const paths = [...listed.paths];
    expect(await followed.readAll(paths)).toEqual(await listed.readAll(paths));
  }
});
