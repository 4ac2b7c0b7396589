import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commit, sandbox, shell, workspace, write } from './sandbox.ts';

const HAS_STRACE = spawnSync('strace', ['-V']).status === 0;
const CALLS = 'fsync,fdatasync,sync_file_range,rename,renameat,renameat2,link,linkat,write';
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
    const trace = join(box.dir, 'trace');
    const argument = JSON.stringify({ mirror: box.mirror, path, base: box.base, onto });
    const node = [process.execPath, '--experimental-strip-types', '--input-type=module', '-e', PROGRAM, argument];
    execFileSync('strace', ['-f', '-y', '-s', '64', '-e', `trace=${CALLS}`, '-o', trace, ...node], { stdio: 'pipe' });
    const calls = readFileSync(trace, 'utf8').split('\n');
    const end = calls.findIndex((line) => line.includes('"acknowledged"'));
    const flushed = calls.slice(0, end).filter((line) => /fsync\(|fdatasync\(|sync_file_range\(/.test(line));
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

function looseObjects(dir: string): string[] {
  return shell(dir, 'cat-file', '--batch-check', '--batch-all-objects').split('\n');
}
