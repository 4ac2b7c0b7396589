import { AppError } from '../errors.ts';
import type { Repository } from '../git/repository.ts';
import type { GitConfig } from '../schema/config/git.ts';
import type { EngineContext } from './context.ts';

/** Refuses a run that is to end in a pull request where none can be opened, before anything is spent on it. */
export async function requireForge(
  ctx: EngineContext,
  repository: Pick<Repository, 'root'>,
  config: GitConfig,
): Promise<void> {
  const found = await ctx.parts.forge(repository, config, ctx.stopping);
  if (found.kind === 'found') return;
  throw new AppError('FORGE_MISSING', `No pull request can be opened here: ${found.reason}; ${found.nextStep}`, {
    remote: config.remote,
    provider: config.provider,
  });
}
