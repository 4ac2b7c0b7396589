import { AppError } from '../../errors.ts';
import { crashpoint } from '../../world.ts';
import { otherEnd } from '../environment.ts';
import { git } from '../git.ts';
import { type Mirror, requireUnmodified } from '../mirror/mirror-config.ts';
import type { Repository } from '../read/repository.ts';
import { isOid, requireBranchName } from './refs.ts';

export type DeleteBranch = {
  mirror: Mirror;
  repository: Pick<Repository, 'root'>;
  branch: string;
  /** The commit that it must be at; the caller has saved this commit. */
  expected: string;
};

export type DeletedBranch = { kind: 'deleted' } | { kind: 'refused'; detail: string };

const TIMEOUT_MS = 60_000;
const RECEIVE_SETTINGS = [
  'receive.autogc=false',
  'receive.denyDeletes=false',
  'receive.denyDeleteCurrent=refuse',
  'core.fsmonitor=false',
];

/** Deletes a branch of the user's repository with `git receive-pack`, if it is at the expected commit and not checked out. */
export async function deleteBranch({ mirror, repository, branch, expected }: DeleteBranch): Promise<DeletedBranch> {
  requireBranchName(branch);
  if (!isOid(expected)) throw new AppError('INTERNAL', `${expected} is not a commit id`, { expected });
  await requireUnmodified(mirror);
  const lease = `--force-with-lease=refs/heads/${branch}:${expected}`;
  const how = [
    'push',
    '--porcelain',
    '--no-verify',
    lease,
    '--receive-pack',
    otherEnd('receive-pack', RECEIVE_SETTINGS),
  ];
  crashpoint('branch.deleting');
  const { code, stdout, stderr } = await git([...how, repository.root, `:refs/heads/${branch}`], {
    gitDir: mirror.dir,
    timeoutMs: TIMEOUT_MS,
    allow: [0, 1],
  });
  crashpoint('branch.deleted');
  if (code === 0) return { kind: 'deleted' };
  const line = stdout.split('\n').find((text) => text.startsWith('!')) ?? '';
  return { kind: 'refused', detail: line.split('\t').slice(2).join(' ') || stderr.trim() };
}
