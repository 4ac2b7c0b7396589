import { AppError } from '../../errors.ts';
import { crashpoint } from '../../world.ts';
import { type Mirror, requireUntouched } from '../mirror/mirror-config.ts';
import { readRef } from '../refs/mirror-refs.ts';
import { isRefName } from '../refs/refs.ts';
import { exchange, type Remote, type RemoteRefusal, told } from './remote.ts';

export type FetchFromRemote = {
  mirror: Mirror;
  remote: Remote;
  /** The ref at the remote. */
  from: string;
  /** The ref of ours that then holds it. */
  to: string;
  signal?: AbortSignal;
};

const TIMEOUT_MS = 1_800_000;

/** Brings one ref of the user's remote into the mirror, with their own login, and gives the commit it stands at. */
export async function fetchFromRemote(
  fetching: FetchFromRemote,
): Promise<{ kind: 'got'; commit: string } | RemoteRefusal> {
  const { mirror, remote, from, to } = fetching;
  if (!isRefName(from) || !isRefName(to) || !to.startsWith('refs/manyhands/'))
    throw new AppError('INTERNAL', `${from} is not brought to ${to}`, { from, to });
  await requireUntouched(mirror);
  const how = ['--quiet', '--no-tags', '--no-auto-maintenance', '--no-write-fetch-head', '--refmap='];
  crashpoint('remote.fetching');
  const said = await exchange(fetching, ['fetch', ...how, remote.url, `+${from}:${to}`], TIMEOUT_MS);
  crashpoint('remote.fetched');
  if (said.kind === 'refused') return said;
  const commit = said.code === 0 ? await readRef(mirror, to) : undefined;
  if (commit !== undefined) return { kind: 'got', commit };
  return { kind: 'refused', reason: 'rejected', detail: `${from} was not brought: ${told(said.stderr, remote)}` };
}
