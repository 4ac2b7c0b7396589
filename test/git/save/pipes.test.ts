import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { diffUnsaved } from '../../../src/git/save/diff-unsaved.ts';
import { filesOf, sandbox, save, shell, workspace, write } from '../sandbox.ts';

const AT_BASE = { 'a.txt': 'a', 'src/b.txt': 'b' };
/** With more files than are looked at one by one. */
const MANY = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`many/${index}`, 'x']));

describe.each([
  ['few files', { x: 'x' }],
  ['many files', { x: 'x', ...MANY }],
] as const)('a workspace with %s', (_, files) => {
  test.each(['.gitignore', '.gitattributes', 'sub/.gitignore', 'sub/.gitattributes'])(
    'is saved although %s is a pipe, for which git would wait',
    async (name) => {
      const box = await sandbox();
      const path = await workspace(box);
      write(path, { ...files, 'sub/y': 'y' });
      rmSync(join(path, name), { force: true });
      execFileSync('mkfifo', [join(path, name)]);
      await expect(diffUnsaved({ mirror: box.mirror, path, base: box.base, exclude: [] })).rejects.toThrow(/is a pipe/);
      const saved = await save(box, path);
      expect(saved.problems).toEqual([]);
      expect(filesOf(box.mirror, saved.commit)).toEqual({ ...AT_BASE, ...files, 'sub/y': 'y' });
    },
  );
});

test('a workspace with a repository inside is saved although its list of submodules is a pipe', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  const nested = join(path, 'nested');
  mkdirSync(nested);
  shell(nested, 'init', '-q');
  writeFileSync(join(nested, 'x'), 'x');
  execFileSync('mkfifo', [join(path, '.gitmodules')]);
  const saved = await save(box, path);
  expect(filesOf(box.mirror, saved.commit)).toEqual({ ...AT_BASE, 'nested/x': 'x' });
});
