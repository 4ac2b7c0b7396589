import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commitTree } from '../../../src/git/merge/commit.ts';
import { type Sandbox, sandbox, shell } from '../sandbox.ts';

const AT = 1_700_000_000;

/** The commit as git itself makes it. */
function byGit({ mirror, base }: Sandbox, tree: string, what: { message: string; name: string }): string {
  const env = {
    PATH: process.env.PATH,
    GIT_AUTHOR_NAME: what.name,
    GIT_AUTHOR_EMAIL: 'ann@example.org',
    GIT_AUTHOR_DATE: `@${AT} +0000`,
    GIT_COMMITTER_NAME: 'Manyhands',
    GIT_COMMITTER_EMAIL: 'manyhands@localhost',
    GIT_COMMITTER_DATE: `@${AT} +0000`,
  };
  const args = [`--git-dir=${mirror.dir}`, 'commit-tree', '-p', base, '-F', '-', tree];
  return execFileSync('git', args, { env, input: what.message, encoding: 'utf8' }).trim();
}

test.each([
  ['sha1', 'Ann', 'Work\n'],
  ['sha1', ' "Ann\' <of> Ümlaut,. ', 'Line\n\nMore ✓\n\nTrailer: yes\n'],
  ['sha256', 'Ann', 'Work\n'],
])('a commit in a %s repository by %j is to the byte the one that git makes', async (format, name, message) => {
  const box = await sandbox({ 'a.txt': 'a' }, `--object-format=${format}`);
  const tree = shell(box.mirror.dir, 'rev-parse', `${box.base}^{tree}`);
  const author = { name, email: 'ann@example.org' };
  const ours = { gitDir: box.mirror.dir, tree, parents: [box.base], message, now: AT * 1000, author };
  const commit = await commitTree(ours);
  expect(shell(box.mirror.dir, 'cat-file', '-t', commit)).toBe('commit');
  expect(commit).toBe(byGit(box, tree, { message, name }));
  expect(await commitTree(ours)).toBe(commit);
  expect(shell(box.mirror.dir, 'fsck', '--strict')).not.toMatch(/error/);
  expect(readdirSync(join(box.mirror.dir, 'objects')).filter((file) => file.startsWith('tmp_'))).toEqual([]);
});
