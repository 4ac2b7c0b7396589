import { describe, expect, it } from 'vitest';
import { isIn, moved, spanned } from '../../../../src/dashboard/ui/diff/diff-cursor.ts';
import { diffRows, type Shown } from '../../../../src/dashboard/ui/diff/diff-rows.ts';
import {
  commentOn,
  earlierKeys,
  mergeReviews,
  NO_REVIEW,
  nextId,
  readReview,
  reviewMessage,
  withComment,
} from '../../../../src/dashboard/ui/diff/draft-review.ts';
import { fileTree, inTreeOrder } from '../../../../src/dashboard/ui/diff/file-tree.ts';
import { parseDiff } from '../../../../src/dashboard/ui/diff/parse-diff.ts';
import { tokenLines } from '../../../../src/dashboard/ui/diff/token-lines.ts';
import { fingerprint, viewedPaths } from '../../../../src/dashboard/ui/diff/viewed-files.ts';

const PATCH = `diff --git a/src/a.ts b/src/a.ts
index 1..2 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,4 +1,4 @@ function a() {
 one
--- a/fake.ts
-diff --git a/fake b/fake
+++ b/fake.ts
+@@ -1 +1 @@
 last
\\ No newline at end of file
diff --git a/logo.png b/logo.png
index 1..2 100644
Binary files a/logo.png and b/logo.png differ
diff --git a/old name.ts b/new name.ts
similarity index 100%
rename from old name.ts
rename to new name.ts
diff --git "a/\\303\\274 \\"x\\".ts" "b/\\303\\274 \\"x\\".ts"
new file mode 100644
--- /dev/null
+++ "b/\\303\\274 \\"x\\".ts"
@@ -0,0 +1 @@
+const u = 1;
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
`;

function shown(change: Partial<Shown> = {}): Shown {
  return {
    files: parseDiff(PATCH),
    layout: 'unified',
    toggled: new Set(),
    viewed: new Set(),
    comments: [],
    editing: undefined,
    ...change,
  };
}

describe('reading a diff', () => {
  it('does not mistake a line of a file for a header', () => {
    const [first] = parseDiff(PATCH);
    expect(first).toMatchObject({ path: 'src/a.ts', added: 2, deleted: 2 });
    expect(first?.hunks[0]?.lines.map(({ text }) => text)).toEqual([
      'one',
      '-- a/fake.ts',
      'diff --git a/fake b/fake',
      '++ b/fake.ts',
      '@@ -1 +1 @@',
      'last',
    ]);
  });

  it('recognizes binary, renamed, added and unusually named files, and mode changes', () => {
    expect(parseDiff(PATCH).slice(1)).toMatchObject([
      { path: 'logo.png', isBinary: true },
      { path: 'new name.ts', from: 'old name.ts', status: 'renamed' },
      { path: 'ü "x".ts', status: 'added', added: 1 },
      { path: 'run.sh', notes: ['old mode 100644', 'new mode 100755'] },
    ]);
  });

  it('accepts a patch that ends in the middle of a hunk', () => {
    expect(parseDiff('diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,90 +1,90 @@\n one')[0]?.hunks[0]?.lines).toHaveLength(
      1,
    );
    expect(parseDiff('nonsense\n@@ -1 +1 @@\n')).toEqual([]);
  });

  it('orders files as a tree, with folders of one folder joined', () => {
    const files = parseDiff(PATCH).slice(0, 1);
    const named = ['z.ts', 'src/core/b.ts', 'src/core/a.ts'].flatMap((path) =>
      files.map((file) => ({ ...file, path })),
    );
    const tree = fileTree(named);
    expect(tree.folders.map(({ name }) => name)).toEqual(['src/core']);
    expect(inTreeOrder(tree).map(({ path }) => path)).toEqual(['src/core/a.ts', 'src/core/b.ts', 'z.ts']);
  });
});

describe('showing a diff', () => {
  it('collapses lock files and long files by default, but not a file because of which work is held', () => {
    const long = `diff --git a/l.ts b/l.ts\n--- a/l.ts\n+++ b/l.ts\n@@ -0,0 +1,700 @@\n${'+x\n'.repeat(700)}`;
    const files = parseDiff(long);
    expect(diffRows(shown({ files })).map(({ row }) => row)).toEqual(['file', 'note']);
    expect(diffRows(shown({ files, toggled: new Set(['l.ts']) }))).toHaveLength(702);
    const held = diffRows(shown({ files, held: new Set(['l.ts']) }));
    expect(held).toHaveLength(702);
    expect(held.at(-1)).toMatchObject({ row: 'line', isHeld: true });
  });

  it('pairs deleted lines with their replacements', () => {
    const pairs = diffRows(shown({ layout: 'split' })).filter((row) => row.row === 'pair');
    expect(pairs.slice(0, 4).map(({ left, right }) => [left?.old, right?.new])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 4],
    ]);
  });

  it('shows a comment below its last line', () => {
    const [file] = parseDiff(PATCH);
    if (file === undefined) throw new Error('no file');
    const selection = { path: 'src/a.ts', side: 'old' as const, line: 2, endLine: 3 };
    const { comments } = withComment(NO_REVIEW, commentOn(file, selection, { id: '1', text: ' why? ' }));
    const rows = diffRows(shown({ comments }));
    const at = rows.findIndex(({ row }) => row === 'comment');
    expect(rows[at - 1]).toMatchObject({ row: 'line', line: { old: 3 } });
    expect(comments).toMatchObject([{ text: 'why?', quote: '-- a/fake.ts\ndiff --git a/fake b/fake', endLine: 3 }]);
  });

  it('splits highlighted tokens by line', () => {
    const root = { children: ['a ', { scope: 'keyword', children: ['if\n', { scope: 'string', children: ['x'] }] }] };
    expect(tokenLines(root)).toEqual([
      [
        { text: 'a ', scope: null },
        { text: 'if', scope: 'keyword' },
      ],
      [{ text: 'x', scope: 'string' }],
    ]);
  });
});

describe('a review', () => {
  const comment = { id: '4', path: 'a.ts', side: 'new' as const, line: 3, text: 'mend it' };

  it('removes a comment without text, and gives the next one a new id', () => {
    const review = withComment(NO_REVIEW, comment);
    expect(nextId(review)).toBe('5');
    expect(withComment(review, { ...comment, text: ' ' }).comments).toEqual([]);
  });

  it('is restored from storage, and empty if the stored text is invalid', () => {
    const review = withComment({ message: 'Look', comments: [] }, comment);
    expect(readReview(JSON.stringify(review))).toEqual(review);
    expect(readReview('{"message":1}')).toEqual(NO_REVIEW);
    expect(readReview('nonsense')).toEqual(NO_REVIEW);
    expect(readReview(JSON.stringify({ message: '', comments: [{ ...comment, line: -1 }, 7] })).comments).toEqual([]);
  });

  it('can be merged with unsent comments on earlier work', () => {
    const earlier = withComment({ message: 'Then', comments: [] }, comment);
    const joined = mergeReviews(
      withComment({ message: 'Now', comments: [] }, { ...comment, text: 'and this' }),
      earlier,
    );
    expect(joined.message).toBe('Now\n\nThen');
    expect(joined.comments.map(({ id, text }) => [id, text])).toEqual([
      ['4', 'and this'],
      ['5', 'mend it'],
    ]);
  });

  it('of a run is not an earlier one of its tasks, nor the other way round', () => {
    const [first, second] = ['a'.repeat(40), 'b'.repeat(40)];
    const [run, task] = ['manyhands review k3v', 'manyhands review k3v implement/1'];
    const keys = [`${run} ${first}`, `${run} ${second}`, `${task} ${first}`, `${task} ${second}`];
    expect(earlierKeys(keys, run, `${run} ${second}`)).toEqual([`${run} ${first}`]);
    expect(earlierKeys(keys, task, `${task} ${second}`)).toEqual([`${task} ${first}`]);
  });

  it('is sent without local ids', () => {
    const { id: _id, ...sent } = comment;
    expect(reviewMessage(withComment({ message: ' Look ', comments: [] }, comment))).toEqual({
      message: 'Look',
      comments: [sent],
    });
  });

  it('selects lines on one side of one file only', () => {
    const first = { path: 'a.ts', side: 'new' as const, line: 5, endLine: 5 };
    expect(spanned(first, { path: 'a.ts', side: 'new', line: 2 })).toEqual({ ...first, line: 2 });
    expect(spanned(first, { path: 'a.ts', side: 'old', line: 2 })).toMatchObject({ side: 'old', line: 2, endLine: 2 });
    expect(isIn({ ...first, line: 2 }, 'a.ts', { side: 'new', line: 3 })).toBe(true);
    expect(isIn(first, 'b.ts', { side: 'new', line: 5 })).toBe(false);
  });

  it('moves the cursor line by line across file and hunk headers', () => {
    const rows = diffRows(shown());
    const first = moved(rows, undefined, 1);
    expect(first).toEqual({ index: 2, side: 'new' });
    expect(moved(rows, first, -1)).toEqual(first);
    expect(rows[moved(rows, { index: 7, side: 'new' }, 1)?.index ?? 0]?.file.path).toBe('ü "x".ts');
  });
});

describe('marks of viewed files', () => {
  it('collapse a file until its changes differ', () => {
    const files = parseDiff(PATCH);
    const [first] = files;
    if (first === undefined) throw new Error('no file');
    const marks = { [first.path]: fingerprint(first) };
    expect([...viewedPaths(files, marks)]).toEqual([first.path]);
    const rows = diffRows(shown({ files, viewed: viewedPaths(files, marks) }));
    expect(rows[0]).toMatchObject({ row: 'file', isOpen: false, isViewed: true });
    expect(rows.filter((row) => row.row === 'line' && row.file === first)).toEqual([]);
    const changed = files.map((file) => ({ ...file, notes: [...file.notes, 'new mode 100755'] }));
    expect([...viewedPaths(changed, marks)]).toEqual([]);
  });
});
