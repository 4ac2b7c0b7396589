import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mergeCommits } from '../../../src/git/merge/merge.ts';
import { layOutConflict } from '../../../src/git/workspace/lay-out-conflict.ts';
import { createWorkspace } from '../../../src/git/workspace/workspace.ts';
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

/** A saved commit on top of the base with these files changed. */
async function side(box: Sandbox, name: string, files: Record<string, string>): Promise<string> {
  const path = await workspace(box, name);
  write(path, files);
  return (await save(box, path)).commit;
}

const merge = (box: Sandbox, onto: string, theirs: string) =>
  mergeCommits({ mirror: box.mirror, onto, theirs, message: 'Merge', now: 1_700_000_000_000 });

test('two sides without overlap become a merge commit, the same at every attempt', async () => {
  const box = await sandbox();
  const [one, two] = await Promise.all([side(box, 'one', { 'a.txt': '1\n' }), side(box, 'two', { 'n.txt': '2\n' })]);
  const merged = await merge(box, one, two);
  if (merged.kind !== 'merged') throw new Error(merged.kind);
  expect(shell(box.mirror.dir, 'log', '-1', '--format=%P %T', merged.commit)).toBe(`${one} ${two} ${merged.tree}`);
  expect(filesOf(box.mirror, merged.commit)).toEqual({ 'a.txt': '1', 'n.txt': '2', 'src/b.txt': 'b' });
  expect(await merge(box, one, two)).toEqual(merged);
});

test('there is no merge commit if one side contains the other', async () => {
  const box = await sandbox();
  const ahead = await side(box, 'one', { 'a.txt': '1\n' });
  const tree = shell(box.mirror.dir, 'rev-parse', `${ahead}^{tree}`);
  expect(await merge(box, box.base, ahead)).toEqual({ kind: 'merged', commit: ahead, tree });
  expect(await merge(box, ahead, box.base)).toEqual({ kind: 'merged', commit: ahead, tree });
  expect(await merge(box, ahead, ahead)).toEqual({ kind: 'merged', commit: ahead, tree });
});

test('a conflict names the files, whatever they are called', async () => {
  const name = 'odd\n"name" ';
  const box = await sandbox({ [name]: 'x\n', 'b.txt': 'b\n' });
  const [one, two] = await Promise.all([side(box, 'one', { [name]: '1\n' }), side(box, 'two', { [name]: '2\n' })]);
  expect(await merge(box, one, two)).toEqual({ kind: 'conflict', files: [name], submodule: false });
});

test('a new file in a folder that the other side renamed is a conflict with its name', async () => {
  const box = await sandbox({ 'old/1': '1\n', 'old/2': '2\n', 'old/3': '3\n' });
  const path = await workspace(box, 'one');
  shell(path, 'mv', 'old', 'new');
  const one = (await save(box, path)).commit;
  const two = await side(box, 'two', { 'old/4': '4\n' });
  const merged = await merge(box, one, two);
  expect(merged).toMatchObject({ kind: 'conflict' });
  expect(merged.kind === 'conflict' && merged.files.length > 0).toBe(true);
});

test('histories without a common ancestor are unrelated, not a conflict', async () => {
  const box = await sandbox();
  const path = await workspace(box);
  shell(path, 'checkout', '-q', '--orphan', 'fresh');
  const orphan = commit(path, { x: 'x' });
  await save(box, path);
  expect(await merge(box, box.base, orphan)).toEqual({ kind: 'unrelated' });
});

test("the attributes of the side that is merged onto decide, as in the user's own git", async () => {
  const attributes = 'CHANGELOG.md merge=union\nlock.json -merge\n';
  const box = await sandbox({
    '.gitattributes': attributes,
    'CHANGELOG.md': '# Log\n',
    'lock.json': 'a\nb\nc\nd\ne\nf\ng\n',
  });
  const [one, two] = await Promise.all([
    side(box, 'one', { 'CHANGELOG.md': '# Log\none\n' }),
    side(box, 'two', { 'CHANGELOG.md': '# Log\ntwo\n' }),
  ]);
  const union = await merge(box, one, two);
  if (union.kind !== 'merged') throw new Error(union.kind);
  expect(filesOf(box.mirror, union.commit)['CHANGELOG.md']).toBe('# Log\none\ntwo');
  const [three, four] = await Promise.all([
    side(box, 'three', { 'lock.json': 'A\nb\nc\nd\ne\nf\ng\n' }),
    side(box, 'four', { 'lock.json': 'a\nb\nc\nd\ne\nf\nG\n' }),
  ]);
  expect(await merge(box, three, four)).toEqual({ kind: 'conflict', files: ['lock.json'], submodule: false });
});

test('a conflict is prepared in a workspace: markers in the file, the merge in progress, the rest merged', async () => {
  const box = await sandbox();
  const [onto, theirs] = await Promise.all([
    side(box, 'one', { 'a.txt': 'one\n' }),
    side(box, 'two', { 'a.txt': 'two\n', 'n.txt': 'n\n' }),
  ]);
  const path = join(box.dir, 'resolve');
  await createWorkspace({ mirror: box.mirror, path, commit: onto, branch: 'mh/resolve' });
  expect(await layOutConflict({ mirror: box.mirror, path, onto, theirs })).toEqual(['a.txt']);
  expect(readFileSync(join(path, 'a.txt'), 'utf8')).toMatch(/^<<<<<<< [\s\S]*one\n=======\ntwo\n>>>>>>> /);
  expect(readFileSync(join(path, 'n.txt'), 'utf8')).toBe('n\n');
  expect(shell(path, 'status', '--porcelain')).toBe('UU a.txt\nA  n.txt');
  expect(shell(path, 'rev-parse', 'MERGE_HEAD')).toBe(theirs);
  expect(shell(path, 'fsck', '--no-dangling')).toBe('');
});

test('a resolution is saved with both parents, whether or not the agent committed it', async () => {
  const box = await sandbox();
  const [onto, theirs] = await Promise.all([
    side(box, 'one', { 'a.txt': 'one\n' }),
    side(box, 'two', { 'a.txt': 'two\n' }),
  ]);
  for (const commits of [false, true]) {
    const path = join(box.dir, `resolve-${commits}`);
    await createWorkspace({ mirror: box.mirror, path, commit: onto, branch: 'mh/resolve' });
    await layOutConflict({ mirror: box.mirror, path, onto, theirs });
    const own = commits ? commit(path, { 'a.txt': 'both\n' }, 'Resolve') : write(path, { 'a.txt': 'both\n' });
    const saved = await save(box, path, { base: onto, parents: [onto, theirs] });
    expect(filesOf(box.mirror, saved.commit)['a.txt']).toBe('both');
    expect(shell(box.mirror.dir, 'log', '-1', '--format=%P', saved.commit)).toBe(`${onto} ${theirs}`);
    expect(saved.problems).toEqual([]);
    if (commits) expect(saved.commit).toBe(own);
    expect(await merge(box, onto, saved.commit)).toMatchObject({ kind: 'merged', commit: saved.commit });
    expect(history(box.mirror, saved.commit)).toEqual(expect.arrayContaining([onto, theirs]));
  }
});

test('a resolution that takes our side whole is still a merge', async () => {
  const box = await sandbox();
  const [onto, theirs] = await Promise.all([
    side(box, 'one', { 'a.txt': 'one\n' }),
    side(box, 'two', { 'a.txt': 'two\n' }),
  ]);
  const path = join(box.dir, 'resolve');
  await createWorkspace({ mirror: box.mirror, path, commit: onto, branch: 'mh/resolve' });
  await layOutConflict({ mirror: box.mirror, path, onto, theirs });
  expect(tryShell(path, 'checkout', '--ours', 'a.txt')).toBe(true);
  const saved = await save(box, path, { base: onto, parents: [onto, theirs] });
  expect(saved.changed).toBe(false);
  expect(shell(box.mirror.dir, 'log', '-1', '--format=%P', saved.commit)).toBe(`${onto} ${theirs}`);
});
