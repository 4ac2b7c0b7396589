import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { refreshMirror } from '../../../src/git/mirror/refresh.ts';
import { treeOf } from '../../../src/git/read/commit-graph.ts';
import { changedFiles, diffStat, diffText, log, showFile } from '../../../src/git/read/diff.ts';
import { createCheckout } from '../../../src/git/workspace/checkout.ts';
import { commit, sandbox, shell, write } from '../sandbox.ts';

test('a checkout contains exactly the files of the commit', async () => {
  const box = await sandbox();
  const path = join(box.dir, 'check/out');
  await createCheckout({ mirror: box.mirror, path, commit: box.base });
  expect(readdirSync(path).sort()).toEqual(['.git', 'a.txt', 'src']);
  expect(shell(path, 'status', '--porcelain')).toBe('');
  expect(shell(path, 'rev-parse', 'HEAD')).toBe(box.base);
});

test('an overlay takes paths from another commit and deletes those it does not have', async () => {
  const box = await sandbox({ 'test/a.test': 'old a\n', 'test/b.test': 'old b\n', 'src/x': 'x\n' });
  shell(box.user, 'rm', '-q', 'test/b.test');
  const next = commit(box.user, {
    'test/a.test': 'new a\n',
    'test/c.test': 'new c\n',
    'src/x': 'new x\n',
    testing: 'kept\n',
  });
  await refreshMirror(box.mirror, box.repository);
  const path = join(box.dir, 'out');
  await createCheckout({ mirror: box.mirror, path, commit: next, overlay: { commit: box.base, paths: ['test'] } });
  expect(readdirSync(join(path, 'test')).sort()).toEqual(['a.test', 'b.test']);
  expect(readFileSync(join(path, 'test/a.test'), 'utf8')).toBe('old a\n');
  expect(readFileSync(join(path, 'src/x'), 'utf8')).toBe('new x\n');
  expect(existsSync(join(path, 'testing'))).toBe(true);
});

test('changed files, patch, counts, texts and log describe the difference between two commits', async () => {
  const odd = 'new\nline "q"\té ';
  const box = await sandbox({
    'a.txt': '1\n2\n3\n',
    'gone.txt': 'g\n',
    'moved.txt': 'a long enough text\nto be found again\n',
  });
  shell(box.user, 'mv', 'moved.txt', 'place.txt');
  shell(box.user, 'rm', '-q', 'gone.txt');
  write(box.user, { bin: '\0\0' });
  const to = commit(box.user, { 'a.txt': '1\ntwo\n3\n', [odd]: 'x\n' }, 'Subject line');
  await refreshMirror(box.mirror, box.repository);
  const between = { from: box.base, to };
  expect(await changedFiles(box.mirror, between)).toEqual(
    expect.arrayContaining([
      { path: 'a.txt', status: 'modified' },
      { path: 'gone.txt', status: 'deleted' },
      { path: 'moved.txt', status: 'deleted' },
      { path: 'place.txt', status: 'added' },
      { path: odd, status: 'added' },
    ]),
  );
  expect(await changedFiles(box.mirror, between, { renames: true })).toContainEqual({
    path: 'place.txt',
    status: 'renamed',
    from: 'moved.txt',
  });
  expect(await diffText(box.mirror, between, ['a.txt'])).toMatch(/-2\n\+two\n/);
  expect(await diffText(box.mirror, between, ['a.txt'])).not.toMatch(/gone/);
  expect(await diffStat(box.mirror, between)).toEqual(
    expect.arrayContaining([
      { path: 'a.txt', added: 1, deleted: 1, binary: false },
      { path: odd, added: 1, deleted: 0, binary: false },
      { path: 'bin', added: 0, deleted: 0, binary: true },
    ]),
  );
  expect(await showFile(box.mirror, to, odd)).toBe('x\n');
  expect(await showFile(box.mirror, to, 'gone.txt')).toBeUndefined();
  expect(await showFile(box.mirror, to, 'a')).toBeUndefined();
  expect(await log(box.mirror, between)).toEqual([{ commit: to, subject: 'Subject line', author: 'Ann' }]);
  expect(await treeOf(box.mirror, to)).toBe(shell(box.user, 'rev-parse', 'HEAD^{tree}'));
});
