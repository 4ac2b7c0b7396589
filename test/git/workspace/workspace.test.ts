import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkWorkspace, createWorkspace, hidePaths, removeWorkspace } from '../../../src/git/workspace/workspace.ts';
import { removalsEnded } from '../../../src/process/remove-later.ts';
import {
  commit,
  folder,
  mirrored,
  sandbox,
  save,
  shell,
  tryShell,
  userRepository,
  workspace,
  write,
} from '../sandbox.ts';

test('a workspace is a clean clone on its own branch, without a remote, with its own identity', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  expect(shell(path, 'status', '--porcelain', '--branch')).toBe('## mh/r1/t1');
  expect(shell(path, 'rev-parse', 'HEAD')).toBe(box.base);
  expect(readFileSync(join(path, 'src/b.txt'), 'utf8')).toBe('b\n');
  expect(shell(path, 'remote')).toBe('');
  expect(shell(path, 'config', 'user.email')).toBe('manyhands@localhost');
  expect(shell(path, 'config', 'commit.gpgSign')).toBe('false');
  expect(shell(path, 'fsck')).toBe('');
  expect(readdirSync(box.dir).filter((name) => name.includes('making'))).toEqual([]);
});

test('an agent can commit, branch, stash and collect garbage in it', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  commit(path, { 'new.txt': 'x' });
  shell(path, 'checkout', '-q', '-b', 'other');
  write(path, { 'a.txt': 'stashed' });
  shell(path, 'stash');
  shell(path, 'gc', '--quiet', '--prune=now');
  expect(shell(path, 'fsck')).toBe('');
});

test('the workspace has the requested identity', async () => {
  const box = await sandbox();
  const path = join(box.dir, 'ws');
  const identity = { name: 'A "quoted" \\ name', email: 'x@example.org' };
  await createWorkspace({ mirror: box.mirror, path, commit: box.base, branch: 'b', identity });
  expect(shell(path, 'config', 'user.name')).toBe(identity.name);
});

test('unusual file names are checked out unchanged', async () => {
  const odd = [
    'new\nline',
    '"quoted"',
    '-dash',
    'nfd-e\u0301',
    'trailing space ',
    'tab\there',
    ':(top)x',
    'back\\slash',
  ];
  const box = await sandbox(Object.fromEntries(odd.map((name) => [name, `${name}\n`])));
  const path = await workspace(box);
  expect(readdirSync(path).sort()).toEqual([...odd, '.git'].sort());
  expect(shell(path, 'status', '--porcelain')).toBe('');
});

test('a workspace of a sparse repository is complete', async () => {
  const dir = folder();
  const user = join(dir, 'user');
  const base = userRepository(user, { 'a/x': 'x', 'b/y': 'y' });
  shell(user, 'sparse-checkout', 'set', 'a');
  const path = await workspace({ dir, user, base, ...(await mirrored(dir, user)) });
  expect(readFileSync(join(path, 'b/y'), 'utf8')).toBe('y');
});

test('files that the user ignores in info/exclude are ignored in the workspace too', async () => {
  const dir = folder();
  const user = join(dir, 'user');
  const base = userRepository(user);
  appendFileSync(join(user, '.git/info/exclude'), '.env\n');
  const box = { dir, user, base, ...(await mirrored(dir, user)) };
  const path = await workspace(box);
  write(path, { '.env': 'SECRET=1\n' });
  expect(shell(path, 'status', '--porcelain')).toBe('');
  expect((await save(box, path)).changed).toBe(false);
});

test('an incomplete workspace of a killed engine is removed when it is created again', async () => {
  const box = await sandbox();
  write(box.dir, { 'ws.making-1/x': 'x', 'ws.removing-2/y': 'y', 'ws2.making-3/z': 'z' });
  await workspace(box);
  expect(readdirSync(box.dir).sort()).toEqual(['mirror', 'user', 'ws', 'ws2.making-3']);
});

test('an existing path is never overwritten', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  write(path, { 'precious.txt': 'x' });
  await expect(workspace(box)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(existsSync(join(path, 'precious.txt'))).toBe(true);
});

test.each(['../../x', '-rf', 'a..b', 'x.lock', 'a b', '', 'a//b', 'HEAD', 'x\ny'])(
  'the branch name %j is refused',
  async (branch) => {
    const box = await sandbox();
    const options = { mirror: box.mirror, path: join(box.dir, 'ws'), commit: box.base, branch };
    await expect(createWorkspace(options)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  },
);

test('a missing commit leaves no folder behind', async () => {
  const box = await sandbox();
  const options = { mirror: box.mirror, path: join(box.dir, 'ws'), commit: '1'.repeat(40), branch: 'b' };
  await expect(createWorkspace(options)).rejects.toMatchObject({ code: 'GIT_FAILED' });
  expect(readdirSync(box.dir).sort()).toEqual(['mirror', 'user']);
});

test('a kept workspace is checked for its folder, branch, commit and leftover lock', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  const expected = { branch: 'mh/r1/t1', head: box.base };
  expect(await checkWorkspace(path, expected)).toEqual({ ok: true });
  writeFileSync(join(path, '.git/index.lock'), '');
  expect(await checkWorkspace(path, expected)).toMatchObject({ ok: false, reason: /index\.lock/ });
  shell(path, 'update-ref', 'refs/heads/mh/r1/t1', shell(path, 'commit-tree', '-m', 'x', 'HEAD^{tree}'));
  expect(await checkWorkspace(path, expected)).toMatchObject({ ok: false, reason: /instead of/ });
  shell(path, 'symbolic-ref', 'HEAD', 'refs/heads/x');
  expect(await checkWorkspace(path, expected)).toMatchObject({ ok: false, reason: /HEAD is ref: refs\/heads\/x/ });
  await removeWorkspace({ mirror: box.mirror, path, removing: join(box.dir, 'removing') });
  expect(await checkWorkspace(path, expected)).toMatchObject({ ok: false, reason: /not a folder/ });
});

test('removing a workspace removes all of it, and removing it again is not an error', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  const removing = join(box.dir, 'removing');
  await removeWorkspace({ mirror: box.mirror, path, removing });
  await removeWorkspace({ mirror: box.mirror, path, removing });
  expect(readdirSync(box.dir).sort()).toEqual(['mirror', 'removing', 'user']);
  await removalsEnded(removing);
  expect(readdirSync(removing)).toEqual([]);
  expect(readdirSync(join(box.mirror.dir, 'manyhands/indexes'))).toEqual([]);
});

test("paths that we put there are ignored by the agent's own git", async () => {
  const box = await sandbox();
  const path = await workspace(box);
  await hidePaths(path, ['deps dir/', 'odd[1]*']);
  write(path, { 'deps dir/x': 'x', 'odd[1]*': 'x', odd1: 'kept' });
  expect(shell(path, 'status', '--porcelain')).toBe('?? odd1');
  mkdirSync(join(path, 'sub'));
  expect(tryShell(path, 'add', 'deps dir/x')).toBe(false);
});
