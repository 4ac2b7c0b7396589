import { AppError } from '../../errors.ts';
import { git } from '../../git/git.ts';
import type { Mirror } from '../../git/mirror/mirror.ts';
import { exists } from '../../git/path-kind.ts';
import { fetchRef } from '../../git/push/transfer.ts';
import { clientRef } from '../../git/refs/client-refs.ts';
import { resolve } from '../../git/refs/mirror-refs.ts';
import { isOid } from '../../git/refs/refs.ts';
import type { Home } from '../../home.ts';

/** Brings the commit that a client pushed and starts from into the mirror, where it is not there yet. */
export async function importClientBase(
  { home }: { home: Pick<Home, 'exchange'> },
  mirror: Mirror,
  base: string | undefined,
): Promise<void> {
  if (base === undefined || !isOid(base) || !(await exists(home.exchange))) return;
  if ((await resolve(mirror, base)) !== undefined) return;
  const args = ['for-each-ref', '--count=1', '--format=%(refname)', clientRef('*', base)];
  const ref = (await git(args, { gitDir: home.exchange })).stdout.trim();
  if (ref === '') return;
  const fetched = await fetchRef({ mirror, url: home.exchange }, ref);
  if (fetched.kind === 'refused')
    throw new AppError('GIT_FAILED', `The commit ${base} of a client cannot be used: ${fetched.detail}`, { base });
}
