import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addedLines } from '../../../src/git/read/diff.ts';
import { fileTraits } from '../../../src/git/read/file-traits.ts';
import { commit, sandbox, save, workspace, write } from '../sandbox.ts';

test('traits of changed files that their lines do not show', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  const lines = Array.from({ length: 20 }, (_, number) => `line ${number}`);
  write(path, { 'text.txt': `${lines.join('\n')}\n`, 'run.sh': 'true\n', 'src/other.txt': 'x\n' });
  commit(path, {});
  const first = await save(box, path);
  write(path, { 'text.txt': `${lines.join('\r\n')}\r\n`, 'SRC/new.txt': 'n\n', 'Run.sh': 'true\n' });
  chmodSync(join(path, 'run.sh'), 0o755);
  writeFileSync(join(path, 'big.bin'), Buffer.alloc(6 * 1024 * 1024));
  symlinkSync('run.sh', join(path, 'link'));
  const range = { from: first.commit, to: (await save(box, path)).commit };
  expect(Object.fromEntries(await fileTraits(box.mirror, range))).toEqual({
    'text.txt': ['line-endings'],
    'SRC/new.txt': ['case-collision'],
    'Run.sh': ['case-collision'],
    'run.sh': ['executable'],
    'big.bin': ['over-limit'],
    link: ['link'],
  });
  expect(await addedLines(box.mirror, range, ['Run.sh', 'run.sh'])).toEqual([
    { path: 'Run.sh', isNew: true, lines: ['true'] },
  ]);
});
