import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Mirror } from '../../src/git/mirror/mirror.ts';

export type Files = Record<string, { mode: string; content: string }>;

/** A commit to make; its parents are positions of earlier ones. */
export type Planned = { files: Files; parents?: readonly number[] };

const NAMES = ['a', 'a.b', 'a-b', 'é', 'x y', 'a0'];
const MODES = ['100644', '100755', '120000'];
const PATH = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));

/** Contents of several lines, so that a file that is moved and changed can be recognized. */
export const CONTENTS = ['1', '2', '3'].map((text) => `${text} is a line\n`.repeat(5));

/** Files of a commit: some with similar names, so that folders and files sort differently. */
export const FILES = fc
  .dictionary(PATH, fc.record({ mode: fc.constantFrom(...MODES), content: fc.constantFrom(...CONTENTS) }), {
    minKeys: 1,
    maxKeys: 12,
  })
  .map(withoutCollisions);

/** A path that is a folder of another one cannot be a file. */
export function withoutCollisions(files: Files): Files {
  const isFolder = (path: string) => Object.keys(files).some((other) => other.startsWith(`${path}/`));
  return Object.fromEntries(Object.entries(files).filter(([path]) => !isFolder(path)));
}

/** Makes all these commits in a mirror by one git process and returns their ids. */
export function importCommits(mirror: Mirror, planned: readonly Planned[]): string[] {
  const marks = join(mirror.dir, 'test-marks');
  const text = planned.map(({ files, parents = [] }, index) =>
    [
      `commit refs/test/c${index}`,
      `mark :${index + 1}`,
      'committer A <a@example.org> 0 +0000',
      'data 1\nx',
      ...parents.map((parent, at) => `${at === 0 ? 'from' : 'merge'} :${parent + 1}`),
      'deleteall',
      ...Object.entries(files).map(
        ([path, { mode, content }]) => `M ${mode} inline "${path}"\ndata ${Buffer.byteLength(content)}\n${content}`,
      ),
      '',
    ].join('\n'),
  );
  execFileSync('git', ['fast-import', '--quiet', `--export-marks=${marks}`], { cwd: mirror.dir, input: text.join('') });
  const ids = new Map<string, string>();
  for (const line of readFileSync(marks, 'utf8').split('\n')) {
    const [mark = '', oid = ''] = line.split(' ');
    ids.set(mark, oid);
  }
  return planned.map((_, index) => ids.get(`:${index + 1}`) ?? '');
}
