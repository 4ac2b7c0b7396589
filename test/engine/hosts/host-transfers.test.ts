import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HostTransfers } from '../../../src/engine/hosts/host-transfers.ts';
import type { Mirror } from '../../../src/git/mirror/mirror.ts';
import { objectRef, openBareMirror } from '../../../src/git/push/transfer.ts';
import { readRef, writeRef } from '../../../src/git/refs/mirror-refs.ts';
import { realWorld } from '../../../src/world.ts';

const NEVER = new AbortController().signal;

let folder: string;
let url: string;
let mirror: Mirror;
let transfers: HostTransfers;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mh-host-transfers-'));
  url = join(folder, 'hosts.git');
  execFileSync('git', ['init', '--quiet', '--bare', url]);
  // Each push is a line, with its refs.
  writeFileSync(join(folder, 'pushes'), '');
  const hook = join(url, 'hooks', 'pre-receive');
  writeFileSync(hook, `#!/bin/sh\nsed 's/.* //' | tr '\\n' ' ' >> ${folder}/pushes\necho >> ${folder}/pushes\n`);
  chmodSync(hook, 0o755);
  mirror = await openBareMirror(join(folder, 'mirror.git'), 'sha1');
  transfers = new HostTransfers(realWorld);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('The orders of a host', () => {
  it('push their work together while another push runs', async () => {
    const commit = commitIn(mirror.dir, 'work');
    const refs = ['a', 'b', 'c', 'd'].map((name) => `refs/manyhands/attempts/${name}/1`);
    for (const ref of refs) await writeRef(mirror, { ref, to: commit, expected: null });
    const pushed = await Promise.all(refs.map((ref) => push(ref)));
    expect(pushed.map(({ kind }) => kind)).toEqual(['done', 'done', 'done', 'done']);
    const [first, ...rest] = refs;
    expect(pushesOf()).toEqual([[first], rest]);
  });

  it('are not kept from pushing by one whose work is refused, or that was stopped', async () => {
    const commit = commitIn(mirror.dir, 'work');
    const refs = ['a', 'b', 'c'].map((name) => `refs/manyhands/attempts/${name}/1`);
    for (const ref of refs) await writeRef(mirror, { ref, to: commit, expected: null });
    git(url, 'update-ref', refs[1] ?? '', commitIn(url, 'other work'));
    const stop = new AbortController();
    const running = [...refs, 'refs/manyhands/attempts/stopped/1'].map((ref) =>
      push(ref, ref.includes('stopped') ? stop.signal : NEVER).then(
        ({ kind }) => kind,
        () => 'stopped',
      ),
    );
    stop.abort();
    expect(await Promise.all(running)).toEqual(['done', 'refused', 'done', 'stopped']);
  });

  it('fetch the commit that several of them need', async () => {
    const commits = ['one', 'two'].map((text) => commitIn(url, text));
    for (const commit of commits) git(url, 'update-ref', objectRef(commit), commit);
    const [one = '', two = ''] = commits;
    const needed = [[one], [one], [one, two], [two], []];
    const fetched = await Promise.all(needed.map((each) => transfers.fetch({ mirror, url, signal: NEVER }, each)));
    expect(fetched).toEqual(needed.map(() => ({ kind: 'done' })));
    for (const commit of commits) expect(await readRef(mirror, objectRef(commit))).toBe(commit);
    const missing = 'f'.repeat(40);
    const some = await Promise.all(
      [[one], [missing]].map((each) => transfers.fetch({ mirror, url, signal: NEVER }, each)),
    );
    expect(some.map(({ kind }) => kind)).toEqual(['done', 'refused']);
  });
});

function push(ref: string, signal = NEVER): ReturnType<HostTransfers['push']> {
  return transfers.push({ mirror, url, signal }, ref.slice(0, ref.lastIndexOf('/') + 1));
}

function pushesOf(): string[][] {
  const lines = readFileSync(join(folder, 'pushes'), 'utf8').trim().split('\n');
  return lines.map((line) => line.trim().split(' ').sort());
}

function git(dir: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Ann', '-c', 'user.email=a@example.org'];
  return execFileSync('git', ['-C', dir, ...identity, ...args], { encoding: 'utf8', input: '' }).trim();
}

function commitIn(dir: string, message: string): string {
  return git(dir, 'commit-tree', git(dir, 'mktree'), '-m', message);
}
