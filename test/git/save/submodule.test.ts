import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mergeCommits } from '../../../src/git/merge/merge.ts';
import {
  commit,
  filesOf,
  folder,
  history,
  mirrored,
  type Sandbox,
  save,
  shell,
  userRepository,
  workspace,
  write,
} from '../sandbox.ts';

async function withSubmodule(): Promise<Sandbox & { sub: string; subHead: string }> {
  const dir = folder();
  const sub = join(dir, 'sub');
  const subHead = userRepository(sub, { 's.txt': 's\n' });
  const user = join(dir, 'user');
  userRepository(user);
  shell(user, 'submodule', '--quiet', 'add', sub, 'vendor/sub');
  const base = commit(user, {}, 'Add the submodule');
  return { dir, user, base, sub, subHead, ...(await mirrored(dir, user)) };
}

test('a submodule is unchanged when the agent does not change it', async () => {
  const box = await withSubmodule();
  const path = await workspace(box);
  expect(shell(path, 'status', '--porcelain')).toBe('');
  expect((await save(box, path)).changed).toBe(false);
  write(path, { 'a.txt': 'changed\n' });
  const saved = await save(box, path);
  expect(filesOf(box.mirror, saved.commit)).toMatchObject({
    'a.txt': 'changed',
    'vendor/sub': `commit ${box.subHead}`,
  });
});

test('a commit in a checked-out submodule is saved and recorded', async () => {
  const box = await withSubmodule();
  const path = await workspace(box);
  shell(path, 'submodule', '--quiet', 'update', '--init');
  const next = commit(join(path, 'vendor/sub'), { 's.txt': 'changed\n' });
  const saved = await save(box, path);
  expect(saved).toMatchObject({ changed: true, nested: ['vendor/sub'], problems: [] });
  expect(filesOf(box.mirror, saved.commit)['vendor/sub']).toBe(`commit ${next}`);
  expect(history(box.mirror, '--all')).toContain(next);
});

test('a submodule that the agent added or removed is added or removed', async () => {
  const box = await withSubmodule();
  const path = await workspace(box);
  rmSync(join(path, 'vendor'), { recursive: true });
  shell(path, 'submodule', '--quiet', 'add', box.sub, 'lib/two');
  const saved = await save(box, path);
  expect(saved.problems).toEqual([]);
  const files = filesOf(box.mirror, saved.commit);
  expect(files['lib/two']).toBe(`commit ${box.subHead}`);
  expect(files['vendor/sub']).toBeUndefined();
});

test('two sides that move a submodule differently are a conflict about a submodule', async () => {
  const box = await withSubmodule();
  const sides = await Promise.all(
    ['one', 'two'].map(async (name) => {
      const path = await workspace(box, name);
      shell(path, 'submodule', '--quiet', 'update', '--init');
      commit(join(path, 'vendor/sub'), { 's.txt': `${name}\n` });
      return (await save(box, path)).commit;
    }),
  );
  const [onto = '', theirs = ''] = sides;
  expect(await mergeCommits({ mirror: box.mirror, onto, theirs, message: 'm', now: 0 })).toEqual({
    kind: 'conflict',
    files: ['vendor/sub'],
    submodule: true,
  });
});
