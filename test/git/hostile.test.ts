import {
  appendFileSync,
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mergeCommits } from '../../src/git/merge/merge.ts';
import {
  commit,
  filesOf,
  history,
  type Sandbox,
  sandbox,
  save,
  shell,
  userRepository,
  workspace,
  write,
} from './sandbox.ts';

const AT_BASE = { 'a.txt': 'a', 'src/b.txt': 'b' };

/** A program that leaves a file behind when anybody runs it. */
function canary(box: Sandbox): { program: string; wasRun(): boolean } {
  const program = join(box.dir, 'evil.sh');
  const mark = join(box.dir, 'it-ran');
  writeFileSync(program, `#!/bin/sh\ntouch '${mark}'\ncat\n`);
  chmodSync(program, 0o755);
  return { program, wasRun: () => existsSync(mark) };
}

/** Every key by which a git directory can name a program. */
function poison(dir: string, program: string): void {
  const keys = [
    'core.fsmonitor',
    'core.sshCommand',
    'core.pager',
    'core.editor',
    'core.alternateRefsCommand',
    'core.gitProxy',
  ];
  const more = [
    'filter.evil.clean',
    'filter.evil.smudge',
    'filter.evil.process',
    'merge.evil.driver',
    'diff.evil.textconv',
  ];
  const rest = [
    'diff.external',
    'uploadpack.packObjectsHook',
    'credential.helper',
    'gpg.program',
    'remote.x.uploadpack',
  ];
  for (const key of [...keys, ...more, ...rest]) shell(dir, 'config', key, program);
  shell(dir, 'config', 'remote.x.url', dir);
  shell(dir, 'config', 'remote.x.promisor', 'true');
  shell(dir, 'config', 'core.hooksPath', join(dir, 'hooks-of-mine'));
  for (const hook of ['pre-commit', 'post-checkout', 'post-index-change', 'reference-transaction', 'post-commit']) {
    write(dir, { [`hooks-of-mine/${hook}`]: `#!/bin/sh\n${program} </dev/null\n` });
    chmodSync(join(dir, 'hooks-of-mine', hook), 0o755);
  }
}

test("no program in the agent's configuration runs when its work is saved and merged", async () => {
  const box = await sandbox();
  const evil = canary(box);
  const path = await workspace(box);
  commit(path, { 'c.txt': 'c\n', '.gitattributes': '* filter=evil diff=evil merge=evil\n' });
  write(path, { 'a.txt': 'changed\n' });
  poison(path, evil.program);
  const saved = await save(box, path);
  const merged = await mergeCommits({ mirror: box.mirror, onto: saved.commit, theirs: box.base, message: 'm', now: 0 });
  expect(evil.wasRun()).toBe(false);
  expect(saved.problems).toEqual([]);
  expect(merged.kind).toBe('merged');
  expect(filesOf(box.mirror, saved.commit)).toMatchObject({ 'a.txt': 'changed', 'c.txt': 'c' });
  shell(path, 'status');
  expect(evil.wasRun()).toBe(true);
});

test('a nested repository with a filter in its configuration is saved, and its filter does not run', async () => {
  const box = await sandbox();
  const evil = canary(box);
  const path = await workspace(box);
  const nested = join(path, 'sub');
  const head = userRepository(nested, { 'n.txt': 'n\n' });
  shell(nested, 'branch', 'other', shell(nested, 'commit-tree', '-m', 'side', 'HEAD^{tree}'));
  const side = shell(nested, 'rev-parse', 'other');
  write(nested, { '.gitattributes': '* filter=evil\n', 'n.txt': 'changed\n', 'untracked.txt': 'u\n' });
  poison(nested, evil.program);
  const saved = await save(box, path);
  expect(evil.wasRun()).toBe(false);
  expect(saved).toMatchObject({ nested: ['sub'], problems: [], changed: true });
  expect(filesOf(box.mirror, saved.commit)).toMatchObject({ 'sub/n.txt': 'changed', 'sub/untracked.txt': 'u' });
  expect(history(box.mirror, '--all')).toEqual(expect.arrayContaining([head, side]));
  const files = saved.refs.find((ref) => ref.endsWith('/files')) ?? '';
  expect(filesOf(box.mirror, files)).toMatchObject({ 'n.txt': 'changed', 'untracked.txt': 'u' });
});

test('a nested repository without a commit, one in another, and one in a tracked folder are all saved, with their files in the work', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  write(path, { 'fresh/f.txt': 'f\n', 'mine.txt': 'm\n', 'src/b.txt': 'changed\n' });
  shell(join(path, 'fresh'), 'init', '-q');
  userRepository(join(path, 'outer'), { 'o.txt': 'o\n' });
  const inner = userRepository(join(path, 'outer/inner'), { 'i.txt': 'i\n' });
  shell(join(path, 'src'), 'init', '-q');
  const planted = commit(join(path, 'src'), {});
  const saved = await save(box, path);
  expect(saved.problems).toEqual([]);
  expect(saved.nested.sort()).toEqual(['fresh', 'outer', 'src']);
  expect(filesOf(box.mirror, saved.commit)).toEqual({
    ...{ 'a.txt': 'a', 'mine.txt': 'm', 'src/b.txt': 'changed' },
    ...{ 'fresh/f.txt': 'f', 'outer/o.txt': 'o', 'outer/inner/i.txt': 'i' },
  });
  expect(history(box.mirror, '--all')).toEqual(expect.arrayContaining([inner, planted]));
  const texts = saved.refs.filter((ref) => ref.endsWith('/files')).map((ref) => filesOf(box.mirror, ref));
  expect(texts).toEqual(
    expect.arrayContaining([{ 'f.txt': 'f' }, { 'i.txt': 'i' }, { 'o.txt': 'o', 'inner/i.txt': 'i' }]),
  );
});

test('a nested .git file that points outside the workspace is not followed', async () => {
  const box = await sandbox();
  const secret = join(box.dir, 'secret');
  const hidden = userRepository(secret, { 's.txt': 'secret\n' });
  const path = await workspace(box);
  write(path, { 'sub/x.txt': 'x\n', 'sub/.git': `gitdir: ${join(secret, '.git')}\n` });
  const saved = await save(box, path);
  expect(saved.nested).toEqual(['sub']);
  expect(history(box.mirror, '--all')).not.toContain(hidden);
});

describe('whatever happened to .git, the files are saved on top of the base', () => {
  const other = (box: Sandbox) => {
    const secret = join(box.dir, 'secret');
    return { secret, head: userRepository(secret, { 's.txt': 'secret\n' }) };
  };

  test('it was deleted', async () => {
    const box = await sandbox();
    const path = await workspace(box);
    write(path, { x: 'x' });
    rmSync(join(path, '.git'), { recursive: true });
    await expectSaved(box, path);
  });

  test('it was replaced by a file that points to another repository', async () => {
    const box = await sandbox();
    const { secret, head } = other(box);
    const path = await workspace(box);
    write(path, { x: 'x' });
    rmSync(join(path, '.git'), { recursive: true });
    writeFileSync(join(path, '.git'), `gitdir: ${join(secret, '.git')}\n`);
    await expectSaved(box, path);
    expect(history(box.mirror, '--all')).not.toContain(head);
  });

  test('it was replaced by a link to another repository', async () => {
    const box = await sandbox();
    const { secret, head } = other(box);
    const path = await workspace(box);
    write(path, { x: 'x' });
    rmSync(join(path, '.git'), { recursive: true });
    symlinkSync(join(secret, '.git'), join(path, '.git'));
    await expectSaved(box, path);
    expect(history(box.mirror, '--all')).not.toContain(head);
  });

  test('its HEAD, index, refs and packed-refs are garbage', async () => {
    const box = await sandbox();
    const path = await workspace(box);
    write(path, {
      x: 'x',
      '.git/HEAD': 'ref: ../../../etc/passwd\n',
      '.git/index': 'garbage',
      '.git/packed-refs': '\0\0',
    });
    write(path, {
      '.git/refs/heads/a..b': `${box.base}\n`,
      '.git/refs/heads/broken': `${'1'.repeat(40)}\n`,
      '.git/logs/HEAD': 'x',
    });
    symlinkSync('/dev/zero', join(path, '.git/refs/heads/endless'));
    await expectSaved(box, path);
  });

  test('its objects were deleted', async () => {
    const box = await sandbox();
    const path = await workspace(box);
    commit(path, { x: 'x' });
    rmSync(join(path, '.git/objects'), { recursive: true });
    await expectSaved(box, path);
  });

  async function expectSaved(box: Sandbox, path: string): Promise<void> {
    const saved = await save(box, path);
    expect(saved).toMatchObject({ changed: true, missing: false });
    expect(filesOf(box.mirror, saved.commit)).toEqual({ ...AT_BASE, x: 'x' });
    expect(shell(box.mirror.dir, 'rev-parse', `${saved.commit}^`)).toBe(box.base);
  }
});

test('a forged shallow file neither hides commits nor makes the mirror shallow', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  const first = commit(path, { x: '1' });
  const second = commit(path, { x: '2' });
  writeFileSync(join(path, '.git/shallow'), `${first}\n${box.base}\n`);
  const saved = await save(box, path);
  expect(saved).toMatchObject({ commit: second, problems: [] });
  expect(history(box.mirror, second)).toEqual([second, first, box.base]);
  expect(existsSync(join(box.mirror.dir, 'shallow'))).toBe(false);
});

test("hidden refs, grafts and replacements in the agent's repository change nothing", async () => {
  const box = await sandbox();
  const path = await workspace(box);
  const first = commit(path, { x: '1' });
  const second = commit(path, { x: '2' });
  shell(path, 'config', 'transfer.hideRefs', 'refs');
  shell(path, 'replace', '--graft', second);
  write(path, { '.git/info/grafts': `${second}\n` });
  const saved = await save(box, path);
  expect(saved.commit).toBe(second);
  expect(history(box.mirror, second)).toEqual([second, first, box.base]);
});

test('an object whose contents do not match its id never enters the mirror, and is reported', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  const own = commit(path, { 'x.txt': 'honest\n' });
  const blob = shell(path, 'rev-parse', 'HEAD:x.txt');
  const file = objectFile(path, blob);
  write(path, { lie: 'a lie\n' });
  const lie = objectFile(path, shell(path, 'hash-object', '-w', 'lie'));
  rmSync(join(path, 'lie'));
  chmodSync(file, 0o600);
  writeFileSync(file, readFileSync(lie));
  const saved = await save(box, path);
  expect(saved.problems).not.toEqual([]);
  expect(shell(box.mirror.dir, 'fsck', '--no-dangling')).toBe('');
  expect(history(box.mirror, '--all')).not.toContain(own);
  expect(filesOf(box.mirror, saved.commit)).toMatchObject({ 'x.txt': 'honest' });
});

test('a damaged commit is reported and the other branches are still imported', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  shell(path, 'checkout', '-q', '-b', 'good');
  const good = commit(path, { 'g.txt': 'g' });
  shell(path, 'checkout', '-q', 'mh/r1/t1');
  const lost = commit(path, { 'l.txt': '1' });
  commit(path, { 'l.txt': '2' });
  rmSync(objectFile(path, lost), { force: true });
  const saved = await save(box, path);
  expect(saved.problems.join()).toMatch(/history is incomplete/);
  expect(history(box.mirror, '--all')).toContain(good);
  expect(filesOf(box.mirror, saved.commit)).toMatchObject({ 'l.txt': '2' });
});

test('packed and garbage-collected repositories are imported as well', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  const own = commit(path, Object.fromEntries(Array.from({ length: 150 }, (_, number) => [`f${number}`, `${number}`])));
  shell(path, 'repack', '-adq');
  shell(path, 'pack-refs', '--all');
  expect(await save(box, path)).toMatchObject({ commit: own, problems: [] });
});

test('a worktree that the agent created is saved, and its own excludes hide nothing', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  shell(path, 'worktree', 'add', '-q', '-b', 'wt', join(path, 'tree'));
  const inTree = commit(join(path, 'tree'), { 'w.txt': 'w' });
  renameSync(join(path, 'src'), join(path, 'lib'));
  appendFileSync(join(path, '.git/info/exclude'), '*\n');
  const saved = await save(box, path);
  expect(filesOf(box.mirror, saved.commit)).toEqual({ 'a.txt': 'a', 'lib/b.txt': 'b' });
  expect(history(box.mirror, '--all')).toContain(inTree);
});

test('the mirror keeps no scratch folder after a save', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  commit(path, { x: 'x' });
  await save(box, path);
  expect(readdirSync(join(box.mirror.dir, 'manyhands')).filter((name) => name.startsWith('taking'))).toEqual([]);
});

function objectFile(path: string, oid: string): string {
  return join(path, '.git/objects', oid.slice(0, 2), oid.slice(2));
}
