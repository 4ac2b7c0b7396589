import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { removalsEnded, removeLater, removeMatching } from '../../src/process/remove-later.ts';

const OTHER_FILE_SYSTEM = '/dev/shm';
const CAN_MOUNT = canMount();

const folder = mkdtempSync(join(tmpdir(), 'remove-later-'));
const removing = join(folder, 'removing');
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(async () => {
  await removalsEnded(removing);
  rmSync(removing, { recursive: true, force: true });
});

/** Whether this user may mount a file system. */
function canMount(): boolean {
  const place = mkdtempSync(join(tmpdir(), 'remove-later-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', place], { stdio: 'ignore' });
    execFileSync('umount', [place]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(place, { recursive: true });
  }
}

function makeTree(path: string, files = 3): string {
  mkdirSync(join(path, 'deep'), { recursive: true });
  for (let index = 0; index < files; index += 1) writeFileSync(join(path, 'deep', `file-${index}`), 'x');
  return path;
}

describe('a removed folder', () => {
  it('is gone at once and deleted by another process', async () => {
    const path = makeTree(join(folder, 'one'));
    await removeLater(path, removing);
    expect(existsSync(path)).toBe(false);
    await removalsEnded(removing);
    expect(readdirSync(removing)).toEqual([]);
  });

  it('that does not exist is no error', async () => {
    await removeLater(join(folder, 'missing'), removing);
    expect(readdirSync(removing)).toEqual([]);
  });

  it('that is read-only, or has odd names and links, is deleted without what the links name', async () => {
    const outside = makeTree(join(folder, 'outside'));
    const path = makeTree(join(folder, 'odd'));
    for (const name of ['-rf', 'new\nline', '*']) writeFileSync(join(path, name), 'x');
    symlinkSync(outside, join(path, 'link'));
    execFileSync('chmod', ['-R', 'a-w', path]);
    await removeLater(path, removing);
    await removalsEnded(removing);
    expect([existsSync(path), readdirSync(removing)]).toEqual([false, []]);
    expect(readdirSync(join(outside, 'deep'))).toHaveLength(3);
  });

  it.skipIf(!existsSync(OTHER_FILE_SYSTEM) || lstatSync(OTHER_FILE_SYSTEM).dev === lstatSync(tmpdir()).dev)(
    'on another file system is renamed there, and the folder has a link to it',
    async () => {
      const other = mkdtempSync(join(OTHER_FILE_SYSTEM, 'remove-later-'));
      await removeLater(makeTree(join(other, 'one')), removing);
      expect(existsSync(join(other, 'one'))).toBe(false);
      await removalsEnded(removing);
      expect([readdirSync(other), readdirSync(removing)]).toEqual([[], []]);
      rmSync(other, { recursive: true });
    },
  );

  it('that a program replaced by a link is only the link, whatever it names', async () => {
    const precious = makeTree(join(folder, 'precious.removing-1'));
    const path = join(folder, 'replaced');
    symlinkSync(precious, path);
    await removeLater(path, removing);
    await removalsEnded(removing);
    expect([readdirSync(removing), readdirSync(join(precious, 'deep')).length]).toEqual([[], 3]);
  });
});

describe('what a program mounted in a removed folder', () => {
  it.skipIf(!CAN_MOUNT)('keeps its files and their rights', async () => {
    const path = makeTree(join(folder, 'with-mount'));
    const mounted = join(path, 'deep', 'mounted');
    mkdirSync(mounted);
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', mounted]);
    const inside = () => join(removing, readdirSync(removing)[0] ?? '', 'deep', 'mounted');
    try {
      writeFileSync(join(mounted, 'key'), 'secret', { mode: 0o400 });
      mkdirSync(join(mounted, 'private'), { mode: 0o500 });
      await removeLater(path, removing);
      await removalsEnded(removing);
      const modes = ['key', 'private'].map((name) => lstatSync(join(inside(), name)).mode & 0o777);
      expect(modes).toEqual([0o400, 0o500]);
    } finally {
      execFileSync('umount', [existsSync(mounted) ? mounted : inside()]);
    }
  });
});

describe('a link in the folder of removals', () => {
  it('that names no removed folder is only removed itself', async () => {
    const precious = makeTree(join(folder, 'precious'));
    mkdirSync(removing);
    symlinkSync(precious, join(removing, 'x.beside'));
    await removeLater(makeTree(join(folder, 'any')), removing);
    await removalsEnded(removing);
    expect([readdirSync(removing), readdirSync(join(precious, 'deep')).length]).toEqual([[], 3]);
  });
});

describe('what a killed remover left', () => {
  it('is deleted with the next removal', async () => {
    makeTree(join(removing, 'left'));
    await removeLater(makeTree(join(folder, 'next')), removing);
    await removalsEnded(removing);
    expect(readdirSync(removing)).toEqual([]);
  });

  it('is taken from where an engine did not complete it', async () => {
    for (const name of ['a.making-1', 'b.removing-2', 'c']) makeTree(join(folder, 'unfinished', name));
    await removeMatching(join(folder, 'unfinished'), /\.(making|removing)-/, removing);
    expect(readdirSync(join(folder, 'unfinished'))).toEqual(['c']);
    await removeMatching(join(folder, 'missing'), /./, removing);
  });
});

it('the deletion neither keeps the process that removed alive nor ends with it', async () => {
  const path = makeTree(join(folder, 'large'), 300);
  const module = new URL('../../src/process/remove-later.ts', import.meta.url).href;
  const program = `const { removeLater } = await import(${JSON.stringify(module)}); await removeLater(${JSON.stringify(path)}, ${JSON.stringify(removing)}); process.kill(process.pid, 'SIGKILL');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' });
  const [, signal] = await once(child, 'exit');
  expect([signal, existsSync(path)]).toEqual(['SIGKILL', false]);
  await expect.poll(() => readdirSync(removing), { timeout: 20_000 }).toEqual([]);
});
