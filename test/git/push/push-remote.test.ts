import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openMirror } from '../../../src/git/mirror/mirror.ts';
import { fetchFromRemote } from '../../../src/git/push/fetch-remote.ts';
import { pushToRemote } from '../../../src/git/push/push-remote.ts';
import { readRemote } from '../../../src/git/push/remote.ts';
import { inspectRepository } from '../../../src/git/read/repository.ts';
import { makeScratch } from '../../support/scratch.ts';

/** A repository with two commits, a third beside the second, its mirror, and an empty remote. */
async function makeFixture() {
  const scratch = await makeScratch({ files: { 'a.txt': '1\n' } });
  const remoteDir = join(scratch.root, 'remote.git');
  scratch.git('init', '--quiet', '--bare', remoteDir);
  scratch.git('remote', 'add', 'origin', remoteDir);
  const commit = (message: string) => scratch.git('commit', '--quiet', '--allow-empty', `--message=${message}`);
  const first = scratch.git('rev-parse', 'HEAD');
  commit('second');
  const second = scratch.git('rev-parse', 'HEAD');
  scratch.git('switch', '--quiet', '--create', 'side', first);
  commit('beside');
  const beside = scratch.git('rev-parse', 'HEAD');
  const repository = await inspectRepository(scratch.repo);
  const mirror = await openMirror({ dir: join(scratch.root, 'mirror.git'), repository });
  const remote = await readRemote(repository, 'origin');
  if (remote === undefined) throw new Error('there is a remote');
  const at = (branch: string) =>
    execFileSync('git', ['--git-dir', remoteDir, 'rev-parse', branch], { encoding: 'utf8' }).trim();
  const push = (to: string, isOurs = true) => pushToRemote({ mirror, remote, branch: 'work', commit: to, isOurs });
  return { scratch, repository, mirror, remote, remoteDir, first, second, beside, at, push };
}

describe('pushing to the remote of the user', () => {
  it('creates a branch, fast-forwards it, and recognizes a push that was already done', async () => {
    const { scratch, first, second, at, push } = await makeFixture();
    await using _ = scratch;
    expect([await push(first), at('work')]).toEqual([{ kind: 'pushed' }, first]);
    expect([await push(second, false), at('work')]).toEqual([{ kind: 'pushed' }, second]);
    expect(await push(second)).toEqual({ kind: 'pushed' });
  });

  it('resets only our own branch, and only from the commit that we pushed', async () => {
    const { scratch, remoteDir, first, second, beside, at, push } = await makeFixture();
    await using _ = scratch;
    await push(second);
    expect(await push(beside, false)).toMatchObject({ kind: 'refused', reason: 'moved' });
    expect([await push(beside), at('work')]).toEqual([{ kind: 'pushed' }, beside]);
    execFileSync('git', ['--git-dir', remoteDir, 'update-ref', 'refs/heads/work', second]);
    expect([await push(beside), at('work')]).toMatchObject([{ kind: 'refused', reason: 'moved' }, second]);
    expect(await push(first)).toMatchObject({ kind: 'refused', reason: 'moved' });
  });

  it("reports the remote's message when it refuses or is missing", async () => {
    const { scratch, mirror, remote, remoteDir, second, push } = await makeFixture();
    await using _ = scratch;
    execFileSync('git', ['--git-dir', remoteDir, 'config', 'transfer.hideRefs', 'refs/heads/work']);
    expect(await push(second)).toMatchObject({
      kind: 'refused',
      reason: 'rejected',
      detail: expect.stringMatching(/hidden/),
    });
    const gone = { ...remote, url: '/nowhere.git', pushUrl: '/nowhere.git' };
    expect(await pushToRemote({ mirror, remote: gone, branch: 'b', commit: second, isOurs: true })).toMatchObject({
      kind: 'refused',
      reason: 'unreachable',
    });
  });

  it('runs no hook of the user, and writes nothing to their repository', async () => {
    const { scratch, first, push } = await makeFixture();
    await using _ = scratch;
    scratch.git('config', 'core.hooksPath', scratch.root);
    execFileSync('sh', [
      '-c',
      `printf '#!/bin/sh\\ntouch "$HOME/ran"\\n' > "$0" && chmod +x "$0"`,
      join(scratch.root, 'pre-push'),
    ]);
    const before = await scratch.fingerprint();
    await push(first);
    expect([await scratch.fingerprint(), execFileSync('ls', [scratch.root], { encoding: 'utf8' })]).toEqual([
      before,
      expect.not.stringContaining('ran'),
    ]);
  });

  it('shows no credentials from an address', async () => {
    const { scratch, repository } = await makeFixture();
    await using _ = scratch;
    scratch.git('remote', 'set-url', 'origin', 'https://ann:hunter22@127.0.0.1:1/shop.git');
    const remote = await readRemote(repository, 'origin');
    expect(remote?.address).toBe('https://127.0.0.1:1/shop.git');
    expect(await readRemote(repository, 'upstream')).toBeUndefined();
  });

  it('fetches a ref, and reports a missing one', async () => {
    const { scratch, mirror, remote, first, push } = await makeFixture();
    await using _ = scratch;
    await push(first);
    const to = 'refs/manyhands/pulls/1/head';
    expect(await fetchFromRemote({ mirror, remote, from: 'refs/heads/work', to })).toEqual({
      kind: 'got',
      commit: first,
    });
    const missing = await fetchFromRemote({ mirror, remote, from: 'refs/pull/9/head', to });
    expect(missing).toMatchObject({ kind: 'refused', detail: expect.stringContaining('refs/pull/9/head') });
  });
});
