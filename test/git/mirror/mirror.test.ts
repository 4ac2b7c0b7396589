import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clearStaleLocks } from '../../../src/git/mirror/locks.ts';
import { maintainMirror, packIfMany } from '../../../src/git/mirror/maintain-mirror.ts';
import { openMirror } from '../../../src/git/mirror/mirror.ts';
import { refreshMirror } from '../../../src/git/mirror/refresh.ts';
import { treeOf } from '../../../src/git/read/commit-graph.ts';
import { fingerprint } from '../../../src/git/read/fingerprint.ts';
import { readCommit } from '../../../src/git/read/objects.ts';
import { inspectRepository } from '../../../src/git/read/repository.ts';
import { readRef, resolve, writeRef, writeRefs } from '../../../src/git/refs/mirror-refs.ts';
import {
  commit,
  folder,
  history,
  mirrored,
  sandbox,
  save,
  shell,
  userRepository,
  workspace,
  write,
} from '../sandbox.ts';

test("the mirror has the user's refs under refs/user and does not change the user's repository", async () => {
  const dir = folder();
  const user = join(dir, 'user');
  const base = userRepository(user);
  shell(user, 'tag', 'v1');
  shell(user, 'update-ref', 'refs/remotes/origin/main', base);
  const before = await fingerprint(await inspectRepository(user));
  const { mirror, repository } = await mirrored(dir, user);
  expect(shell(mirror.dir, 'for-each-ref', '--format=%(refname)').split('\n')).toEqual([
    'refs/user/HEAD',
    'refs/user/heads/main',
    'refs/user/remotes/origin/main',
    'refs/user/tags/v1',
  ]);
  expect(await fingerprint(repository)).toBe(before);
  expect(
    await Promise.all(
      ['main', 'v1', 'origin/main', 'HEAD', '@', 'refs/heads/main', base.slice(0, 9), base].map((name) =>
        resolve(mirror, name),
      ),
    ),
  ).toEqual(Array(8).fill(base));
  expect(
    await Promise.all(['none', '-x', 'main~5', 'a b', '', 'main:a.txt', 'x\ny'].map((name) => resolve(mirror, name))),
  ).toEqual(Array(7).fill(undefined));
});

test.each(['on a branch', 'detached'])(
  'a new mirror has all refs of a repository whose HEAD is %s without a fetch',
  async (head) => {
    const dir = folder();
    const user = join(dir, 'user');
    const base = userRepository(user);
    if (head === 'detached') shell(user, 'checkout', '-q', '--detach');
    const steps: string[] = [];
    const onProgress = (what: string) => void steps.push(what);
    const mirror = await openMirror({
      dir: join(dir, 'mirror.git'),
      repository: await inspectRepository(user),
      onProgress,
    });
    expect(await resolve(mirror, 'HEAD')).toBe(base);
    expect(steps.filter((step) => step.includes('fetches'))).toEqual([]);
  },
);

test('a new mirror has the loose objects of the repository in a pack, and leaves those of the user alone', async () => {
  const dir = folder();
  const user = join(dir, 'user');
  userRepository(user);
  const head = commit(user, Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`f${index}`, `${index}\n`])));
  const loose = shell(user, 'count-objects');
  const { mirror } = await mirrored(dir, user);
  expect(shell(mirror.dir, 'count-objects')).toBe('0 objects, 0 kilobytes');
  expect(shell(mirror.dir, 'fsck', '--full', '--strict')).not.toContain('missing');
  expect(shell(mirror.dir, 'ls-tree', '-r', '--name-only', head).split('\n').length).toBeGreaterThanOrEqual(200);
  expect(shell(user, 'count-objects')).toBe(loose);
});

test('refreshing fetches new and moved branches, and keeps the commits of deleted and rewritten ones', async () => {
  const box = await sandbox();
  shell(box.user, 'branch', 'topic');
  const side = commit(box.user, { x: '1' });
  await refreshMirror(box.mirror, box.repository);
  expect(await resolve(box.mirror, 'main')).toBe(side);
  shell(box.user, 'branch', '-m', 'topic', 'topic/deeper');
  shell(box.user, 'checkout', '-q', '-b', 'gone');
  const lost = commit(box.user, { y: '1' });
  await refreshMirror(box.mirror, box.repository);
  shell(box.user, 'checkout', '-q', 'main');
  shell(box.user, 'branch', '-D', 'gone');
  await refreshMirror(box.mirror, box.repository);
  expect(await resolve(box.mirror, 'topic/deeper')).toBe(box.base);
  expect(await resolve(box.mirror, 'gone')).toBeUndefined();
  expect(history(box.mirror, '--all')).toContain(lost);
});

test('refreshing never touches our own refs', async () => {
  const box = await sandbox();
  await writeRef(box.mirror, { ref: 'refs/manyhands/x', to: box.base, expected: null });
  commit(box.user, { x: '1' });
  await refreshMirror(box.mirror, box.repository);
  expect(await readRef(box.mirror, 'refs/manyhands/x')).toBe(box.base);
});

test('refreshing without a change writes nothing into the mirror', async () => {
  const box = await sandbox();
  const before = shell(box.mirror.dir, 'count-objects', '-v');
  const mirrorAs = { root: box.mirror.dir, gitDir: box.mirror.dir, commonDir: box.mirror.dir };
  const print = await fingerprint(mirrorAs);
  await refreshMirror(box.mirror, box.repository);
  expect(shell(box.mirror.dir, 'count-objects', '-v')).toBe(before);
  expect(await fingerprint(mirrorAs)).toBe(print);
});

test('a detached HEAD that is on no branch is in the mirror', async () => {
  const box = await sandbox();
  shell(box.user, 'checkout', '-q', '--detach');
  const head = commit(box.user, { x: '1' });
  await refreshMirror(box.mirror, await inspectRepository(box.user));
  expect(await resolve(box.mirror, 'HEAD')).toBe(head);
});

test('an incomplete mirror is never used, and is removed', async () => {
  const dir = folder();
  userRepository(join(dir, 'user'));
  mkdirSync(join(dir, 'mirror.making-old/objects'), { recursive: true });
  const { mirror } = await mirrored(dir, join(dir, 'user'));
  expect(readdirSync(dir).sort()).toEqual(['mirror', 'user']);
  expect(shell(mirror.dir, 'fsck')).toBe('');
});

test('objects that a killed git had not flushed are removed when the mirror is first opened', async () => {
  const box = await sandbox();
  const moved = join(box.dir, 'moved');
  const left = join(moved, 'objects', 'tmp_objdir-bulk-fsync-Qwe123');
  renameSync(box.mirror.dir, moved);
  mkdirSync(left);
  writeFileSync(join(left, 'aa'), 'half an object');
  const mirror = await openMirror({ dir: moved, repository: box.repository });
  expect(existsSync(left)).toBe(false);
  expect(await resolve(mirror, 'main')).toBe(box.base);
});

test('concurrent openings of the same mirror get the same one', async () => {
  const dir = folder();
  userRepository(join(dir, 'user'));
  const repository = await inspectRepository(join(dir, 'user'));
  const open = () => openMirror({ dir: join(dir, 'mirror'), repository });
  const opened = await Promise.all([open(), open(), open()]);
  expect(new Set(opened.map((mirror) => mirror.dir)).size).toBe(1);
  expect(readdirSync(dir).sort()).toEqual(['mirror', 'user']);
});

test('a mirror is opened and refreshed concurrently, also while work is being saved into it', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  commit(path, { x: '1' });
  const moved = commit(box.user, { y: '1' });
  const [saved] = await Promise.all([
    save(box, path),
    ...[1, 2, 3].map(() => refreshMirror(box.mirror, box.repository)),
    ...[1, 2].map(() => openMirror({ dir: box.mirror.dir, repository: box.repository })),
  ]);
  expect(saved.problems).toEqual([]);
  expect(await resolve(box.mirror, 'main')).toBe(moved);
});

test('a changed configuration or an added hook in the mirror is detected before it is used', async () => {
  const box = await sandbox();
  mkdirSync(join(box.mirror.dir, 'hooks'));
  await expect(workspace(box)).rejects.toMatchObject({ code: 'DATA_DAMAGED' });
  const other = await sandbox();
  appendFileSync(join(other.mirror.dir, 'config'), '[core]\n\tsshCommand = evil\n');
  await expect(openMirror({ dir: other.mirror.dir, repository: other.repository })).rejects.toThrow(
    /config of the mirror/,
  );
});

test('a shallow repository works: mirror, workspace, save and a later commit of the user', async () => {
  const dir = folder();
  userRepository(join(dir, 'origin'));
  commit(join(dir, 'origin'), { x: '2' });
  commit(join(dir, 'origin'), { x: '3' });
  shell(dir, 'clone', '-q', '--depth=2', `file://${join(dir, 'origin')}`, 'user');
  const user = join(dir, 'user');
  const places = await mirrored(dir, user);
  expect(places.repository.shallow).toBe(true);
  const base = commit(user, { y: '1' });
  await refreshMirror(places.mirror, places.repository);
  const box = { dir, user, base, ...places };
  const path = await workspace(box);
  const own = commit(path, { z: '1' });
  const saved = await save(box, path);
  expect(saved).toMatchObject({ commit: own, changed: true, problems: [] });
});

test('a sha256 repository works: mirror, workspace and save', async () => {
  const box = await sandbox({ 'a.txt': 'a\n' }, '--object-format=sha256');
  expect(box.base).toHaveLength(64);
  const path = await workspace(box);
  const own = commit(path, { 'b.txt': 'b\n' });
  write(path, { 'c.txt': 'c\n' });
  const saved = await save(box, path);
  expect(shell(box.mirror.dir, 'rev-parse', `${saved.commit}^`)).toBe(own);
});

test('a ref moves only from the expected commit, several all or none', async () => {
  const box = await sandbox();
  const next = commit(box.user, { x: '1' });
  await refreshMirror(box.mirror, box.repository);
  const ref = 'refs/manyhands/branch';
  expect(await writeRef(box.mirror, { ref, to: box.base, expected: null })).toBe(true);
  expect(await writeRef(box.mirror, { ref, to: next, expected: null })).toBe(false);
  expect(await writeRef(box.mirror, { ref, to: next, expected: next })).toBe(false);
  const changes = [
    { ref: 'refs/manyhands/other', to: next, expected: null },
    { ref, to: next, expected: next },
  ];
  expect(await writeRefs(box.mirror, changes)).toBe(false);
  expect(await readRef(box.mirror, 'refs/manyhands/other')).toBeUndefined();
  expect(await writeRef(box.mirror, { ref, to: next, expected: box.base })).toBe(true);
  expect(await readRef(box.mirror, ref)).toBe(next);
  await expect(writeRef(box.mirror, { ref: 'refs/heads/x', to: next, expected: null })).rejects.toThrow(
    /not one of our refs/,
  );
});

test('maintenance packs refs and deletes no object, not even an unreachable one', async () => {
  const box = await sandbox();
  const lonely = shell(box.user, 'commit-tree', '-m', 'lonely', 'HEAD^{tree}');
  shell(box.mirror.dir, 'fetch', '-q', box.user, `${box.base}:refs/manyhands/x`);
  const blob = commitObject(box.mirror.dir, shell(box.user, 'cat-file', 'commit', lonely));
  await maintainMirror(box.mirror);
  await maintainMirror(box.mirror);
  expect(shell(box.mirror.dir, 'cat-file', '-t', blob)).toBe('commit');
  expect(await readRef(box.mirror, 'refs/manyhands/x')).toBe(box.base);
  expect(existsSync(join(box.mirror.dir, 'refs/manyhands/x'))).toBe(false);
  expect(shell(box.mirror.dir, 'fsck')).toContain('dangling commit');
});

test('a lock file in the mirror is removed only when no git that could hold it is alive', async () => {
  const box = await sandbox();
  mkdirSync(join(box.mirror.dir, 'refs/manyhands'), { recursive: true });
  const lock = join(box.mirror.dir, 'refs/manyhands/branch.lock');
  writeFileSync(lock, '');
  const holder = spawn('git', [`--git-dir=${box.mirror.dir}`, 'update-ref', '--stdin'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  holder.stdin.write('start\n');
  await once(holder.stdout, 'data');
  expect(await clearStaleLocks(box.mirror)).toEqual([]);
  expect(existsSync(lock)).toBe(true);
  holder.stdin.end();
  await once(holder, 'close');
  // The process that reads objects for this engine holds no lock.
  await treeOf(box.mirror, box.base);
  expect(await writeRef(box.mirror, { ref: 'refs/manyhands/branch', to: box.base, expected: null })).toBe(true);
  expect(existsSync(lock)).toBe(false);
});

function commitObject(dir: string, text: string): string {
  write(dir, { 'manyhands/commit.txt': `${text}\n` });
  return shell(dir, 'hash-object', '-w', '-t', 'commit', 'manyhands/commit.txt');
}

test('a mirror whose settings a power failure left empty is reported, not made again over its objects', async () => {
  const box = await sandbox();
  writeFileSync(join(box.mirror.dir, 'config'), '');
  const opening = openMirror({ dir: box.mirror.dir, repository: box.repository });
  await expect(opening).rejects.toMatchObject({ code: 'DATA_DAMAGED' });
  expect(existsSync(join(box.mirror.dir, 'objects'))).toBe(true);
});

test('objects that a long run stored one by one are packed, and all of them stay readable', async () => {
  const box = await sandbox();
  const files = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`many/${index}`, `text ${index}`]));
  const path = await workspace(box);
  write(path, files);
  const { commit } = await save(box, path);
  const looseObjects = () => Number(/^count: (\d+)$/m.exec(shell(box.mirror.dir, 'count-objects', '-v'))?.[1]);
  expect(looseObjects()).toBeGreaterThanOrEqual(3_000);
  await packIfMany(box.mirror);
  expect(looseObjects()).toBe(0);
  expect(shell(box.mirror.dir, 'fsck', '--full', commit)).toBe('');
  expect((await readCommit(box.mirror, commit)).parents).toEqual([box.base]);
  write(path, { 'one-more': 'x' });
  await save(box, path, { ref: 'refs/manyhands/attempts/later/1' });
  await packIfMany(box.mirror);
  expect(looseObjects()).toBeGreaterThan(0);
});

test('the lock of a maintenance that was killed is removed, so that later ones are not skipped', async () => {
  const box = await sandbox();
  const lock = join(box.mirror.dir, 'objects', 'maintenance.lock');
  writeFileSync(lock, '');
  expect(await clearStaleLocks(box.mirror)).toEqual([lock]);
  expect(existsSync(lock)).toBe(false);
});
