import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { refreshMirror } from '../../../src/git/mirror/refresh.ts';
import { readTopTexts } from '../../../src/git/read/top-files.ts';
import { commit, sandbox, shell } from '../sandbox.ts';

test('top-level files of a commit are found in loose and in packed objects, and nothing else is', async () => {
  const box = await sandbox({ 'A.md': 'one', 'sub/B.md': 'two', 'C.md/x': 'three' });
  symlinkSync('A.md', join(box.user, 'D.md'));
  const tip = commit(box.user, { 'A.md': 'changed ✓' });
  await refreshMirror(box.mirror, box.repository);
  const names = ['A.md', 'B.md', 'C.md', 'D.md', 'missing.md'];
  expect(await readTopTexts(box.mirror, tip, names)).toEqual(new Map([['A.md', 'changed ✓']]));
  shell(box.mirror.dir, 'repack', '-a', '-d', '-q');
  expect(await readTopTexts(box.mirror, tip, names)).toEqual(new Map([['A.md', 'changed ✓']]));
});
