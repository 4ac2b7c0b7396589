import { AppError } from '../errors.ts';
import { crashpoint } from '../world.ts';
import { checkoutDoor } from './checkout-door.ts';
import { otherEnd } from './environment.ts';
import { git } from './git.ts';
import { type Mirror, requireUntouched } from './mirror-config.ts';
import { isOid, requireBranchName } from './refs.ts';
import type { Repository } from './repository.ts';
import { inTurn } from './turns.ts';

export type PushBranch = {
  mirror: Mirror;
  repository: Pick<Repository, 'root'>;
  commit: string;
  branch: string;
  /** Where the branch must stand now; null means that it must not exist. */
  expected: string | null;
  /** Also moves a checkout of the branch, if it is clean. */
  updateCheckout?: boolean;
  /** Files that may differ in such a checkout, and are left as they are; paths from its root. */
  keep?: readonly string[];
  signal?: AbortSignal;
};

type Refusal = 'moved' | 'checked-out' | 'dirty' | 'not-fast-forward' | 'name-taken' | 'other';
export type Pushed = { kind: 'pushed' } | { kind: 'refused'; reason: Refusal; detail: string };

const TIMEOUT_MS = 600_000;

/**
 * Moves a branch of the user's repository forward through git's own door: with a lease, never by force, without
 * running a hook or gc of theirs, and never under a checkout that is not clean.
 */
export async function pushBranch(options: PushBranch): Promise<Pushed> {
  const { mirror, repository, commit, branch, expected, updateCheckout = false, keep = [] } = options;
  requireBranchName(branch);
  if (!isOid(commit)) throw new AppError('INTERNAL', `A commit is pushed, not ${commit}`, { commit });
  await requireUntouched(mirror);
  const lease = `--force-with-lease=refs/heads/${branch}:${expected ?? ''}`;
  const target = [repository.root, `${commit}:refs/heads/${branch}`];
  const hooks = updateCheckout && keep.length > 0 ? await checkoutDoor(mirror, keep) : undefined;
  crashpoint('push.starting');
  const args = ['push', '--porcelain', '--no-verify', lease, '--receive-pack', door(updateCheckout, hooks), ...target];
  // To a second push, a checkout that the first is just moving would look like one that somebody works in.
  const result = await inTurn(`push ${repository.root}`, () =>
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
  return { kind: 'refused', reason: reasonFor(detail, expected), detail };
}

function door(updateCheckout: boolean, hooks: string | undefined): string {
  return otherEnd('receive-pack', [
    'receive.autogc=false',
    'receive.denyNonFastForwards=true',
    'receive.fsckObjects=false',
    'core.fsmonitor=false',
    `receive.denyCurrentBranch=${updateCheckout ? 'updateInstead' : 'refuse'}`,
    ...(hooks === undefined ? [] : [`core.hooksPath=${hooks}`]),
  ]);
}

function reasonFor(detail: string, expected: string | null): Refusal {
  if (/cannot lock ref .*(exists; cannot create|cannot create)/.test(detail)) return 'name-taken';
  if (/stale info/.test(detail)) return expected === null ? 'name-taken' : 'moved';
  if (/branch is currently checked out/.test(detail)) return 'checked-out';
  if (
    /(unstaged|staged|uncommitted) changes|not clean|would be overwritten|Could not update working tree/i.test(detail)
  )
    return 'dirty';
  if (/non-fast-forward/.test(detail)) return 'not-fast-forward';
  if (/failed to update ref|reference already exists|but expected/.test(detail)) return 'moved';
  return 'other';
}
