import type { Mirror } from '../../git/mirror/mirror.ts';
import { missingCommits } from '../../git/mirror/mirror.ts';
import { fetchCommits } from '../../git/push/transfer.ts';

/** Fetches commits that this machine lacks from the repository of the hosts, where an earlier leader pushed them; returns what is not there either. */
export async function recoverFromExchange(
  mirror: Mirror,
  url: string | undefined,
  missing: readonly string[],
): Promise<string[]> {
  if (url === undefined) return [...missing];
  // One by one: a commit that is not there must not keep the others away.
  for (const commit of missing) await fetchCommits({ mirror, url }, [commit]);
  return missing.length === 0 ? [] : missingCommits(mirror, missing);
}
