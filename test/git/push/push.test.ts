import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { refreshMirror } from '../../../src/git/mirror/refresh.ts';
import { type PushBranch, pushBranch } from '../../../src/git/push/push.ts';
import { fingerprint } from '../../../src/git/read/fingerprint.ts';
import { inspectRepository } from '../../../src/git/read/repository.ts';
import { commit, mirrored, type Sandbox, sandbox, save, shell, tryShell, workspace, write } from '../sandbox.ts';

/** A saved commit on top of the base. */
async function work(
  box: Sandbox,
  name = 'ws',
  files: Record<string, string> = { 'a.txt': 'landed\n' },
): Promise<string> {
  const path = await workspace(box, name);
  write(path, files);
  return (await save(box, path)).commit;
}

const push = (box: Sandbox, commitId: string, more: Partial<PushBranch> = {}) =>
  pushBranch({
    mirror: box.mirror,
    repository: box.repository,
    commit: commitId,
    branch: 'mh/r1',
    expected: null,
    ...more,
  });

test("a run branch appears in the user's repository and everything else stays bit-identical, hooks and gc unrun", async () => {
  const box = await sandbox();
  const ran = join(box.dir, 'ran');
  for (const hook of [
    'pre-receive',
    'update',
    'post-receive',
    'post-update',
    'reference-transaction',
    'push-to-checkout',
  ]) {
    write(box.user, { [`.git/hooks/${hook}`]: `#!/bin/sh\ntouch ${ran}\n` });
    chmodSync(join(box.user, '.git/hooks', hook), 0o755);
  }
  shell(box.user, 'config', 'gc.auto', '1');
  write(box.user, { 'a.txt': 'dirty\n', 'untracked.txt': 'u\n' });
  shell(box.user, 'stash');
  write(box.user, { 'a.txt': 'dirty again\n', 'staged.txt': 's\n' });
  shell(box.user, 'add', 'staged.txt');
  expect(existsSync(ran)).toBe(true);
  rmSync(ran);
  const before = await fingerprint(box.repository);
  await refreshMirror(box.mirror, box.repository);
  const first = await work(box);
  expect(await push(box, first)).toEqual({ kind: 'pushed' });
  expect(await push(box, first)).toEqual({ kind: 'pushed' });
  expect(existsSync(ran)).toBe(false);
  expect(await fingerprint(box.repository)).toBe(before);
  expect(shell(box.user, 'rev-parse', 'mh/r1')).toBe(first);
  expect(shell(box.user, 'fsck', '--no-dangling')).toBe('');
});

test('the branch moves only from the expected commit', async () => {
  const box = await sandbox();
  const first = await work(box, 'one');
  await push(box, first);
  shell(box.user, 'checkout', '-q', 'mh/r1');
  const users = commit(box.user, { u: 'u' });
  shell(box.user, 'checkout', '-q', 'main');
  const second = await work({ ...box, base: first }, 'two', { 'b.txt': '2\n' });
  expect(await push(box, second, { expected: first })).toMatchObject({ kind: 'refused', reason: 'moved' });
  expect(shell(box.user, 'rev-parse', 'mh/r1')).toBe(users);
});

test('a commit that does not descend from the branch is refused even with a valid lease', async () => {
  const box = await sandbox();
  const first = await work(box, 'one');
  await push(box, first);
  const other = await work(box, 'two', { x: 'x\n' });
  expect(await push(box, other, { expected: first })).toMatchObject({ kind: 'refused', reason: 'not-fast-forward' });
  expect(shell(box.user, 'rev-parse', 'mh/r1')).toBe(first);
});

test('a name that the user uses, or a branch called mh, is reported as taken', async () => {
  const box = await sandbox();
  const first = await work(box);
  shell(box.user, 'branch', 'mh/r1');
  expect(await push(box, first)).toMatchObject({ kind: 'refused', reason: 'name-taken' });
  shell(box.user, 'branch', '-D', 'mh/r1');
  shell(box.user, 'branch', 'mh');
  expect(await push(box, first)).toMatchObject({ kind: 'refused', reason: 'name-taken' });
});

test('a checked-out branch is not moved underneath its user, also in a linked worktree or a rebase', async () => {
  const box = await sandbox();
  const next = await work(box);
  const onMain = { branch: 'main', expected: box.base };
  expect(await push(box, next, onMain)).toMatchObject({ kind: 'refused', reason: 'checked-out' });
  shell(box.user, 'checkout', '-q', '-b', 'side');
  shell(box.user, 'worktree', 'add', '-q', join(box.dir, 'linked'), 'main');
  expect(await push(box, next, onMain)).toMatchObject({ kind: 'refused', reason: 'checked-out' });
  shell(box.user, 'worktree', 'remove', join(box.dir, 'linked'));
  commit(box.user, { 'a.txt': 'side\n' });
  shell(box.user, 'checkout', '-q', 'main');
  const mine = commit(box.user, { 'a.txt': 'main\n' });
  expect(tryShell(box.user, 'rebase', 'side')).toBe(false);
  await refreshMirror(box.mirror, box.repository);
  const later = await work({ ...box, base: mine }, 'later', { z: 'z\n' });
  expect(await push(box, later, { branch: 'main', expected: mine })).toMatchObject({ reason: 'checked-out' });
});

test("a clean checkout is updated on request, with the user's own filters, and a dirty one is not", async () => {
  const box = await sandbox({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const next = await work(box, 'one');
  const onMain = { branch: 'main', updateCheckout: true };
  write(box.user, { 'b.txt': 'dirty\n' });
  expect(await push(box, next, { ...onMain, expected: box.base })).toMatchObject({ kind: 'refused', reason: 'dirty' });
  expect(readFileSync(join(box.user, 'a.txt'), 'utf8')).toBe('a\n');
  shell(box.user, 'checkout', '-q', 'b.txt');
  expect(await push(box, next, { ...onMain, expected: box.base })).toEqual({ kind: 'pushed' });
  expect(readFileSync(join(box.user, 'a.txt'), 'utf8')).toBe('landed\n');
  expect(shell(box.user, 'status', '--porcelain')).toBe('');
});

test('a checkout is updated although kept files in it differ, and they are unchanged', async () => {
  const box = await sandbox({ 'a.txt': 'a\n', 'b.txt': 'b\n', "it's.json": 'open\n' });
  const next = await work(box, 'one');
  const onMain = { branch: 'main', updateCheckout: true, expected: box.base, keep: ["it's.json"] };
  write(box.user, { "it's.json": 'passed\n', 'b.txt': 'dirty\n' });
  expect(await push(box, next, onMain)).toMatchObject({ kind: 'refused', reason: 'dirty' });
  shell(box.user, 'checkout', '-q', 'b.txt');
  expect(await push(box, next, onMain)).toEqual({ kind: 'pushed' });
  expect(readFileSync(join(box.user, 'a.txt'), 'utf8')).toBe('landed\n');
  expect(readFileSync(join(box.user, "it's.json"), 'utf8')).toBe('passed\n');
  expect(shell(box.user, 'status', '--porcelain')).toBe(" M it's.json");
});

test('a kept file that the landing itself changes is not lost: nothing is updated', async () => {
  const box = await sandbox({ 'a.txt': 'a\n', 'list.json': 'open\n' });
  const next = await work(box, 'one', { 'list.json': 'from the run\n' });
  write(box.user, { 'list.json': 'passed\n' });
  const pushed = await push(box, next, {
    branch: 'main',
    updateCheckout: true,
    expected: box.base,
    keep: ['list.json'],
  });
  expect(pushed).toMatchObject({ kind: 'refused', reason: 'dirty' });
  expect(readFileSync(join(box.user, 'list.json'), 'utf8')).toBe('passed\n');
  expect(shell(box.user, 'rev-parse', 'main')).toBe(box.base);
  expect(shell(box.user, 'status', '--porcelain')).toBe(' M list.json');
});

test('a checkout with a merge that is not resolved is named with its files, and no command sets them aside', async () => {
  const box = await sandbox({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  shell(box.user, 'checkout', '-q', '-b', 'side');
  commit(box.user, { 'b.txt': 'side\n' });
  shell(box.user, 'checkout', '-q', 'main');
  const mine = commit(box.user, { 'b.txt': 'main\n' });
  expect(tryShell(box.user, 'merge', 'side')).toBe(false);
  await refreshMirror(box.mirror, box.repository);
  const next = await work({ ...box, base: mine }, 'one');
  const pushed = await push(box, next, { branch: 'main', updateCheckout: true, expected: mine });
  expect(pushed).toMatchObject({ kind: 'refused', reason: 'dirty', files: ['b.txt'], command: undefined });
  expect(shell(box.user, 'status', '--porcelain')).toBe('UU b.txt');
});

test('a file of the user that the landing would overwrite is kept, and nothing is updated', async () => {
  const box = await sandbox();
  const next = await work(box, 'one', { 'new.txt': 'from the run\n' });
  write(box.user, { 'new.txt': 'precious\n' });
  const pushed = await push(box, next, { branch: 'main', updateCheckout: true, expected: box.base });
  expect(pushed).toMatchObject({ kind: 'refused', reason: 'dirty' });
  expect(readFileSync(join(box.user, 'new.txt'), 'utf8')).toBe('precious\n');
  expect(shell(box.user, 'rev-parse', 'main')).toBe(box.base);
});

test('a user who works in a linked worktree gets the branch, and nothing of the worktree changes', async () => {
  const box = await sandbox();
  const linked = join(box.dir, 'linked');
  shell(box.user, 'worktree', 'add', '-q', '-b', 'side', linked);
  write(linked, { 'a.txt': 'dirty\n' });
  const repository = await inspectRepository(linked);
  const before = await fingerprint(repository);
  await refreshMirror(box.mirror, repository);
  const next = await work(box);
  expect(await push({ ...box, repository }, next)).toEqual({ kind: 'pushed' });
  expect(await fingerprint(repository)).toBe(before);
  expect(shell(linked, 'rev-parse', 'mh/r1')).toBe(next);
});

test('a run branch can be pushed into a shallow repository', async () => {
  const origin = await sandbox();
  commit(origin.user, { x: '2' });
  commit(origin.user, { x: '3' });
  const user = join(origin.dir, 'shallow');
  shell(origin.dir, 'clone', '-q', '--depth=1', `file://${origin.user}`, 'shallow');
  const dir = join(origin.dir, 'data');
  const box = { dir, user, base: shell(user, 'rev-parse', 'HEAD'), ...(await mirrored(dir, user)) };
  const next = await work(box);
  expect(await push(box, next)).toEqual({ kind: 'pushed' });
  expect(shell(user, 'rev-parse', 'mh/r1~')).toBe(box.base);
});
