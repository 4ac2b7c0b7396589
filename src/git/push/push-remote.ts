import { createHash } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { crashpoint } from '../../world.ts';
import { git } from '../git.ts';
import { type Mirror, requireUntouched } from '../mirror/mirror-config.ts';
import { readRef, writeRef } from '../refs/mirror-refs.ts';
import { isOid, requireBranchName } from '../refs/refs.ts';
import { exchange, type Remote, type RemoteRefusal, readRemoteBranch, told } from './remote.ts';

export type PushToRemote = {
  mirror: Mirror;
  remote: Remote;
  commit: string;
  branch: string;
  /** A branch that only we write: it may be set back, but only from where we ourselves left it. */
  isOurs: boolean;
  signal?: AbortSignal;
};

const TIMEOUT_MS = 600_000;

/**
 * Brings a commit to a branch of the user's remote, with their own login. It is looked first, so that a push whose
 * record was lost is not repeated; and looked again after a failure, which may have come after the act.
 */
export async function pushToRemote(push: PushToRemote): Promise<{ kind: 'pushed' } | RemoteRefusal> {
  const { mirror, remote, commit, branch } = push;
  requireBranchName(branch);
  if (!isOid(commit)) throw new AppError('INTERNAL', `A commit is pushed, not ${commit}`, { commit });
  await requireUntouched(mirror);
  const before = await readRemoteBranch(push, branch);
  if (before.kind === 'refused') return before;
  const stands = before.kind === 'there' ? before.commit : undefined;
  if (stands === commit) return remember(push);
  if (stands !== undefined && !(await mayMove(push, stands))) return moved(push, stands);
  const lease = `--force-with-lease=refs/heads/${branch}:${stands ?? ''}`;
  const how = ['push', '--porcelain', '--no-verify', '--no-follow-tags', '--no-signed', lease];
  crashpoint('remote.pushing');
  const said = await exchange(push, [...how, remote.pushUrl, `${commit}:refs/heads/${branch}`], TIMEOUT_MS);
  crashpoint('remote.pushed');
  if (said.kind === 'said' && said.code === 0) return remember(push);
  const after = await readRemoteBranch(push, branch);
  if (after.kind === 'there' && after.commit === commit) return remember(push);
  if (said.kind === 'refused') return said;
  if (after.kind === 'there' && after.commit !== stands) return moved(push, after.commit);
  const line = said.stdout.split('\n').find((text) => text.startsWith('!')) ?? '';
  const detail = [line.split('\t').slice(2).join(' '), told(said.stderr, remote)].filter((text) => text !== '');
  return { kind: 'refused', reason: 'rejected', detail: detail.join('\n') };
}

/** Forward always; back only what we pushed ourselves and nobody touched since. */
async function mayMove({ mirror, commit, isOurs, ...push }: PushToRemote, stands: string): Promise<boolean> {
  const ancestor = await git(['merge-base', '--is-ancestor', stands, commit], {
    gitDir: mirror.dir,
    allow: [0, 1, 128],
  });
  if (ancestor.code === 0) return true;
  return isOurs && (await readRef(mirror, pushedRef(push))) === stands;
}

async function remember(push: PushToRemote): Promise<{ kind: 'pushed' }> {
  const ref = pushedRef(push);
  const before = await readRef(push.mirror, ref);
  if (before !== push.commit) await writeRef(push.mirror, { ref, to: push.commit, expected: before ?? null });
  return { kind: 'pushed' };
}

/** Branch names may stand in each other's way over time; their hashes do not. */
function pushedRef({ remote, branch }: Pick<PushToRemote, 'remote' | 'branch'>): string {
  return `refs/manyhands/pushed/${createHash('sha256').update(`${remote.address} ${branch}`).digest('hex').slice(0, 40)}`;
}

function moved({ remote, branch }: PushToRemote, to: string): RemoteRefusal {
  const detail = `${branch} at ${remote.name} stands at ${to.slice(0, 10)}, with commits that are not in this work`;
  return { kind: 'refused', reason: 'moved', detail };
}
