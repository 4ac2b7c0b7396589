import type { ReachedForge } from '../forges/forge.ts';
import { findForge } from '../forges/registry.ts';
import { readRemote } from '../git/remote.ts';
import type { Repository } from '../git/repository.ts';
import type { GitConfig } from '../schema/config/git.ts';

export type ReachForge = { repository: Pick<Repository, 'root'>; config: GitConfig; env: NodeJS.ProcessEnv };

/** The forge of a repository together with the remote that leads to it; nothing is asked of the network. */
export async function reachForge({ repository, config, env }: ReachForge, signal: AbortSignal): Promise<ReachedForge> {
  const remote = await readRemote(repository, config.remote, signal);
  const found = findForge({ config, address: remote?.address, env });
  if (found.kind === 'none') return found;
  if (remote !== undefined) return { ...found, remote };
  return { kind: 'none', reason: `There is no remote ${config.remote}`, nextStep: 'set git.remote' };
}
