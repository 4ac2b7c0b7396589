import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { projectPath } from '../../src/workspaces/project-path.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'mh-path-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const root = join(base, 'repo');
const workspace = join(base, 'workspaces', 'k3v9q2xa-1');
const other = join(base, 'workspaces', 'k3v9q2xa-2');
for (const folder of [root, workspace, other, join(base, 'workspaces', 'notes')]) {
  mkdirSync(join(folder, 'src'), { recursive: true });
  writeFileSync(join(folder, 'src', 'a.ts'), '');
}
symlinkSync('src', join(workspace, 'link'));
symlinkSync('/etc', join(workspace, 'out'));
symlinkSync(root, join(base, 'alias'));

describe('the path of a file in its project', () => {
  it.each([
    ['relative', 'src/a.ts'],
    ['with dots', './src/../src//a.ts'],
    ['through a link', 'link/a.ts'],
    ['absolute', join(workspace, 'src/a.ts')],
    ['in another workspace', join(other, 'src/a.ts')],
    ['in another workspace, relative', '../k3v9q2xa-2/src/a.ts'],
    ['in the repository of the user', join(root, 'src/a.ts')],
    ['in the repository through a link', join(base, 'alias', 'src/a.ts')],
  ])('is the same if it is named %s', async (_, given) => {
    expect(await projectPath(given, { workspace, root })).toBe('src/a.ts');
  });

  it('is that of a file that does not exist yet, and the whole project is the empty path', async () => {
    expect(await projectPath('link/new/b.ts', { workspace, root })).toBe('src/new/b.ts');
    expect(await projectPath('.', { workspace, root })).toBe('');
  });

  it.each(['/', '/etc/passwd', '../../outside', 'out/passwd', '../notes/src/a.ts', 'a\0b', 'a/'.repeat(300)])(
    'is refused outside of it: %j',
    async (given) => {
      await expect(projectPath(given, { workspace, root })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    },
  );
});
