import { AppError } from '../../errors.ts';
import { gitSettings } from '../../git/environment.ts';
import { git } from '../../git/git.ts';
import { clientId, clientRef } from '../../git/refs/client-refs.ts';
import { isOid, isRefName } from '../../git/refs/refs.ts';
import type { ServerLogin } from './server-login.ts';

const TIMEOUT_MS = 1_800_000;
const PUSH = ['push', '--quiet', '--no-verify', '--no-follow-tags', '--no-signed'];
const FETCH = ['fetch', '--quiet', '--no-tags', '--no-auto-maintenance', '--no-write-fetch-head', '--refmap='];

/** A clone on this machine and the server that it exchanges commits with. */
export type Exchange = { root: string; login: ServerLogin; env: NodeJS.ProcessEnv; signal: AbortSignal };

/** Pushes a commit of the clone to the server; nothing of the clone changes. */
export async function pushBase(exchange: Exchange, commit: string): Promise<void> {
  const ref = clientRef(clientId(exchange.login.token), commit);
  await transfer(exchange, [...PUSH, addressOf(exchange), `${commit}:${ref}`]);
}

/** Fetches one commit of the server into a branch of the clone, and nothing else; a branch that the user has checked out, or added commits to, is not moved. */
export async function fetchResult(
  exchange: Exchange,
  { ref, commit, branch }: { ref: string; commit: string; branch: string },
): Promise<void> {
  const { root } = exchange;
  const target = `refs/heads/${branch}`;
  const temporary = `refs/manyhands/fetched/${branch}`;
  if (!isOid(commit) || !isRefName(ref) || !isRefName(target) || !branch.startsWith('mh/'))
    throw new AppError('SERVER_UNKNOWN', `The server offers ${ref} as ${branch}, which is not the branch of a run`);
  await requireNotCheckedOut(root, target);
  await transfer(exchange, ['-c', 'fetch.fsckObjects=true', ...FETCH, addressOf(exchange), `+${ref}:${temporary}`]);
  try {
    const found = (await git(['rev-parse', '--verify', '--quiet', temporary], { cwd: root, allow: [0, 1] })).stdout;
    if (found.trim() !== commit)
      throw new AppError('SERVER_UNKNOWN', `The server sent ${found.trim()} in the place of ${commit}`);
    await moveBranch(root, target, commit);
  } finally {
    await git(['update-ref', '-d', temporary], { cwd: root });
  }
}

/** Moves a branch forward only, and not past a commit that the user adds at the same time. */
async function moveBranch(root: string, target: string, commit: string): Promise<void> {
  const old = (await git(['rev-parse', '--verify', '--quiet', target], { cwd: root, allow: [0, 1] })).stdout.trim();
  const isForward =
    old === '' || (await git(['merge-base', '--is-ancestor', old, commit], { cwd: root, allow: [0, 1] })).code === 0;
  if (!isForward) {
    const branch = target.slice('refs/heads/'.length);
    const message = `${branch} has commits that the run does not have, so it was not moved: rename it with git branch -m ${branch} <name>`;
    throw new AppError('BRANCH_TAKEN', message, { branch });
  }
  const expected = old === '' ? '0'.repeat(commit.length) : old;
  await git(['update-ref', '-m', 'manyhands: fetched', target, commit, expected], { cwd: root });
}

async function requireNotCheckedOut(root: string, target: string): Promise<void> {
  const listed = await git(['worktree', 'list', '--porcelain'], { cwd: root });
  if (!listed.stdout.split('\n').includes(`branch ${target}`)) return;
  const branch = target.slice('refs/heads/'.length);
  throw new AppError('BRANCH_TAKEN', `${branch} is checked out, so it was not moved: switch to another branch`, {
    branch,
  });
}

function addressOf({ login }: Exchange): string {
  return `${login.url}/git/exchange.git`;
}

/** Runs git with the token in its environment, only for this server; it follows no redirect and no setting of the clone that could. */
async function transfer({ root, login, env, signal }: Exchange, args: readonly string[]): Promise<void> {
  const { url, token } = login;
  const authority = env.NODE_EXTRA_CA_CERTS;
  const settings: (readonly [string, string])[] = [
    [`http.${url}/.extraHeader`, `Authorization: Bearer ${token}`],
    ['http.followRedirects', 'false'],
    ['http.sslVerify', 'true'],
    [`http.${url}/.sslVerify`, 'true'],
    ...(authority === undefined ? [] : [['http.sslCAInfo', authority] as const]),
  ];
  const protocol = { GIT_ALLOW_PROTOCOL: url.startsWith('https:') ? 'https' : 'http' };
  const { code, stderr } = await git(args, {
    cwd: root,
    env: { ...gitSettings(settings), ...protocol },
    timeoutMs: TIMEOUT_MS,
    signal,
    allow: [0, 1, 128],
  });
  if (code === 0) return;
  const why = stderr.replaceAll(token, '***').trim().split('\n').slice(0, 6).join('\n').slice(0, 1_000);
  throw new AppError('GIT_FAILED', `Commits cannot be exchanged with ${url}: ${why}`, { url });
}
