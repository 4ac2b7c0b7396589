import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diffUnsaved } from '../../../src/git/save/diff-unsaved.ts';
import { commit, sandbox, shell, workspace, write } from '../sandbox.ts';

test('the files of a workspace are compared with its start, and nothing is left in it or in the mirror', async () => {
  const box = await sandbox({ 'a.txt': 'a\n', 'src/b.txt': 'b\n', '.gitignore': 'ignored/\n' });
  const path = await workspace(box);
  const { base } = box;
  commit(path, { 'committed.txt': 'one\n' });
  write(path, { 'a.txt': 'changed\n', 'new.txt': 'new\n', 'ignored/x': 'x\n', 'ours.txt': 'ours\n' });
  const ran = join(box.dir, 'ran');
  shell(path, 'config', 'filter.evil.clean', `touch ${ran}; cat`);
  shell(path, 'config', 'core.fsmonitor', `touch ${ran}`);
  writeFileSync(join(path, '.gitattributes'), '* filter=evil\n');
  const before = objects(box.mirror.dir);
  const diff = await diffUnsaved({ mirror: box.mirror, path, base, exclude: ['ours.txt'] });
  expect([...diff.matchAll(/^diff --git a\/(\S+)/gm)].map(([, file]) => file).sort()).toEqual([
    '.gitattributes',
    'a.txt',
    'committed.txt',
    'new.txt',
  ]);
  expect(diff).toContain('-a\n+changed');
  expect(objects(box.mirror.dir)).toEqual(before);
  expect(existsSync(ran)).toBe(false);
});

function objects(dir: string): string[] {
  return readdirSync(join(dir, 'objects'), { recursive: true }).map(String).sort();
}
