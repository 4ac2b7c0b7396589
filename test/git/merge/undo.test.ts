import { expect, test } from 'vitest';
import { type LandedCommit, planUndo, type UndoPlan } from '../../../src/git/merge/undo.ts';
import { refreshMirror } from '../../../src/git/mirror/refresh.ts';
import { commit, type Sandbox, sandbox, shell } from '../sandbox.ts';

const LINES = Array.from({ length: 30 }, (_, index) => `line ${index}`);

function lines(...changed: number[]): string {
  return `${LINES.map((line, index) => (changed.includes(index) ? line.toUpperCase() : line)).join('\n')}\n`;
}

async function plan(box: Sandbox, base: string, landings: LandedCommit[]): Promise<UndoPlan> {
  await refreshMirror(box.mirror, box.repository);
  const onto = shell(box.user, 'rev-parse', 'main');
  return planUndo({ mirror: box.mirror, onto, landings, base, message: 'Revert', now: 0 });
}

function treeOf(box: Sandbox, plan: UndoPlan): string {
  if (plan.kind !== 'revert') throw new Error(`there is no revert: ${JSON.stringify(plan)}`);
  return shell(box.mirror.dir, 'ls-tree', '-r', '--name-only', plan.commit);
}

test("a run that landed twice is undone completely, and the user's commits in between and after are kept", async () => {
  const box = await sandbox();
  const base = commit(box.user, { 'lines.txt': lines() });
  shell(box.user, 'switch', '--quiet', '--create', 'run');
  const first = commit(box.user, { 'lines.txt': lines(3), 'one.txt': '1\n' });
  shell(box.user, 'switch', '--quiet', 'main');
  shell(box.user, 'merge', '--quiet', '--ff-only', 'run');
  const between = commit(box.user, { 'mine.txt': 'm\n' });
  shell(box.user, 'switch', '--quiet', 'run');
  const second = commit(box.user, { 'lines.txt': lines(3, 15), 'two.txt': '2\n' });
  shell(box.user, 'switch', '--quiet', 'main');
  shell(box.user, 'merge', '--quiet', '--no-ff', '--no-edit', 'run');
  const merge = shell(box.user, 'rev-parse', 'main');
  commit(box.user, { 'lines.txt': lines(3, 15, 27) });
  const undone = await plan(box, base, [
    { commit: first, tip: first, from: base },
    { commit: merge, tip: second, from: between },
  ]);
  expect(
    treeOf(box, undone)
      .split('\n')
      .filter((path) => /txt$/.test(path)),
  ).toEqual(expect.arrayContaining(['lines.txt', 'mine.txt']));
  expect(treeOf(box, undone)).not.toMatch(/one|two/);
  const text = undone.kind === 'revert' ? shell(box.mirror.dir, 'show', `${undone.commit}:lines.txt`) : '';
  expect(`${text.trimEnd()}\n`).toBe(lines(27));
});

test("without a record of the branch's previous commit, the base of the run is restored", async () => {
  const box = await sandbox();
  const base = shell(box.user, 'rev-parse', 'main');
  const tip = commit(box.user, { 'one.txt': '1\n' });
  for (const from of [undefined, tip]) {
    expect(await plan(box, base, [{ commit: tip, tip, from }])).toMatchObject({
      kind: 'revert',
      files: [{ path: 'one.txt', status: 'deleted' }],
    });
  }
});

test('a landing that differs from its record is not guessed', async () => {
  const box = await sandbox();
  const base = shell(box.user, 'rev-parse', 'main');
  const tip = commit(box.user, { 'one.txt': '1\n' });
  const onTop = commit(box.user, { 'mine.txt': 'm\n' });
  expect(await plan(box, base, [{ commit: onTop, tip, from: base }])).toEqual({ kind: 'unknown', commit: onTop });
  const gone = `${'0'.repeat(39)}1`;
  expect(await plan(box, base, [{ commit: gone, tip: gone, from: base }])).toEqual({ kind: 'gone' });
});

test('a new file that was renamed or edited since is a conflict', async () => {
  const box = await sandbox();
  const base = shell(box.user, 'rev-parse', 'main');
  const tip = commit(box.user, { 'one.txt': lines() });
  shell(box.user, 'mv', 'one.txt', 'renamed.txt');
  commit(box.user, {});
  const renamed = await plan(box, base, [{ commit: tip, tip, from: base }]);
  expect(renamed).toMatchObject({ kind: 'conflict', files: expect.arrayContaining(['renamed.txt']) });
});
