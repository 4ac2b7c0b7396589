import { AppError } from '../../errors.ts';
import { crashpoint } from '../../world.ts';
import { type Mirror, requireUnmodified } from '../mirror/mirror-config.ts';
import { readRef } from '../refs/mirror-refs.ts';
import { isRefName } from '../refs/refs.ts';
import { describeError, exchange, type Remote, type RemoteRefusal } from './remote.ts';

export type FetchFromRemote = {
  mirror: Mirror;
  remote: Remote;
  /** The ref at the remote. */
  from: string;
  /** Our ref that receives it. */
  to: string;
  signal?: AbortSignal;
};

const TIMEOUT_MS = 1_800_000;

/** Fetches one ref of the user's remote into the mirror, with the user's credentials, and returns its commit. */
export async function fetchFromRemote(
  fetching: FetchFromRemote,
): Promise<{ kind: 'got'; commit: string } | RemoteRefusal> {
  const { mirror, remote, from, to } = fetching;
  if (!isRefName(from) || !isRefName(to) || !to.startsWith('refs/manyhands/'))
    throw new AppError('INTERNAL', `${from} cannot be fetched to ${to}`, { from, to });
  await requireUnmodified(mirror);
  const how = ['--quiet', '--no-tags', '--no-auto-maintenance', '--no-write-fetch-head', '--refmap='];
  crashpoint('remote.fetching');
  const result = await exchange(fetching, ['fetch', ...how, remote.url, `+${from}:${to}`], TIMEOUT_MS);
  crashpoint('remote.fetched');
  if (result.kind === 'refused') return result;
  const commit = result.code === 0 ? await readRef(mirror, to) : undefined;
  if (commit !== undefined) return { kind: 'got', commit };
  return {
    kind: 'refused',
    reason: 'rejected',
    detail: `${from} was not fetched: ${describeError(result.stderr, remote)}`,
  };
}
