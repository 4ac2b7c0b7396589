import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { removeTree } from '../../src/process/remove-later.ts';

const NOBODY = 65_534;
const folder = mkdtempSync(join(tmpdir(), 'remove-tree-'));
afterAll(() => {
  execFileSync('chmod', ['-R', 'u+rwX', folder]);
  rmSync(folder, { recursive: true });
});

/** Root may do everything: what follows is done as a user who may not. */
async function asUser(work: () => Promise<void>): Promise<void> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    execFileSync('chown', ['-R', String(NOBODY), folder]);
    process.seteuid?.(NOBODY);
  }
  try {
    await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

it('removes a folder without any rights, as the kernel makes one beside an overlay, and read-only ones', async () => {
  const path = join(folder, 'one');
  for (const name of ['work/work', 'cache/module']) mkdirSync(join(path, name), { recursive: true });
  writeFileSync(join(path, 'cache/module/file'), 'x');
  chmodSync(join(path, 'cache/module'), 0o555);
  chmodSync(join(path, 'work/work'), 0);
  await asUser(() => removeTree(path));
  expect(existsSync(path)).toBe(false);
});
