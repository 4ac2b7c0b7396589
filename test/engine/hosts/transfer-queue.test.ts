import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TransferQueue } from '../../../src/engine/hosts/transfer-queue.ts';
import type { Mirror } from '../../../src/git/mirror/mirror.ts';
import { fetchRefs, openBareMirror } from '../../../src/git/push/transfer.ts';
import { readRef } from '../../../src/git/refs/mirror-refs.ts';
import { realWorld } from '../../../src/world.ts';

const NEVER = new AbortController().signal;

let folder: string;
let url: string;
let mirror: Mirror;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mh-transfer-queue-'));
  url = join(folder, 'hosts.git');
  execFileSync('git', ['init', '--quiet', '--bare', url]);
  mirror = await openBareMirror(join(folder, 'mirror.git'), 'sha1');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('The fetches of saved work', () => {
  it('are made together while one runs, and alone where one is refused', async () => {
    const work = ['a', 'b', 'c'].map((name) => ({ name, commit: save(name, git('mktree')) }));
    save('bad', badTree());
    const fetched: string[][] = [];
    const shared = new TransferQueue((prefixes, signal) => {
      fetched.push(prefixes.map((prefix) => prefix.split('/')[3] ?? ''));
      return fetchRefs({ mirror, url, signal }, prefixes);
    }, realWorld);
    const results = await Promise.all(
      ['a', 'b', 'bad', 'c', 'none'].map((name) => shared.transfer(prefixOf(name), NEVER)),
    );
    expect(fetched).toEqual([['a'], ['b', 'bad', 'c', 'none'], ['b'], ['bad'], ['c'], ['none']]);
    expect(results.map(({ kind }) => kind)).toEqual(['done', 'done', 'refused', 'done', 'done']);
    for (const { name, commit } of work) expect(await readRef(mirror, `${prefixOf(name)}1`)).toBe(commit);
    expect(await readRef(mirror, `${prefixOf('bad')}1`)).toBeUndefined();
  });

  it('report an object that git refuses as refused, and a repository that is away as one to wait for', async () => {
    save('bad', badTree());
    const refused = await fetchRefs({ mirror, url }, [prefixOf('bad')]);
    expect(refused).toMatchObject({
      kind: 'refused',
      reason: 'rejected',
      detail: expect.stringContaining('hasDotgit'),
    });
    const away = await fetchRefs({ mirror, url: join(folder, 'away.git') }, [prefixOf('bad')]);
    expect(away).toMatchObject({ kind: 'refused', reason: 'unreachable' });
  });
});

function prefixOf(name: string): string {
  return `refs/manyhands/attempts/${name}/`;
}

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=Ann', '-c', 'user.email=a@example.org'];
  return execFileSync('git', ['-C', url, ...identity, ...args], { encoding: 'utf8', input: '' }).trim();
}

function save(name: string, tree: string): string {
  const commit = git('commit-tree', tree, '-m', name);
  git('update-ref', `${prefixOf(name)}1`, commit);
  return commit;
}

/** A tree with an entry that would be written into the folder of git. */
function badTree(): string {
  const blob = git('hash-object', '-w', '--stdin');
  const input = Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(blob, 'hex')]);
  const make = ['-C', url, 'hash-object', '-t', 'tree', '-w', '--literally', '--stdin'];
  return execFileSync('git', make, { encoding: 'utf8', input }).trim();
}
