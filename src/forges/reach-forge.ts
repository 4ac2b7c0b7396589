import { readRemote } from '../git/push/remote.ts';
import type { Repository } from '../git/read/repository.ts';
import type { GitConfig } from '../schema/config/git.ts';
import type { ReachedForge } from './forge.ts';
import { findForge } from './registry.ts';

export type ReachForge = { repository: Pick<Repository, 'root'>; config: GitConfig; env: NodeJS.ProcessEnv };

/** The forge of a repository with its remote, found without network access. */
export async function reachForge({ repository, config, env }: ReachForge, signal: AbortSignal): Promise<ReachedForge> {
  const remote = await readRemote(repository, config.remote, signal);
  const found = findForge({ config, address: remote?.address, env });
  if (found.kind === 'none') return found;
  if (remote !== undefined) return { ...found, remote };
  return { kind: 'none', reason: `There is no remote ${config.remote}`, nextStep: 'set git.remote' };
}
