import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { changedFiles } from '../../../src/git/read/diff.ts';
import { listFiles } from '../../../src/git/read/list-files.ts';
import { touchedPaths } from '../../../src/git/read/touched.ts';
import { treeChanges } from '../../../src/git/read/tree-changes.ts';
import { commit, sandbox, save, workspace, write } from '../sandbox.ts';

test('what was read of two commits is read once, for every reader', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  commit(path, { 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const from = (await save(box, path)).commit;
  rmSync(`${path}/b.txt`);
  write(path, { 'a.txt': 'more\n', 'c.txt': 'c\n' });
  const to = (await save(box, path)).commit;
  const touched = await touchedPaths(box.mirror, { from, to });
  const listed = await listFiles(box.mirror, to);
  rmSync(box.mirror.dir, { recursive: true });
  expect(await touchedPaths(box.mirror, { from, to })).toEqual(touched);
  expect(await listFiles(box.mirror, to)).toEqual(listed);
  expect((await treeChanges(box.mirror, { from, to })).map((change) => change.modes.after)).toEqual([
    '100644',
    '000000',
    '100644',
  ]);
  expect(await changedFiles(box.mirror, { from, to })).toEqual([
    { path: 'a.txt', status: 'modified' },
    { path: 'b.txt', status: 'deleted' },
    { path: 'c.txt', status: 'added' },
  ]);
  await expect(listFiles(box.mirror, from)).rejects.toThrow();
});

test('what a name that can move stands for is read each time', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  commit(path, { 'a.txt': 'a\n' });
  const { refs } = await save(box, path);
  const [ref = ''] = refs;
  await listFiles(box.mirror, ref);
  rmSync(box.mirror.dir, { recursive: true });
  await expect(listFiles(box.mirror, ref)).rejects.toThrow();
});
