import fc from 'fast-check';
import { expect, test } from 'vitest';
import { git } from '../../../src/git/git.ts';
import { mergeDisjoint } from '../../../src/git/merge/merge-disjoint.ts';
import { readCommit } from '../../../src/git/read/objects.ts';
import { TESTS_ALL } from '../../support/variants.ts';
import { sandbox } from '../sandbox.ts';
import { CONTENTS, FILES, type Files, importCommits, withoutCollisions } from '../trees.ts';

/** A change to some files: removed, with another content, moved, or added. */
const CHANGES = fc.array(
  fc.record({
    at: fc.nat(20),
    kind: fc.constantFrom('remove', 'modify', 'move', 'add', 'add'),
    to: fc.constantFrom('a/new', 'b/new', 'c', 'a/x/y', 'd/e/f'),
    content: fc.constantFrom(...CONTENTS),
  }),
  { minLength: 1, maxLength: 3 },
);
/** Something that only one side has, so that neither contains the other. */
const OWN = { mode: '100644', content: CONTENTS[0] ?? '' };
type Change = { at: number; kind: string; to: string; content: string };

function changed(files: Files, changes: readonly Change[]): Files {
  const result = { ...files };
  for (const { at, kind, to, content } of changes) {
    const path = Object.keys(result)[at % Object.keys(result).length] ?? 'first';
    const file = result[path] ?? { mode: '100644', content };
    if (kind !== 'add' && kind !== 'modify') delete result[path];
    if (kind === 'modify') result[path] = { ...file, content };
    if (kind === 'move' || kind === 'add') result[to] = kind === 'add' ? { mode: '100644', content } : file;
  }
  return Object.keys(result).length === 0 ? files : withoutCollisions(result);
}

test('a merge without git has the tree that git gives it, also where files are moved, removed and added', async () => {
  const { mirror } = await sandbox();
  const cases = fc.sample(fc.tuple(FILES, CHANGES, CHANGES), TESTS_ALL ? 2_000 : 80);
  const planned = cases.flatMap(([files, ours, theirs], index) => [
    { files },
    { files: changed(files, ours), parents: [index * 3] },
    { files: { ...changed(files, theirs), own: OWN }, parents: [index * 3] },
  ]);
  const commits = importCommits(mirror, planned);
  let own = 0;
  for (let at = 0; at < commits.length; at += 3) {
    const [, onto = '', theirs = ''] = commits.slice(at);
    const tree = await mergeDisjoint(mirror, { onto, theirs });
    if (tree === undefined) continue;
    own += 1;
    const { stdout } = await git(['merge-tree', '--write-tree', onto, theirs], { gitDir: mirror.dir, allow: [0, 1] });
    expect([stdout.trim(), cases[at / 3]]).toEqual([tree, cases[at / 3]]);
  }
  expect(own).toBeGreaterThan(10);
});

test('work that was merged and then reverted is not merged again', async () => {
  const { mirror } = await sandbox();
  const [file, other] = [OWN, { mode: '100644', content: CONTENTS[1] ?? '' }];
  const [, theirs = '', moved = '', merged = '', reverted = '', later = ''] = importCommits(mirror, [
    { files: { a: file } },
    { files: { a: file, new: file }, parents: [0] },
    { files: { a: other }, parents: [0] },
    { files: { a: other, new: file }, parents: [2, 1] },
    { files: { a: other }, parents: [3] },
    { files: { a: file, new: file, more: file }, parents: [1] },
  ]);
  expect(await mergeDisjoint(mirror, { onto: moved, theirs })).toBe((await readCommit(mirror, merged)).tree);
  expect(await mergeDisjoint(mirror, { onto: reverted, theirs })).toBeUndefined();
  expect(await mergeDisjoint(mirror, { onto: reverted, theirs: later })).toBeUndefined();
});

test('a merge of histories that are not lines, or share nothing, is left to git', async () => {
  const { mirror } = await sandbox();
  const [base = '', left = '', , cross = '', alone = ''] = importCommits(mirror, [
    { files: { a: OWN } },
    { files: { a: OWN, l: OWN }, parents: [0] },
    { files: { a: OWN, r: OWN }, parents: [0] },
    { files: { a: OWN, l: OWN, r: OWN, x: OWN }, parents: [2, 1] },
    { files: { z: OWN } },
  ]);
  for (const theirs of [cross, alone, base])
    expect(await mergeDisjoint(mirror, { onto: left, theirs })).toBeUndefined();
});

test('a line that ends where a shallow history is cut is left to git', async () => {
  const { mirror } = await sandbox();
  const [onto = ''] = importCommits(mirror, [{ files: { a: OWN } }]);
  const { tree } = await readCommit(mirror, onto);
  const person = 'A <a@localhost> 1700000000 +0000';
  const cut = `tree ${tree}\nparent ${'1'.repeat(40)}\nauthor ${person}\ncommitter ${person}\n\nCut\n`;
  const where = { gitDir: mirror.dir, input: cut };
  const theirs = (await git(['hash-object', '-t', 'commit', '-w', '--stdin'], where)).stdout.trim();
  expect(await mergeDisjoint(mirror, { onto, theirs })).toBeUndefined();
});
