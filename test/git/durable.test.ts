import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createWorkspace } from '../../src/git/workspace/workspace.ts';
import { commit, sandbox, save, shell, workspace, write } from './sandbox.ts';

const HAS_STRACE = spawnSync('strace', ['-V']).status === 0;
const CALLS = 'fsync,fdatasync,sync_file_range,rename,renameat,renameat2,link,linkat,write';
const FLUSH = /fsync\(|fdatasync\(|sync_file_range\(/;
const SOURCES = join(import.meta.dirname, '../../src/git');

/** Saves a workspace and merges it, says so, and writes nothing else to its output. */
const PROGRAM = `
import { mergeCommits } from '${SOURCES}/merge/merge.ts';
import { writeRef } from '${SOURCES}/refs/mirror-refs.ts';
import { saveWorkspace } from '${SOURCES}/save/save.ts';
const { mirror, path, base, onto } = JSON.parse(process.argv[1]);
const ref = 'refs/manyhands/attempts/a/1';
const { commit } = await saveWorkspace({ mirror, path, ref, base, message: 'Work', exclude: [] });
const merged = await mergeCommits({ mirror, onto, theirs: commit, message: 'Merge', now: 0 });
await writeRef(mirror, { ref: 'refs/manyhands/runs/r', to: merged.commit, expected: null });
process.stdout.write('acknowledged');
`;

test.skipIf(!HAS_STRACE)(
  'every object and ref is flushed to the disk before the work is acknowledged as saved and merged',
  async () => {
    const box = await sandbox({ 'a/b.txt': '1' });
    const path = await workspace(box);
    const onto = commit(box.user, { 'a/other.txt': '1' });
    shell(box.mirror.dir, 'fetch', '-q', box.user, `${onto}:refs/test/onto`);
    const before = looseObjects(box.mirror.dir);
    write(path, { 'a/b.txt': '2', 'c/d.txt': '3' });
    const calls = traced(box.dir, PROGRAM, { mirror: box.mirror, path, base: box.base, onto });
    const flushed = calls.filter((line) => FLUSH.test(line));
    const made = looseObjects(box.mirror.dir).filter((name) => !before.includes(name));
    expect(made.length).toBeGreaterThanOrEqual(9);
    const objects = flushed.filter((line) => /tmp_obj_/.test(line));
    expect(objects.length).toBeGreaterThanOrEqual(made.length);
    // What git only wrote out is flushed by one file of the same file system after it.
    const written = flushed.findLastIndex((line) => line.includes('sync_file_range('));
    if (written >= 0) expect(flushed.findIndex((line) => line.includes('bulk_fsync'))).toBeGreaterThan(written);
    for (const ref of ['attempts/a/1', 'runs/r'])
      expect(flushed.some((line) => line.includes(`refs/manyhands/${ref}.lock`) && line.includes('fsync('))).toBe(true);
  },
);

/** Starts a merge in a workspace, and says so. */
const CONFLICT = `
import { layOutConflict } from '${SOURCES}/workspace/lay-out-conflict.ts';
await layOutConflict(JSON.parse(process.argv[1]));
process.stdout.write('acknowledged');
`;

test.skipIf(!HAS_STRACE)(
  'what the merge of a conflict writes is flushed, because a save does not write it again',
  async () => {
    const lines = (first: string, last: string) => [first, ...Array(20).fill('same'), last, ''].join('\n');
    const box = await sandbox({ 'a.txt': lines('1', '1'), 'b.txt': '1' });
    const side = async (name: string, files: Record<string, string>) => {
      const path = await workspace(box, name);
      write(path, files);
      return (await save(box, path)).commit;
    };
    const onto = await side('one', { 'a.txt': lines('2', '1'), 'b.txt': '2' });
    const theirs = await side('two', { 'a.txt': lines('1', '3'), 'b.txt': '3' });
    const path = join(box.dir, 'three');
    await createWorkspace({ mirror: box.mirror, path, commit: onto, branch: 'work' });
    const before = looseObjects(box.mirror.dir);
    const calls = traced(box.dir, CONFLICT, { mirror: box.mirror, path, onto, theirs });
    const made = looseObjects(box.mirror.dir).filter((name) => !before.includes(name));
    expect(made.length).toBeGreaterThanOrEqual(1);
    expect(calls.filter((line) => FLUSH.test(line) && /tmp_obj_/.test(line)).length).toBeGreaterThanOrEqual(
      made.length,
    );
  },
);

const REPLACE = `
import { replaceFile } from '${SOURCES}/plain-file.ts';
await replaceFile(process.argv[1].slice(1, -1), '[]');
process.stdout.write('acknowledged');
`;

test.skipIf(!HAS_STRACE)('a file that is replaced is flushed before it gets its name', async () => {
  const box = await sandbox();
  const calls = traced(box.dir, REPLACE, join(box.dir, 'list'));
  const flushed = calls.findIndex((line) => FLUSH.test(line) && line.includes('list.new'));
  const renamed = calls.findIndex((line) => line.includes('rename') && line.includes('list.new'));
  expect(flushed).toBeGreaterThanOrEqual(0);
  expect(renamed).toBeGreaterThan(flushed);
});

/** The system calls of a program up to its acknowledgement. */
function traced(dir: string, program: string, argument: unknown): string[] {
  const trace = join(dir, 'trace');
  const node = [process.execPath, '--experimental-strip-types', '--input-type=module', '-e', program];
  const strace = ['-f', '-y', '-s', '64', '-e', `trace=${CALLS}`, '-o', trace];
  execFileSync('strace', [...strace, ...node, JSON.stringify(argument)], { stdio: 'pipe' });
  const calls = readFileSync(trace, 'utf8').split('\n');
  return calls.slice(
    0,
    calls.findIndex((line) => line.includes('"acknowledged"')),
  );
}

function looseObjects(dir: string): string[] {
  return shell(dir, 'cat-file', '--batch-check', '--batch-all-objects').split('\n');
}
