import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../../errors.ts';
import { crashpoint, realWorld, type World } from '../../world.ts';
import { git } from '../git.ts';
import { exists } from '../path-kind.ts';
import { isRefName } from '../refs/refs.ts';
import { describeError, exchange, type FromMirror, type Remote } from './remote.ts';

const TIMEOUT_MS = 1_800_000;
const READ_TIMEOUT_MS = 60_000;
const FETCH = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--prune',
  '--no-auto-maintenance',
  '--no-write-fetch-head',
  '--refmap=',
];
const BRANCHES = '+refs/heads/*:refs/remotes/origin/*';

export type RemoteClone = { dir: string; url: string; signal?: AbortSignal };

/** Clones a repository of which only the URL is known, with its default branch checked out; a finished clone is left as it is. */
export async function cloneRemote(clone: RemoteClone, world: World = realWorld): Promise<void> {
  const { dir, url } = clone;
  if (await exists(join(dir, '.git'))) return;
  const temporary = `${dir}.making-${world.token()}`;
  await mkdir(dirname(dir), { recursive: true, mode: 0o700 });
  crashpoint('clone.making');
  try {
    await git(['init', '--quiet', '--template=', temporary], { cwd: dirname(dir) });
    await git(['config', 'remote.origin.url', url], { cwd: temporary });
    await git(['config', 'remote.origin.fetch', BRANCHES], { cwd: temporary });
    await updateClone({ ...clone, dir: temporary });
    await rename(temporary, dir);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    // Another process may have finished the same clone.
    if (!(await exists(join(dir, '.git')))) throw error;
  }
  crashpoint('clone.made');
}

/** Fetches the branches of the remote, and moves the checked out default branch forward; commits that only this clone has stay. */
export async function updateClone(clone: RemoteClone): Promise<void> {
  const { dir, url } = clone;
  const from = fromClone(clone);
  const branch = await defaultBranch(from, url);
  const fetched = await exchange(from, ['-c', 'fetch.fsckObjects=true', ...FETCH, url, BRANCHES], TIMEOUT_MS);
  if (fetched.kind === 'refused') throw failed(url, fetched.detail);
  if (fetched.code !== 0) throw failed(url, describeError(fetched.stderr, from.remote));
  const [there, here] = [`refs/remotes/origin/${branch}`, `refs/heads/${branch}`];
  const known = await git(['rev-parse', '--verify', '--quiet', here], { cwd: dir, allow: [0, 1] });
  if (known.code === 0) {
    const behind = await git(['merge-base', '--is-ancestor', here, there], { cwd: dir, allow: [0, 1] });
    if (behind.code !== 0) return;
  }
  await git(['symbolic-ref', 'HEAD', here], { cwd: dir });
  await git(['reset', '--quiet', '--hard', there], { cwd: dir, timeoutMs: TIMEOUT_MS });
}

async function defaultBranch(from: FromMirror, url: string): Promise<string> {
  const listed = await exchange(from, ['ls-remote', '--symref', url, 'HEAD'], READ_TIMEOUT_MS);
  if (listed.kind === 'refused') throw failed(url, listed.detail);
  const ref = /^ref: (refs\/heads\/\S+)\tHEAD$/m.exec(listed.stdout)?.[1];
  if (ref === undefined || !isRefName(ref)) throw failed(url, 'it has no default branch with a commit');
  return ref.slice('refs/heads/'.length);
}

function failed(url: string, detail: string): AppError {
  return new AppError('REMOTE_UNREADABLE', `${withoutName(url)} cannot be read: ${detail}`, { url: withoutName(url) });
}

function fromClone({ dir, url, signal }: RemoteClone): FromMirror {
  const remote: Remote = { name: 'origin', url, pushUrl: url, address: withoutName(url), connection: [] };
  return { mirror: { dir: join(dir, '.git') }, remote, ...(signal === undefined ? {} : { signal }) };
}

function withoutName(url: string): string {
  return url.replace(/^([a-z+]+:\/\/)[^@/]*@/i, '$1');
}
