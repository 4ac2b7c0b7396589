import { createHash } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { crashpoint } from '../../world.ts';
import { git } from '../git.ts';
import { type Mirror, requireUnmodified } from '../mirror/mirror-config.ts';
import { readRef, writeRef } from '../refs/mirror-refs.ts';
import { isOid, requireBranchName } from '../refs/refs.ts';
import { describeError, exchange, type Remote, type RemoteRefusal, readRemoteBranch } from './remote.ts';

export type PushToRemote = {
  mirror: Mirror;
  remote: Remote;
  commit: string;
  branch: string;
  /** A branch that only we write: it may be reset, but only from the commit that we pushed last. */
  isOurs: boolean;
  signal?: AbortSignal;
};

const TIMEOUT_MS = 600_000;

/**
 * Pushes a commit to a branch of the user's remote, with the user's credentials. The branch is read first, so that a push
 * whose record was lost is not repeated, and again after a failure, which may have occurred after the push.
 */
export async function pushToRemote(push: PushToRemote): Promise<{ kind: 'pushed' } | RemoteRefusal> {
  const { mirror, remote, commit, branch } = push;
  requireBranchName(branch);
  if (!isOid(commit)) throw new AppError('INTERNAL', `${commit} is not a commit id`, { commit });
  await requireUnmodified(mirror);
  const before = await readRemoteBranch(push, branch);
  if (before.kind === 'refused') return before;
  const tip = before.kind === 'there' ? before.commit : undefined;
  if (tip === commit) return recordPushed(push);
  if (tip !== undefined && !(await mayMove(push, tip))) return moved(push, tip);
  const lease = `--force-with-lease=refs/heads/${branch}:${tip ?? ''}`;
  const how = ['push', '--porcelain', '--no-verify', '--no-follow-tags', '--no-signed', lease];
  crashpoint('remote.pushing');
  const result = await exchange(push, [...how, remote.pushUrl, `${commit}:refs/heads/${branch}`], TIMEOUT_MS);
  crashpoint('remote.pushed');
  if (result.kind === 'completed' && result.code === 0) return recordPushed(push);
  const after = await readRemoteBranch(push, branch);
  if (after.kind === 'there' && after.commit === commit) return recordPushed(push);
  if (result.kind === 'refused') return result;
  if (after.kind === 'there' && after.commit !== tip) return moved(push, after.commit);
  const line = result.stdout.split('\n').find((text) => text.startsWith('!')) ?? '';
  const detail = [line.split('\t').slice(2).join(' '), describeError(result.stderr, remote)].filter(
    (text) => text !== '',
  );
  return { kind: 'refused', reason: 'rejected', detail: detail.join('\n') };
}

/** A fast-forward is always allowed; a reset only from the commit that we pushed last. */
async function mayMove({ mirror, commit, isOurs, ...push }: PushToRemote, tip: string): Promise<boolean> {
  const ancestor = await git(['merge-base', '--is-ancestor', tip, commit], {
    gitDir: mirror.dir,
    allow: [0, 1, 128],
  });
  if (ancestor.code === 0) return true;
  return isOurs && (await readRef(mirror, pushedRef(push))) === tip;
}

async function recordPushed(push: PushToRemote): Promise<{ kind: 'pushed' }> {
  const ref = pushedRef(push);
  const before = await readRef(push.mirror, ref);
  if (before !== push.commit) await writeRef(push.mirror, { ref, to: push.commit, expected: before ?? null });
  return { kind: 'pushed' };
}

/** Branch names can conflict as ref paths; their hashes cannot. */
function pushedRef({ remote, branch }: Pick<PushToRemote, 'remote' | 'branch'>): string {
  return `refs/manyhands/pushed/${createHash('sha256').update(`${remote.address} ${branch}`).digest('hex').slice(0, 40)}`;
}

function moved({ remote, branch }: PushToRemote, to: string): RemoteRefusal {
  const detail = `${branch} at ${remote.name} is at ${to.slice(0, 10)}, which has commits that are not in this work`;
  return { kind: 'refused', reason: 'moved', detail };
}
