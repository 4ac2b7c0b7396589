import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { mergeCommits } from '../../../src/git/merge/merge.ts';
import { maintainMirror } from '../../../src/git/mirror/maintain-mirror.ts';
import { refreshMirror } from '../../../src/git/mirror/refresh.ts';
import { objectSize, readCommit, readTree } from '../../../src/git/read/objects.ts';
import { readRef, writeRef } from '../../../src/git/refs/mirror-refs.ts';
import { listProcesses } from '../../../src/process/list-processes.ts';
import { TESTS_ALL } from '../../support/variants.ts';
import { commit, type Sandbox, sandbox, shell } from '../sandbox.ts';

const ROUNDS = TESTS_ALL ? 40 : 5;

test('a commit and a tree are read as git shows them, whatever bytes a name has', async () => {
  const box = await sandbox({ 'a.txt': '1', 'é/b c': '2' });
  const { tree, parents } = await readCommit(box.mirror, box.base);
  expect([tree, parents]).toEqual([shell(box.user, 'rev-parse', 'HEAD^{tree}'), []]);
  const names = (await readTree(box.mirror, tree)).map(({ mode, name, oid }) => [
    mode.padStart(6, '0'),
    oid,
    Buffer.from(name, 'latin1').toString('utf8'),
  ]);
  const listed = shell(box.user, '-c', 'core.quotePath=false', 'ls-tree', 'HEAD').split('\n');
  expect(names.map(([mode, oid, name]) => `${mode} ${oid} ${name}`)).toEqual(
    listed.map((line) => line.replace(/^(\d+) \w+ (\w+)\t/, '$1 $2 ')),
  );
  await expect(readCommit(box.mirror, '0'.repeat(40))).rejects.toMatchObject({ code: 'GIT_FAILED' });
  await expect(readCommit(box.mirror, tree)).rejects.toMatchObject({ code: 'GIT_FAILED' });
});

test('the size of an object is known, and is zero where there is none', async () => {
  const box = await sandbox({ 'a.txt': '12345\n' });
  expect(await objectSize(box.mirror, shell(box.user, 'rev-parse', 'HEAD:a.txt'))).toBe(6);
  expect(await objectSize(box.mirror, '0'.repeat(40))).toBe(0);
});

test('objects are found after they were packed and their old files deleted, and new ones at once', async () => {
  const box = await sandbox();
  await readCommit(box.mirror, box.base);
  const made: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    for (const name of ['x', 'y']) made.push(commit(box.user, { [name]: `${round}` }));
    await refreshMirror(box.mirror, box.repository);
    if (round === 1) shell(box.mirror.dir, 'repack', '-a', '-d', '-q');
    if (round === 2) await maintainMirror(box.mirror);
    for (const each of made) expect((await readCommit(box.mirror, each)).parents).toHaveLength(1);
  }
});

test('git processes that wait for requests are killed at odd moments, and every merge and every ref is right', async () => {
  const box = await sandbox({ 'a.txt': '1' });
  let tip = commit(box.user, { 'b.txt': '1' });
  await refreshMirror(box.mirror, box.repository);
  const ref = 'refs/manyhands/tip';
  for (const [round, theirs] of branchesOf(box, ROUNDS).entries()) {
    const killing = setInterval(() => killWaiting(box, '--batch-command'), 1 + (round % 4));
    const merged = await mergeCommits({ mirror: box.mirror, onto: tip, theirs, message: 'Merge', now: 0 });
    clearInterval(killing);
    if (merged.kind !== 'merged') throw new Error(merged.kind);
    const writing = writeRef(box.mirror, { ref, to: merged.commit, expected: round === 0 ? null : tip });
    const killed = round % 2 === 0 ? undefined : pause(round % 5).then(() => killWaiting(box, '--stdin'));
    expect(await writing).toBe(true);
    // A process that is killed each time that it is started again cannot write.
    await killed;
    expect(await writeRef(box.mirror, { ref, to: theirs, expected: tip })).toBe(false);
    expect(await readRef(box.mirror, ref)).toBe(merged.commit);
    tip = merged.commit;
  }
  const files = shell(box.mirror.dir, 'ls-tree', '--name-only', tip).split('\n');
  expect(files).toEqual(['a.txt', 'b.txt', ...Array.from({ length: ROUNDS }, (_, index) => `n${index}`)].sort());
  expect(shell(box.mirror.dir, 'fsck', '--strict')).not.toMatch(/error|missing/);
});

/** Commits that each add a file to the base, in the mirror. */
function branchesOf(box: Sandbox, count: number): string[] {
  const blob = shell(box.mirror.dir, 'rev-parse', `${box.base}:a.txt`);
  const lines = Array.from({ length: count }, (_, index) =>
    [
      `commit refs/test/${index}`,
      'committer A <a@example.org> 0 +0000',
      'data 1\nx',
      `from ${box.base}`,
      `M 100644 ${blob} n${index}\n`,
    ].join('\n'),
  );
  execFileSync('git', ['fast-import', '--quiet'], { cwd: box.mirror.dir, input: lines.join('\n') });
  return shell(box.mirror.dir, 'for-each-ref', '--format=%(objectname)', '--sort=version:refname', 'refs/test').split(
    '\n',
  );
}

function killWaiting({ mirror }: Sandbox, option: string): void {
  for (const { pid } of listProcesses().entries) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      if (command.includes(`--git-dir=${mirror.dir}\0`) && command.includes(option)) process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}
