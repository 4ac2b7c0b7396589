import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hostProjectFolder } from '../../../src/engine/hosts/host-project.ts';
import { openBareMirror } from '../../../src/git/push/transfer.ts';
import { realWorld } from '../../../src/world.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mh-host-project-'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

it('The folder of a project on a host keeps its time while orders use it, and gets a new one after hours', async () => {
  const mirror = await openBareMirror(join(root, 'mirror.git'), 'sha1');
  const identity = ['-c', 'user.name=Ann', '-c', 'user.email=a@example.org'];
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', mirror.dir, ...identity, ...args], { encoding: 'utf8', input: '' }).trim();
  const base = git('commit-tree', git('mktree'), '-m', 'base');
  const home = { root, removing: join(root, 'removing') };
  const open = () => hostProjectFolder({ home, world: realWorld }, { id: 'p', mirror, base });
  const folder = await open();
  const setAge = (ms: number) => utimesSync(folder, new Date(Date.now() - ms), new Date(Date.now() - ms));
  setAge(60_000);
  const { mtimeMs } = statSync(folder);
  // The list of its ignored files is known as long as this does not change.
  expect(await open()).toBe(folder);
  expect(statSync(folder).mtimeMs).toBe(mtimeMs);
  setAge(3 * 3_600_000);
  await open();
  expect(statSync(folder).mtimeMs).toBeGreaterThan(mtimeMs);
});
