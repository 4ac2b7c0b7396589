import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Mirror } from '../../../src/git/mirror/mirror.ts';
import { addedText } from '../../../src/git/read/added-text.ts';
import { piecesOfInsertion } from '../../../src/git/read/insertion.ts';
import { TESTS_ALL } from '../../support/variants.ts';
import { sandbox } from '../sandbox.ts';
import { type Files, importCommits, withoutCollisions } from '../trees.ts';

const LINES = ['one\n', 'two\n', '}\n', '\n', '\0\xe9\n', 'long '.repeat(200).concat('\n')];
const TEXT = fc
  .tuple(fc.array(fc.constantFrom(...LINES), { maxLength: 6 }), fc.constantFrom('', '', 'end'))
  .map(([lines, end]) => lines.join('') + end);
const MODE = fc.constantFrom('100644', '100644', '100755', '120000');
const PATH = fc.constantFrom('a', 'b/c', 'x y', 'é', 'z');
const SOME_FILES = fc.dictionary(PATH, fc.record({ mode: MODE, content: TEXT }), { minKeys: 1, maxKeys: 4 });

/** Two commits, of which the second often only adds lines to the files of the first. */
const CHANGE = fc.tuple(SOME_FILES, SOME_FILES, TEXT, fc.nat(6)).map(([before, other, text, at]) => {
  const grown: Files = Object.fromEntries(
    Object.entries(before).map(([path, { mode, content }]) => {
      const lines = content.split(/(?<=\n)/);
      return [path, { mode, content: [...lines.slice(0, at), text, ...lines.slice(at)].join('') }];
    }),
  );
  return [before, at % 3 === 0 ? other : at % 3 === 1 ? grown : { ...before, ...other }] as const;
});

/** All that is added, by file: where lines are repeated, it is not determined which of them are the new ones, only what they say. */
async function added(mirror: Mirror, from: string, to: readonly string[]) {
  const [names, texts]: [string[], string[]] = [[], []];
  for await (const each of addedText(mirror, { from: [from], to })) {
    if (each.kind === 'text') texts.push(`${each.path}:${each.text.split('\n').sort().join('\n').trim()}`);
    else names.push(`${each.kind} ${each.path}`);
  }
  return { names, texts };
}

test('what a commit adds is what git finds, also where lines are only inserted', async () => {
  const { mirror } = await sandbox();
  const planned = fc
    .sample(CHANGE, TESTS_ALL ? 1_000 : 40)
    .flatMap(([before, after], index) => [
      { files: withoutCollisions(before) },
      { files: withoutCollisions(after), parents: [index * 2] },
    ]);
  const commits = importCommits(mirror, planned);
  let inserted = 0;
  for (let index = 0; index < commits.length; index += 2) {
    const [from = '', to = ''] = commits.slice(index);
    if ((await piecesOfInsertion(mirror, { from: [from], to: [to] })) !== undefined) inserted += 1;
    // A commit that is named twice is always read by git.
    expect(await added(mirror, from, [to]), `${index}`).toEqual(await added(mirror, from, [to, to]));
  }
  expect(inserted).toBeGreaterThan(commits.length / 20);
});

test('a line that is added has its number, and its commit its author and message', async () => {
  const { mirror } = await sandbox();
  const [first = '', second = ''] = importCommits(mirror, [
    { files: { f: { mode: '100644', content: 'a\nb\n' } } },
    { files: { f: { mode: '100644', content: 'a\nnew\nb\n' } }, parents: [0] },
  ]);
  const found = [];
  for await (const each of addedText(mirror, { from: [first], to: [second] })) found.push(each);
  expect(found.map((each) => [each.kind, each.path, each.kind === 'text' ? each.text : ''])).toEqual([
    ['name', 'f', ''],
    ['text', '', 'A\na@example.org\nx\n'],
    ['text', 'f', 'new\n'],
  ]);
  const last = found.at(-1);
  expect(last?.kind === 'text' ? last.lineAt(0) : 0).toBe(2);
});
