import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import { shellWord } from '../../process/shim.ts';
import { crashpoint } from '../../world.ts';
import { otherEnd } from '../environment.ts';
import { git } from '../git.ts';
import { type Mirror, privateFolder, requireUnmodified } from '../mirror/mirror-config.ts';
import { withMutex } from '../mutex.ts';
import { type UntrustedFilters, untrustedFilters, untrustedText } from '../read/filters.ts';
import { type Repository, uncommitted } from '../read/repository.ts';
import { changedPaths } from '../read/touched.ts';
import { isOid, requireBranchName } from '../refs/refs.ts';

export type PushBranch = {
  mirror: Mirror;
  repository: Pick<Repository, 'root' | 'commonDir'>;
  commit: string;
  branch: string;
  /** The commit that the branch must be at; null means that it must not exist. */
  expected: string | null;
  /** Also moves the branch back from the expected commit: only for a branch that is our own. */
  mayRewind?: boolean;
  /** Also updates a checkout of the branch, if it is clean. */
  updateCheckout?: boolean;
  /** Files with their SHA-256 whose filters may run in such a checkout. */
  trust?: Readonly<Record<string, string>>;
  /** Files that may differ in such a checkout and are not changed; relative to its root. */
  keep?: readonly string[];
  signal?: AbortSignal;
};

/** `untrusted`: the checkout has filters that the user has not trusted; `locked`: another git process holds a lock file, or left it behind. */
type Refusal = 'moved' | 'locked' | 'untrusted' | 'checked-out' | 'dirty' | 'not-fast-forward' | 'name-taken' | 'other';
export type Pushed =
  | { kind: 'pushed' }
  | { kind: 'refused'; reason: Exclude<Refusal, 'dirty'>; detail: string }
  | ({ kind: 'refused'; reason: 'dirty'; detail: string } & BlockingFiles);

/** The files of the user's checkout that keep it from being updated, and the command that sets them aside; none does while a merge is not resolved. */
export type BlockingFiles = { files: string[]; command: string | undefined };

const TIMEOUT_MS = 600_000;

/**
 * Fast-forwards a branch of the user's repository with `git receive-pack`: with a lease, never by force (except that a branch of our own may be moved back), without running
 * the user's hooks or gc, and never under a checkout that is not clean.
 */
export async function pushBranch(options: PushBranch): Promise<Pushed> {
  const {
    mirror,
    repository,
    commit,
    branch,
    expected,
    updateCheckout = false,
    keep = [],
    mayRewind = false,
  } = options;
  requireBranchName(branch);
  if (!isOid(commit)) throw new AppError('INTERNAL', `${commit} is not a commit id`, { commit });
  await requireUnmodified(mirror);
  const filters = updateCheckout ? await checkoutFilters(options) : undefined;
  if (filters !== undefined) return { kind: 'refused', reason: 'untrusted', detail: untrustedText(filters) };
  const lease = `--force-with-lease=refs/heads/${branch}:${expected ?? ''}`;
  const target = [repository.root, `${commit}:refs/heads/${branch}`];
  const hooks = updateCheckout && keep.length > 0 ? await checkoutHook(mirror, keep) : undefined;
  crashpoint('push.starting');
  const args = [
    'push',
    '--porcelain',
    '--no-verify',
    lease,
    '--receive-pack',
    receivePack({ updateCheckout, mayRewind, hooks }),
    ...target,
  ];
  // A concurrent push would see the checkout that the first one is updating as dirty.
  const result = await withMutex(`push ${repository.root}`, () =>
    git(args, {
      gitDir: mirror.dir,
      timeoutMs: TIMEOUT_MS,
      allow: [0, 1],
      asUser: updateCheckout,
      ...(options.signal ? { signal: options.signal } : {}),
    }),
  );
  crashpoint('push.done');
  if (result.code === 0) return { kind: 'pushed' };
  const line = result.stdout.split('\n').find((text) => text.startsWith('!')) ?? '';
  const detail = [line.split('\t').slice(2).join(' '), result.stderr.trim()].filter((text) => text !== '').join('\n');
  const reason = reasonFor(detail, expected);
  if (reason !== 'dirty') return { kind: 'refused', reason, detail };
  return { kind: 'refused', reason, detail, ...(await blockingFiles(options)) };
}

/** The filters that git would run in a checkout of the branch although the user has not trusted them. */
async function checkoutFilters({
  repository,
  branch,
  trust = {},
  signal,
}: PushBranch): Promise<UntrustedFilters | undefined> {
  const filters = await untrustedFilters(repository, trust, signal);
  if (filters.names.length === 0) return undefined;
  const args = ['for-each-ref', '--format=%(worktreepath)', `refs/heads/${branch}`];
  const { stdout } = await git(args, { cwd: repository.root, asUser: true, ...(signal ? { signal } : {}) });
  return stdout.trim() === '' ? undefined : filters;
}

async function blockingFiles({
  mirror,
  repository,
  commit,
  expected,
  keep = [],
  signal,
}: PushBranch): Promise<BlockingFiles> {
  const changes = await uncommitted(repository, {}, signal);
  const written = expected === null ? [] : await changedPaths(mirror, { from: expected, to: commit }, signal);
  const tracked = changes.filter(({ path, isTracked }) => isTracked && !keep.includes(path));
  const untracked = changes.filter(({ path, isTracked }) => !isTracked && written.includes(path));
  const unresolved = tracked.filter(({ hasConflict }) => hasConflict);
  if (unresolved.length > 0) return { files: unresolved.map(({ path }) => path), command: undefined };
  return {
    files: [...tracked, ...untracked].map(({ path }) => path),
    command: untracked.length === 0 ? 'git stash' : 'git stash --include-untracked',
  };
}

type ReceivePack = { updateCheckout: boolean; mayRewind: boolean; hooks: string | undefined };

function receivePack({ updateCheckout, mayRewind, hooks }: ReceivePack): string {
  return otherEnd('receive-pack', [
    'receive.autogc=false',
    `receive.denyNonFastForwards=${!mayRewind}`,
    'receive.fsckObjects=false',
    'core.fsmonitor=false',
    `receive.denyCurrentBranch=${updateCheckout ? 'updateInstead' : 'refuse'}`,
    ...(hooks === undefined ? [] : [`core.hooksPath=${hooks}`]),
  ]);
}

function reasonFor(detail: string, expected: string | null): Refusal {
  if (/cannot lock ref .*(exists; cannot create|cannot create)/.test(detail)) return 'name-taken';
  if (/\.lock': File exists/.test(detail)) return 'locked';
  if (/stale info/.test(detail)) return expected === null ? 'name-taken' : 'moved';
  if (/branch is currently checked out/.test(detail)) return 'checked-out';
  if (
    /(unstaged|staged|uncommitted) changes|not clean|would be overwritten|Could not update working tree|Up-to-date check failed/i.test(
      detail,
    )
  )
    return 'dirty';
  if (/non-fast-forward/.test(detail)) return 'not-fast-forward';
  if (/failed to update ref|reference already exists|but expected/.test(detail)) return 'moved';
  return 'other';
}

/**
 * Writes the hook that updates a checkout although these files in it differ, and leaves them unchanged. Any other
 * difference, and a landing that changes one of them, is refused as git itself would.
 */
async function checkoutHook(mirror: Mirror, keep: readonly string[]): Promise<string> {
  const folder = join(privateFolder(mirror), 'checkout-hook');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, 'push-to-checkout'), scriptFor(keep), { mode: 0o700 });
  return folder;
}

function scriptFor(keep: readonly string[]): string {
  const others = [':(top)', ...keep.map((file) => `:(top,exclude,literal)${file}`)].map(shellWord).join(' ');
  return [
    '#!/bin/sh',
    'refuse() { echo "$1" >&2; exit 1; }',
    'git update-index -q --ignore-submodules --refresh >/dev/null 2>&1',
    `git diff-files --quiet --ignore-submodules -- ${others} || refuse 'Working directory has unstaged changes'`,
    `git diff-index --quiet --cached --ignore-submodules HEAD -- || refuse 'Working directory has staged changes'`,
    `git read-tree -u -m HEAD "$1" || refuse 'Could not update working tree to new HEAD'`,
    '',
  ].join('\n');
}
