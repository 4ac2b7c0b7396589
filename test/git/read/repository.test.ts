import { chmodSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { fingerprint } from '../../../src/git/read/fingerprint.ts';
import {
  ignoredFiles,
  inspectRepository,
  locateRepository,
  projectId,
  uncommitted,
} from '../../../src/git/read/repository.ts';
import { commit, folder, shell, userRepository, write } from '../sandbox.ts';

const path = process.env.PATH;
afterEach(() => {
  process.env.PATH = path;
});

test('a repository is described from its root and from a subfolder alike', async () => {
  const dir = folder();
  const head = userRepository(dir);
  const described = await inspectRepository(dir);
  expect(described).toEqual({
    root: dir,
    gitDir: join(dir, '.git'),
    commonDir: join(dir, '.git'),
    branch: 'main',
    head,
    objectFormat: 'sha1',
    shallow: false,
    lfs: false,
    sparse: false,
    submodules: [],
  });
  expect(await inspectRepository(join(dir, 'src'))).toEqual(described);
});

test('a detached HEAD has no branch', async () => {
  const dir = folder();
  const head = userRepository(dir);
  shell(dir, 'checkout', '-q', '--detach');
  expect(await inspectRepository(dir)).toMatchObject({ branch: null, head });
});

test('a linked worktree belongs to the same project and has its own branch', async () => {
  const dir = folder();
  userRepository(join(dir, 'user'));
  shell(join(dir, 'user'), 'worktree', 'add', '-q', '-b', 'side', join(dir, 'linked'));
  const main = await inspectRepository(join(dir, 'user'));
  const linked = await inspectRepository(join(dir, 'linked'));
  expect(linked).toMatchObject({ root: join(dir, 'linked'), branch: 'side', commonDir: main.commonDir });
  expect(linked.gitDir).not.toBe(main.gitDir);
  expect(projectId(linked)).toBe(projectId(main));
  expect(projectId(main)).toMatch(/^user-[0-9a-f]{8}$/);
});

test('sha256, sparse and submodules are detected', async () => {
  const dir = folder();
  userRepository(join(dir, 'sub'), { x: 'x\n' }, '--object-format=sha256');
  const user = join(dir, 'user');
  userRepository(user, { 'a.txt': 'a\n', 'b/c.txt': 'c\n' }, '--object-format=sha256');
  shell(user, 'submodule', '--quiet', 'add', join(dir, 'sub'), 'vendor/my sub');
  commit(user, {});
  shell(user, 'sparse-checkout', 'set', 'b');
  expect(await inspectRepository(user)).toMatchObject({
    objectFormat: 'sha256',
    sparse: true,
    submodules: ['vendor/my sub'],
  });
});

test('a folder without a repository, and a missing one, are not repositories', async () => {
  const dir = folder();
  await expect(inspectRepository(dir)).rejects.toMatchObject({ code: 'NOT_A_REPOSITORY' });
  await expect(inspectRepository(join(dir, 'none'))).rejects.toMatchObject({ code: 'NOT_A_REPOSITORY' });
});

test('an unborn branch is an empty repository', async () => {
  const dir = folder();
  shell(dir, 'init', '-q');
  await expect(inspectRepository(dir)).rejects.toMatchObject({ code: 'REPOSITORY_EMPTY' });
});

test('a bare repository and the inside of .git are refused with the reason', async () => {
  const dir = folder();
  userRepository(join(dir, 'user'));
  shell(dir, 'clone', '-q', '--bare', 'user', 'bare.git');
  await expect(inspectRepository(join(dir, 'bare.git'))).rejects.toThrow(/it is bare/);
  await expect(inspectRepository(join(dir, 'user/.git'))).rejects.toThrow(/inside \.git/);
});

test('a partial clone is refused with the reason', async () => {
  const dir = folder();
  userRepository(join(dir, 'origin'));
  shell(join(dir, 'origin'), 'config', 'uploadpack.allowFilter', 'true');
  shell(dir, 'clone', '-q', '--filter=blob:none', `file://${join(dir, 'origin')}`, 'partial');
  await expect(inspectRepository(join(dir, 'partial'))).rejects.toThrow(/partial clone/);
});

test('a repository with Git LFS is refused without git-lfs and accepted with it', async () => {
  const dir = folder();
  const user = join(dir, 'user');
  userRepository(user, { 'art/.gitattributes': '*.png filter=lfs diff=lfs merge=lfs -text\n' });
  const bin = join(dir, 'bin');
  mkdirSync(bin);
  write(bin, { git: `#!/bin/sh\nPATH='${path}' exec git "$@"\n` });
  chmodSync(join(bin, 'git'), 0o755);
  process.env.PATH = bin;
  await expect(inspectRepository(user)).rejects.toThrow(/git-lfs is not installed/);
  write(bin, { 'git-lfs': '#!/bin/sh\n' });
  chmodSync(join(bin, 'git-lfs'), 0o755);
  process.env.PATH = `${bin}${delimiter}/nonexistent`;
  expect(await inspectRepository(user)).toMatchObject({ lfs: true });
});

test('uncommitted and ignored files are listed by their real names, and listing changes no byte', async () => {
  const dir = folder();
  userRepository(dir, { 'a.txt': 'a\n', 'b.txt': 'b\n', '.gitignore': 'out/\n*.log\n' });
  write(dir, { 'a.txt': 'changed\n', 'new\nline "q".txt': 'x', 'deep/er/é.txt': 'x', 'out/x': 'x', 'y.log': 'x' });
  shell(dir, 'add', 'deep');
  const repository = await inspectRepository(dir);
  const before = await fingerprint(repository);
  expect((await uncommitted(repository, {})).map(({ path }) => path).sort()).toEqual([
    'a.txt',
    'deep/er/é.txt',
    'new\nline "q".txt',
  ]);
  expect((await ignoredFiles(repository)).sort()).toEqual(['out/', 'y.log']);
  expect(await fingerprint(repository)).toBe(before);
});

test('the fingerprint changes with files, index, config, hooks, stash and refs, and not with mh branches', async () => {
  const dir = folder();
  const head = userRepository(dir);
  const repository = await inspectRepository(dir);
  const seen = new Set([await fingerprint(repository)]);
  const changes = [
    () => write(dir, { 'a.txt': 'other\n' }),
    () => shell(dir, 'add', 'a.txt'),
    () => shell(dir, 'stash'),
    () => shell(dir, 'config', 'x.y', 'z'),
    () => write(dir, { '.git/hooks/pre-commit': '#!/bin/sh\n' }),
    () => shell(dir, 'branch', 'other'),
    () => shell(dir, 'checkout', '-q', '--detach'),
  ];
  for (const change of changes) {
    change();
    const now = await fingerprint(repository);
    expect(seen).not.toContain(now);
    seen.add(now);
  }
  const before = await fingerprint(repository);
  shell(dir, 'branch', 'mh/run', head);
  expect(await fingerprint(repository)).toBe(before);
});

test('the project of a folder is the one that git names, also where it is not asked', async () => {
  const dir = folder();
  userRepository(dir);
  const { root, commonDir } = await inspectRepository(dir);
  const linked = join(folder(), 'linked');
  shell(dir, 'worktree', 'add', '-q', linked);
  process.env.PATH = '';
  expect(await locateRepository(dir)).toEqual({ root, commonDir });
  process.env.PATH = path;
  expect(await locateRepository(join(dir, 'src'))).toMatchObject({ root, commonDir });
  expect(await locateRepository(linked)).toMatchObject({ root: linked, commonDir });
  const elsewhere = folder();
  shell(dir, 'config', 'core.worktree', elsewhere);
  await expect(locateRepository(dir)).rejects.toMatchObject({ code: 'REPOSITORY_UNSUPPORTED' });
  shell(dir, 'config', '--unset', 'core.worktree');
  shell(dir, 'config', 'core.bare', 'true');
  await expect(locateRepository(dir)).rejects.toMatchObject({ code: 'REPOSITORY_UNSUPPORTED' });
});
