import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { AppError } from '../../errors.ts';
import { crashpoint, realWorld, type World } from '../../world.ts';
import { git } from '../git.ts';
import {
  type Mirror,
  mirrorConfig,
  openStoredMirror,
  privateFolder,
  requireUnmodified,
} from '../mirror/mirror-config.ts';
import { withMutex } from '../mutex.ts';
import { isOid, isRefName } from '../refs/refs.ts';
import { describeError, exchange, type FromMirror, type Remote, type RemoteRefusal } from './remote.ts';

/** An exchange with the repository through which machines pass commits to each other. */
export type Transfer = {
  mirror: Mirror;
  url: string;
  /** What the repository of a server asks for; sent to this URL alone. */
  token?: string | undefined;
  signal?: AbortSignal;
};

export type Transferred = { kind: 'done' } | RemoteRefusal;

const TIMEOUT_MS = 1_800_000;
/** A server on whose connection nothing moves is given up; longer than ours lets a transfer wait for its turn. */
const STUCK: Remote['connection'] = [
  ['http.lowSpeedLimit', '1'],
  ['http.lowSpeedTime', '120'],
];
const PUSH = ['push', '--porcelain', '--no-verify', '--no-follow-tags', '--no-signed', '--atomic'];
const FETCH = ['fetch', '--quiet', '--no-tags', '--no-auto-maintenance', '--no-write-fetch-head', '--refmap='];

/** Pushes commits, each under a ref of its own name: one that is there already costs nothing. */
export async function pushCommits(transfer: Transfer, commits: readonly string[]): Promise<Transferred> {
  const wrong = commits.find((commit) => !isOid(commit));
  if (wrong !== undefined) throw new AppError('INTERNAL', `${wrong} is not a commit id`, { wrong });
  return push(
    transfer,
    commits.map((commit) => `${commit}:${objectRef(commit)}`),
  );
}

/** Pushes every ref below prefixes of ours, all or none; refs are added, never moved or deleted. */
export async function pushRefs(transfer: Transfer, prefixes: readonly string[]): Promise<Transferred> {
  const refspecs = prefixes.map((prefix) => `${requirePrefix(prefix)}*:${prefix}*`);
  return push(transfer, refspecs, withoutMaintenance(transfer));
}

/** Pushes every ref below a prefix of ours to another one. */
export async function pushRefsTo(transfer: Transfer, prefix: string, to: string): Promise<Transferred> {
  return push(transfer, [`${requirePrefix(prefix)}*:${requirePrefix(to)}*`]);
}

/** Fetches commits that were pushed by `pushCommits`. */
export async function fetchCommits(transfer: Transfer, commits: readonly string[]): Promise<Transferred> {
  return fetchInto(
    transfer,
    commits.map((commit) => `+${objectRef(commit)}:${objectRef(commit)}`),
  );
}

/** Fetches every ref below prefixes of ours. */
export async function fetchRefs(transfer: Transfer, prefixes: readonly string[]): Promise<Transferred> {
  return fetchInto(
    transfer,
    prefixes.map((prefix) => `${requirePrefix(prefix)}*:${prefix}*`),
  );
}

/** Fetches the work that hosts saved for runs. */
export async function fetchAttempts(transfer: Transfer, runs: readonly string[]): Promise<Transferred> {
  const all = runs.map((run) => requirePrefix(`refs/manyhands/attempts/${run}/`).slice(0, -1));
  return fetchInto(
    transfer,
    all.map((each) => `${each}-*:${each}-*`),
  );
}

/** Fetches a single ref of ours. */
export async function fetchRef(transfer: Transfer, ref: string): Promise<Transferred> {
  requirePrefix(`${ref}/`);
  return fetchInto(transfer, [`+${ref}:${ref}`]);
}

/** The mirror of a project on a machine that does not have its repository: at first empty. */
export async function openBareMirror(
  dir: string,
  objectFormat: Mirror['objectFormat'],
  world: World = realWorld,
): Promise<Mirror> {
  return (await openStoredMirror(dir)) ?? withMutex(`open ${dir}`, () => openOrCreate(dir, objectFormat, world));
}

async function openOrCreate(dir: string, objectFormat: Mirror['objectFormat'], world: World): Promise<Mirror> {
  const stored = await openStoredMirror(dir);
  if (stored !== undefined) return stored;
  const mirror: Mirror = { dir, objectFormat, config: mirrorConfig(objectFormat, undefined) };
  const temporary = `${dir}.making-${world.token()}`;
  await mkdir(dirname(dir), { recursive: true, mode: 0o700 });
  crashpoint('mirror.creating');
  await git(['init', '--quiet', '--bare', '--template=', `--object-format=${objectFormat}`, temporary], {
    cwd: dirname(dir),
  });
  await writeFile(join(temporary, 'config'), mirror.config, { mode: 0o600 });
  await mkdir(privateFolder({ dir: temporary }), { recursive: true, mode: 0o700 });
  await rename(temporary, dir).catch(async (error: unknown) => {
    await rm(temporary, { recursive: true, force: true });
    if ((await openStoredMirror(dir)) === undefined) throw error;
  });
  crashpoint('mirror.created');
  return mirror;
}

/** A repository that is a folder would look after each push whether it is to be packed: the pushes of commits are enough for that. */
function withoutMaintenance({ url }: Transfer): string[] {
  return isAbsolute(url) ? ['--receive-pack=git -c receive.autogc=false receive-pack'] : [];
}

async function push(
  transfer: Transfer,
  refspecs: readonly string[],
  options: readonly string[] = [],
): Promise<Transferred> {
  await requireUnmodified(transfer.mirror);
  crashpoint('transfer.pushing');
  const from = fromMirror(transfer);
  const result = await exchange(from, [...PUSH, ...options, transfer.url, ...refspecs], TIMEOUT_MS);
  crashpoint('transfer.pushed');
  return outcomeOf(result, from.remote);
}

async function fetchInto(transfer: Transfer, refspecs: readonly string[]): Promise<Transferred> {
  await requireUnmodified(transfer.mirror);
  crashpoint('transfer.fetching');
  const from = fromMirror(transfer);
  // The other machine may be compromised: what it pushed is verified before it is used.
  const args = ['-c', 'fetch.fsckObjects=true', ...FETCH, transfer.url, ...refspecs];
  const result = await exchange(from, args, TIMEOUT_MS);
  crashpoint('transfer.fetched');
  return outcomeOf(result, from.remote);
}

function outcomeOf(result: Awaited<ReturnType<typeof exchange>>, remote: Remote): Transferred {
  if (result.kind === 'refused') return result;
  if (result.code === 0) return { kind: 'done' };
  const lines = result.stdout.split('\n').filter((line) => line.startsWith('!'));
  const detail = [...lines.map((line) => line.slice(2)), describeError(result.stderr, remote)].join('\n').trim();
  return { kind: 'refused', reason: 'rejected', detail };
}

function fromMirror({ mirror, url, token, signal }: Transfer): FromMirror {
  const address = url.replace(/^([a-z+]+:\/\/)[^@/]*@/i, '$1');
  const login: Remote['connection'] =
    token === undefined
      ? []
      : [
          [`http.${url}.extraHeader`, `Authorization: Bearer ${token}`],
          ['http.followRedirects', 'false'],
        ];
  const connection = [...STUCK, ...login];
  const remote = { name: 'hosts.git', url, pushUrl: url, address, connection };
  // Refs are only added, each with the commit that its name stands for.
  return { mirror, remote, isRepeatable: true, ...(signal === undefined ? {} : { signal }) };
}

/** The ref of a commit that `pushCommits` pushed. */
export function objectRef(commit: string): string {
  return `refs/manyhands/objects/${commit}`;
}

function requirePrefix(prefix: string): string {
  if (prefix.startsWith('refs/manyhands/') && prefix.endsWith('/') && isRefName(prefix.slice(0, -1))) return prefix;
  throw new AppError('INTERNAL', `${JSON.stringify(prefix)} is not a prefix of our refs`, { prefix });
}
