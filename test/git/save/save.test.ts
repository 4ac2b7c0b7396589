import { appendFileSync, rmSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { privateIndexFile } from '../../../src/git/save/private-index.ts';
import { saveWorkspace } from '../../../src/git/save/save.ts';
import {
  commit,
  filesOf,
  history,
  type Sandbox,
  sandbox,
  save,
  shell,
  tryShell,
  workspace,
  write,
} from '../sandbox.ts';

const AT_BASE = { 'a.txt': 'a', 'src/b.txt': 'b' };

type Shape = { title: string; make(path: string): void; files: Record<string, string> };

const SHAPES: Shape[] = [
  {
    title: 'an untracked file',
    make: (path) => write(path, { 'new/x.txt': 'x\n' }),
    files: { ...AT_BASE, 'new/x.txt': 'x' },
  },
  {
    title: 'an unstaged change',
    make: (path) => write(path, { 'a.txt': 'changed\n' }),
    files: { ...AT_BASE, 'a.txt': 'changed' },
  },
  {
    title: 'a staged change',
    make: (path) => {
      write(path, { 'a.txt': 'staged\n', 'n.txt': 'n\n' });
      shell(path, 'add', '-A');
    },
    files: { ...AT_BASE, 'a.txt': 'staged', 'n.txt': 'n' },
  },
  {
    title: 'a staged change under an unstaged one',
    make: (path) => {
      write(path, { 'a.txt': 'staged\n' });
      shell(path, 'add', '-A');
      write(path, { 'a.txt': 'later\n' });
    },
    files: { ...AT_BASE, 'a.txt': 'later' },
  },
  { title: 'a deleted file', make: (path) => unlinkSync(join(path, 'a.txt')), files: { 'src/b.txt': 'b' } },
  {
    title: 'a renamed file',
    make: (path) => shell(path, 'mv', 'a.txt', 'z.txt'),
    files: { 'z.txt': 'a', 'src/b.txt': 'b' },
  },
  {
    title: 'a commit and a change after it',
    make: (path) => {
      commit(path, { 'c.txt': 'c\n' });
      write(path, { 'd.txt': 'd\n' });
    },
    files: { ...AT_BASE, 'c.txt': 'c', 'd.txt': 'd' },
  },
  {
    title: 'a detached HEAD with a commit',
    make: (path) => {
      shell(path, 'checkout', '-q', '--detach');
      commit(path, { 'c.txt': 'c\n' });
    },
    files: { ...AT_BASE, 'c.txt': 'c' },
  },
  {
    title: 'a commit on another branch that is checked out',
    make: (path) => {
      shell(path, 'checkout', '-q', '-b', 'elsewhere');
      commit(path, { 'c.txt': 'c\n' });
    },
    files: { ...AT_BASE, 'c.txt': 'c' },
  },
  {
    title: 'a rebase that stopped in a conflict',
    make: (path) => {
      const base = shell(path, 'rev-parse', 'HEAD');
      commit(path, { 'a.txt': 'mine\n' });
      shell(path, 'checkout', '-q', '-b', 'other', base);
      commit(path, { 'a.txt': 'other\n' });
      expect(tryShell(path, 'rebase', '-q', 'mh/r1/t1')).toBe(false);
      write(path, { 'a.txt': 'half solved\n' });
    },
    files: { ...AT_BASE, 'a.txt': 'half solved' },
  },
  {
    title: 'a merge that stopped in a conflict',
    make: (path) => {
      shell(path, 'checkout', '-q', '-b', 'other');
      commit(path, { 'a.txt': 'other\n' });
      shell(path, 'checkout', '-q', 'mh/r1/t1');
      commit(path, { 'a.txt': 'mine\n' });
      expect(tryShell(path, 'merge', '-q', 'other')).toBe(false);
      write(path, { 'a.txt': 'half solved\n' });
    },
    files: { ...AT_BASE, 'a.txt': 'half solved' },
  },
  {
    title: 'a file that became a folder and a folder that became a link',
    make: (path) => {
      unlinkSync(join(path, 'a.txt'));
      write(path, { 'a.txt/inner': 'i\n' });
      rmSync(join(path, 'src'), { recursive: true });
      symlinkSync('/etc', join(path, 'src'));
    },
    files: { 'a.txt/inner': 'i', src: '/etc' },
  },
  {
    title: 'an index that says that a changed file is unchanged',
    make: (path) => {
      shell(path, 'update-index', '--assume-unchanged', 'a.txt');
      shell(path, 'update-index', '--skip-worktree', 'src/b.txt');
      write(path, { 'a.txt': 'A\n', 'src/b.txt': 'B\n' });
    },
    files: { 'a.txt': 'A', 'src/b.txt': 'B' },
  },
  {
    title: 'odd names',
    make: (path) =>
      write(path, {
        'new\nline': '1\n',
        '"q"': '2\n',
        '-dash': '3\n',
        'nfd-e\u0301': '4\n',
        'space ': '5\n',
        ':!x': '6\n',
      }),
    files: { ...AT_BASE, 'new\nline': '1', '"q"': '2', '-dash': '3', 'nfd-e\u0301': '4', 'space ': '5', ':!x': '6' },
  },
];

describe('everything that an agent leaves is saved', () => {
  test.each(SHAPES)('$title', async ({ make, files }) => {
    const box = await sandbox();
    const path = await workspace(box);
    make(path);
    const commits = shell(path, 'rev-list', '--all', '--reflog', 'HEAD').split('\n');
    const saved = await save(box, path);
    expect(saved).toMatchObject({ changed: true, problems: [], missing: false });
    expect(filesOf(box.mirror, saved.commit)).toEqual(files);
    expect(shell(box.mirror.dir, 'merge-base', '--is-ancestor', box.base, saved.commit)).toBe('');
    rmSync(path, { recursive: true });
    expect(history(box.mirror, '--all')).toEqual(expect.arrayContaining(commits));
  });
});

test('without changes the base itself is saved, with its ref', async () => {
  const box = await sandbox();
  const saved = await save(box, await workspace(box));
  expect(saved).toMatchObject({ commit: box.base, head: box.base, changed: false, nested: [], problems: [] });
  expect(shell(box.mirror.dir, 'rev-parse', saved.refs[0] ?? '')).toBe(box.base);
});

test('files with a new time and the same content are not a change', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  write(path, { 'a.txt': 'a\n' });
  expect((await save(box, path)).changed).toBe(false);
});

test('an agent that committed everything keeps its own commit', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  const own = commit(path, { 'c.txt': 'c' });
  expect(await save(box, path)).toMatchObject({ commit: own, head: own, changed: true });
});

test('a long history is imported as well as a short one', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  const commits = Array.from({ length: 60 }, (_, number) => {
    shell(path, 'commit', '-q', '--allow-empty', '-m', `Step ${number}`);
    return shell(path, 'rev-parse', 'HEAD');
  });
  const saved = await save(box, path);
  expect(saved).toMatchObject({ commit: commits.at(-1), changed: false, problems: [] });
  expect(history(box.mirror, saved.commit, `^${box.base}`)).toEqual(commits.reverse());
});

test('commits that were amended away, stashes and other branches are kept, and survive gc', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  const first = commit(path, { 'c.txt': '1' });
  shell(path, 'commit', '-q', '--amend', '-m', 'Amended');
  const stashes = [1, 2].map((number) => {
    write(path, { 'a.txt': `stash ${number}` });
    shell(path, 'stash');
    return shell(path, 'rev-parse', 'stash');
  });
  shell(path, 'checkout', '-q', '-b', 'side');
  const side = commit(path, { 'side.txt': 's' });
  shell(path, 'checkout', '-q', 'mh/r1/t1');
  const saved = await save(box, path);
  rmSync(path, { recursive: true });
  shell(box.mirror.dir, 'reflog', 'expire', '--expire=now', '--all');
  shell(box.mirror.dir, 'gc', '--quiet', '--prune=now');
  expect(saved.problems).toEqual([]);
  expect(history(box.mirror, '--all')).toEqual(expect.arrayContaining([first, ...stashes, side]));
  expect(filesOf(box.mirror, saved.commit)).toEqual({ ...AT_BASE, 'c.txt': '1' });
});

test('history that does not descend from the base is kept separately, and the files are saved on top of the base', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  shell(path, 'checkout', '-q', '--orphan', 'fresh');
  const orphan = commit(path, { 'o.txt': 'o' });
  const saved = await save(box, path);
  expect(saved.head).toBe(orphan);
  expect(shell(box.mirror.dir, 'rev-parse', `${saved.commit}^`)).toBe(box.base);
  expect(filesOf(box.mirror, saved.commit)).toEqual({ ...AT_BASE, 'o.txt': 'o' });
  expect(history(box.mirror, '--all')).toContain(orphan);
});

test('files that were staged and then deleted are kept under their own ref', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  write(path, { 'lost.txt': 'not lost\n' });
  shell(path, 'add', '-A');
  unlinkSync(join(path, 'lost.txt'));
  const saved = await save(box, path);
  const staged = saved.refs.find((ref) => ref.endsWith('/staged'));
  expect(filesOf(box.mirror, staged ?? '')).toMatchObject({ 'lost.txt': 'not lost' });
  expect(saved.changed).toBe(false);
});

test('ignored files are not saved but listed, and ignored files that the agent committed stay committed', async () => {
  const box = await sandbox({ '.gitignore': 'out/\n', 'a.txt': 'a\n' });
  const path = await workspace(box);
  write(path, { 'out/x': 'x\n', 'out/forced': 'f\n' });
  shell(path, 'add', '-f', 'out/forced');
  shell(path, 'commit', '-q', '-m', 'Forced');
  const saved = await save(box, path, { listIgnored: true });
  expect(filesOf(box.mirror, saved.commit)).toEqual({ '.gitignore': 'out/', 'a.txt': 'a', 'out/forced': 'f' });
  expect(saved.ignored).toEqual(['out/x']);
});

test('paths that we put there are in no saved commit, neither as a link nor when the agent commits them', async () => {
  const box = await sandbox();
  const exclude = ['node_modules', '.env', 'deps'];
  const put = (path: string) => {
    symlinkSync('/usr', join(path, 'node_modules'));
    write(path, { '.env': 'SECRET\n', 'deps/x/y': 'y\n', 'mine.txt': 'm\n', depsother: 'o\n' });
  };
  const left = await workspace(box, 'left');
  put(left);
  const committed = await workspace(box, 'committed');
  put(committed);
  shell(committed, 'add', '-A');
  shell(committed, 'commit', '-q', '-m', 'All of it');
  for (const path of [left, committed]) {
    const saved = await save(box, path, { exclude });
    expect(filesOf(box.mirror, saved.commit)).toEqual({ ...AT_BASE, 'mine.txt': 'm', depsother: 'o' });
    expect(shell(box.mirror.dir, 'log', '--format=%H', `${box.base}..${saved.commit}`, '--', ...exclude)).toBe('');
  }
});

test('a tracked path that we replaced is saved as in the base', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  write(path, { 'a.txt': 'ours\n' });
  shell(path, 'commit', '-q', '-a', '-m', 'Committed too');
  const saved = await save(box, path, { exclude: ['a.txt'] });
  expect(filesOf(box.mirror, saved.commit)).toEqual(AT_BASE);
  expect(saved.changed).toBe(false);
});

test('a workspace whose folder is missing, or is a link, is saved as the base and reported as missing', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  rmSync(path, { recursive: true });
  expect(await save(box, path)).toMatchObject({ commit: box.base, changed: false, missing: true });
  symlinkSync(box.user, path);
  expect(await save(box, path)).toMatchObject({ commit: box.base, missing: true });
});

test('a ref of an earlier save is never moved', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  const options = {
    mirror: box.mirror,
    path,
    ref: 'refs/manyhands/attempts/x/1',
    base: box.base,
    message: 'Work',
    exclude: [],
  };
  await saveWorkspace(options);
  write(path, { x: 'x' });
  await expect(saveWorkspace(options)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(shell(box.mirror.dir, 'rev-parse', options.ref)).toBe(box.base);
});

test('without our own index the files are read again and saved the same', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  write(path, { 'a.txt': 'changed\n' });
  rmSync(join(box.mirror.dir, 'manyhands/indexes'), { recursive: true });
  expect(filesOf(box.mirror, (await save(box, path)).commit)).toEqual({ ...AT_BASE, 'a.txt': 'changed' });
});

test.each(['', 'DIRC', 'zeros'])('an index that a power failure left as "%s" is made again', async (left) => {
  const box = await sandbox();
  const path = await workspace(box);
  write(path, { 'a.txt': 'changed\n', deps: 'd\n' });
  const file = privateIndexFile(box.mirror, path);
  writeFileSync(file, left === 'zeros' ? Buffer.alloc(statSync(file).size) : left);
  const saved = await save(box, path, { exclude: ['deps'], limits: { files: 1, fileBytes: 1_000 } });
  expect(filesOf(box.mirror, saved.commit)).toEqual({ ...AT_BASE, 'a.txt': 'changed' });
});

test('a record of the index that a power failure left empty is not needed', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  write(path, { 'a.txt': 'changed\n' });
  writeFileSync(`${privateIndexFile(box.mirror, path)}.json`, '');
  expect(filesOf(box.mirror, (await save(box, path)).commit)).toEqual({ ...AT_BASE, 'a.txt': 'changed' });
});

test('the saved commit has author, message and trailers', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  write(path, { x: 'x' });
  const author = { name: 'Bea', email: 'bea@example.org' };
  const saved = await save(box, path, { message: 'Title\n\nSigned-off-by: Bea <bea@example.org>', author });
  expect(
    shell(
      box.mirror.dir,
      'log',
      '-1',
      '--format=%an %ae %s %(trailers:key=Signed-off-by,valueonly)',
      saved.commit,
    ).trim(),
  ).toBe('Bea bea@example.org Title Bea <bea@example.org>');
});

test('sixteen workspaces are saved into one mirror at once', async () => {
  const box = await sandbox();
  const names = Array.from({ length: 16 }, (_, number) => `w${number}`);
  const paths = await Promise.all(names.map((name) => workspace(box, name)));
  for (const [number, path] of paths.entries()) {
    if (number % 2 === 0) commit(path, { [`f${number}`]: `${number}` });
    else write(path, { [`f${number}`]: `${number}` });
  }
  const saved = await Promise.all(paths.map((path) => save(box, path)));
  for (const [number, one] of saved.entries()) {
    expect(one.problems).toEqual([]);
    expect(filesOf(box.mirror, one.commit)).toEqual({ ...AT_BASE, [`f${number}`]: `${number}` });
  }
  expect(shell(box.mirror.dir, 'fsck', '--no-dangling')).toBe('');
});

test("line endings and encodings follow .gitattributes as in the user's own git", async () => {
  const box = await sandbox({ '.gitattributes': '*.txt text eol=crlf\n', 'a.txt': 'a\r\nb\r\n' });
  const path = await workspace(box);
  expect((await save(box, path)).changed).toBe(false);
  appendFileSync(join(path, 'a.txt'), 'c\r\n');
  const saved = await save(box, path);
  expect(filesOf(box.mirror, saved.commit)['a.txt']).toBe('a\nb\nc');
});

test('a kept workspace is saved again on top of what was saved before', async () => {
  const box: Sandbox = await sandbox();
  const path = await workspace(box);
  write(path, { x: '1' });
  const first = await save(box, path);
  write(path, { y: '2' });
  const second = await save(box, path, { base: first.commit });
  expect(shell(box.mirror.dir, 'rev-parse', `${second.commit}^`)).toBe(first.commit);
  expect(filesOf(box.mirror, second.commit)).toEqual({ ...AT_BASE, x: '1', y: '2' });
  writeFileSync(join(path, '.git/index.lock'), '');
  expect(await save(box, path, { base: second.commit })).toMatchObject({ commit: second.commit, changed: false });
});
