import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createWorkspace } from '../../src/git/workspace/workspace.ts';
import { removalsEnded } from '../../src/process/remove-later.ts';
import { WorkspacePool } from '../../src/workspaces/workspace-pool.ts';
import { realWorld } from '../../src/world.ts';
import { commit, sandbox, save, shell, write } from '../git/sandbox.ts';

const FILES = 320;

/** A repository of which a prepared workspace is worth it, its first workspace, and a pool of which `count` are ready. */
async function prepared(count: number) {
  const box = await sandbox();
  const many = Object.fromEntries(Array.from({ length: FILES }, (_, index) => [`many/${index}.txt`, `${index}\n`]));
  const base = commit(box.user, many);
  shell(box.mirror.dir, 'fetch', '-q', box.user, `+${base}:refs/heads/base`);
  const removing = join(box.dir, 'removing');
  const first = { mirror: box.mirror, path: join(box.dir, 'first'), commit: base, branch: 'task-1' };
  await createWorkspace(first);
  const pool = new WorkspacePool(removing);
  const ready = () => readdirSync(box.dir).filter((name) => /^pool-[^.]*$/.test(name));
  pool.prepare(first, count);
  if (count > 0) await expect.poll(() => pool.size, { timeout: 20_000 }).toBe(count);
  return { box, base, pool, removing, first, ready };
}

/** All files of a workspace with their contents, and its git directory without what differs between any two. */
function contentOf(path: string): string {
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();
  return files
    .filter((name) => statSync(join(path, name)).isFile() && name !== '.git/index')
    .map((name) => `${name}\n${readFileSync(join(path, name), 'utf8')}`)
    .join('\n');
}

test('a prepared workspace is taken, and is as one that was created', async () => {
  const { box, base, pool, ready } = await prepared(2);
  const inodes = ready().map((name) => statSync(join(box.dir, name)).ino);
  const identity = { name: 'Ada', email: 'ada@example.org' };
  const options = { mirror: box.mirror, commit: base, branch: 'task-2', identity, exclude: ['node_modules'] };
  const [taken, created] = [join(box.dir, 'taken'), join(box.dir, 'created')];
  expect(await pool.take({ ...options, path: taken })).toBe(true);
  await createWorkspace({ ...options, path: created });
  expect([inodes.includes(statSync(taken).ino), pool.size]).toEqual([true, 1]);
  expect(contentOf(taken)).toBe(contentOf(created));
  expect(shell(taken, 'status', '--porcelain', '--branch')).toBe('## task-2');
  expect((await save(box, taken)).tree).toBe(shell(taken, 'rev-parse', `${base}^{tree}`));
  write(taken, { 'many/7.txt': 'changed\n' });
  expect((await save(box, taken)).tree).not.toBe(shell(taken, 'rev-parse', `${base}^{tree}`));
  await pool[Symbol.asyncDispose]();
});

test('one of another commit gets the files that differ, and no others', async () => {
  const { box, pool } = await prepared(1);
  shell(box.user, 'rm', '-q', '-r', 'src');
  const next = commit(box.user, { 'many/1.txt': 'other\n', 'deep/new.txt': 'new\n' });
  shell(box.mirror.dir, 'fetch', '-q', box.user, `+${next}:refs/heads/next`);
  const [taken, created] = [join(box.dir, 'taken'), join(box.dir, 'created')];
  expect(await pool.take({ mirror: box.mirror, path: taken, commit: next, branch: 'b' })).toBe(true);
  await createWorkspace({ mirror: box.mirror, path: created, commit: next, branch: 'b' });
  expect(contentOf(taken)).toBe(contentOf(created));
  expect(existsSync(join(taken, 'src'))).toBe(false);
  expect(shell(taken, 'status', '--porcelain')).toBe('');
  expect((await save(box, taken)).tree).toBe(shell(taken, 'rev-parse', `${next}^{tree}`));
  await pool[Symbol.asyncDispose]();
});

test('one of another commit with other attributes is not taken, because unchanged files would stay as they are', async () => {
  const { box, pool } = await prepared(1);
  const next = commit(box.user, { '.gitattributes': '*.txt eol=crlf\n' });
  shell(box.mirror.dir, 'fetch', '-q', box.user, `+${next}:refs/heads/next`);
  const path = join(box.dir, 'ws');
  expect(await pool.take({ mirror: box.mirror, path, commit: next, branch: 'b' })).toBe(false);
  await pool[Symbol.asyncDispose]();
});

test('a workspace that could not be prepared leaves no index', async () => {
  const { box, pool, first } = await prepared(0);
  const world = { ...realWorld, sleep: () => Promise.reject(new Error('The run was cancelled')) };
  pool.prepare(first, 1, world);
  await expect.poll(() => existsSync(join(box.dir, 'removing'))).toBe(true);
  await pool[Symbol.asyncDispose]();
  expect(readdirSync(box.dir).filter((name) => name.startsWith('pool-'))).toEqual([]);
  expect(readdirSync(join(box.mirror.dir, 'manyhands/indexes'))).toHaveLength(2);
});

test('what cannot be created is not taken', async () => {
  const { box, base, pool } = await prepared(2);
  const options = { mirror: box.mirror, path: join(box.dir, 'ws'), commit: base, branch: 'b' };
  expect(await pool.take({ ...options, branch: '-rf' })).toBe(false);
  writeFileSync(options.path, 'precious');
  expect(await pool.take(options)).toBe(false);
  expect(readFileSync(options.path, 'utf8')).toBe('precious');
  await pool[Symbol.asyncDispose]();
});

/** What another user or process can do to a prepared workspace. */
const CHANGES: [what: string, change: (path: string) => void][] = [
  ['is gone', (path) => rmSync(path, { recursive: true })],
  ['has another file', (path) => write(path, { 'ignored/secret.txt': 'x' })],
  [
    'has another content with the old times',
    (path) => {
      const { atime, mtime } = statSync(join(path, 'many/1.txt'));
      writeFileSync(join(path, 'many/1.txt'), '2\n');
      utimesSync(join(path, 'many/1.txt'), atime, mtime);
    },
  ],
  ['has a hook', (path) => write(path, { '.git/hooks/post-checkout': '#!/bin/sh\ntouch /tmp/hooked\n' })],
];

test.each(CHANGES)('a prepared workspace that %s is not taken', async (_, change) => {
  const { box, base, pool, ready } = await prepared(1);
  const [name = ''] = ready();
  change(join(box.dir, name));
  const path = join(box.dir, 'ws');
  expect(await pool.take({ mirror: box.mirror, path, commit: base, branch: 'b' })).toBe(false);
  expect(existsSync(path)).toBe(false);
  await pool[Symbol.asyncDispose]();
});

test('the end of the pool removes what nobody used, also one that is being prepared', async () => {
  const { box, pool, removing, first, ready } = await prepared(1);
  pool.prepare(first, 3, realWorld);
  await pool[Symbol.asyncDispose]();
  expect(ready()).toEqual([]);
  expect(readdirSync(box.dir).filter((name) => name.startsWith('pool-'))).toEqual([]);
  expect(readdirSync(join(box.mirror.dir, 'manyhands/indexes'))).toHaveLength(2);
  await removalsEnded(removing);
  expect(readdirSync(removing)).toEqual([]);
});

test('workspaces of few files are not prepared', async () => {
  const box = await sandbox();
  const first = { mirror: box.mirror, path: join(box.dir, 'first'), commit: box.base, branch: 'b' };
  await createWorkspace(first);
  const pool = new WorkspacePool(join(box.dir, 'removing'));
  pool.prepare(first, 2);
  await pool[Symbol.asyncDispose]();
  expect(readdirSync(box.dir).sort()).toEqual(['first', 'mirror', 'user']);
});
