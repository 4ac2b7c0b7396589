import { expect, it } from 'vitest';
import { filesOf, sandbox, save, workspace, write } from '../sandbox.ts';

it('saves without an error when paths that we put into a workspace are also ignored by the repository', async () => {
  const box = await sandbox({ '.gitignore': 'deps/\n', 'a.txt': 'a\n' });
  const path = await workspace(box, 'ws', ['deps']);
  write(path, { 'deps/state': 'ready\n', 'b.txt': 'b\n' });
  const saved = await save(box, path, { exclude: ['deps'] });
  expect(saved.problems).toEqual([]);
  expect(Object.keys(filesOf(box.mirror, saved.commit))).toEqual(['.gitignore', 'a.txt', 'b.txt']);
});
