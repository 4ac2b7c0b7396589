import type { ForgesPort } from '../../app/port-interfaces.ts';
import { withRetries } from '../../engine/pull-requests/forge-retries.ts';
import { failureText } from '../../engine/pull-requests/land-as-pull-request.ts';
import { landedWork, pushedBranch } from '../../engine/pull-requests/pull-request-branch.ts';
import { AppError } from '../../errors.ts';
import type { Answer, Forge } from '../../forges/forge.ts';
import { inspectRepository } from '../../git/read/repository.ts';
import type { World } from '../../world.ts';
import type { AtForge, ForgeContext } from './forge-request.ts';
import { prepareReview } from './prepare-review.ts';

/** The forge of a project as operations use it. */
export function forgesPort(place: ForgeContext): ForgesPort {
  return {
    list: async (dir, signal) => {
      const { forge } = await forgeAt(place, dir, signal);
      return await answered({ ...place, forge, signal }, () => forge.list(signal));
    },
    ofRun: async (state, signal) => {
      const { forge } = await forgeAt(place, state.start.project.root, signal);
      const branches = [pushedBranch(state), ...landedWork(state).map(({ task }) => pushedBranch(state, task))];
      const found = [];
      for (const branch of new Set(branches)) {
        const pull = await answered({ ...place, forge, signal }, () => forge.find(branch, signal));
        if (pull !== undefined) found.push(pull);
      }
      return found;
    },
    prepareReview: async (dir, number, signal) => {
      const at = await forgeAt(place, dir, signal);
      const pull = await answered({ ...place, ...at, signal }, () => at.forge.view(number, signal));
      return prepareReview({ ...place, ...at, pull }, signal);
    },
  };
}

async function forgeAt({ parts }: ForgeContext, dir: string, signal: AbortSignal): Promise<AtForge> {
  const { root } = await inspectRepository(dir, signal);
  const config = await parts.config(root);
  const found = await parts.forge({ root }, config.git, signal);
  if (found.kind === 'found') return { forge: found.forge, remote: found.remote, config, root };
  throw new AppError('FORGE_MISSING', `There are no pull requests here: ${found.reason}; ${found.nextStep}`, { dir });
}

type Asking = { world: World; forge: Forge; signal: AbortSignal };

async function answered<T>({ world, forge, signal }: Asking, ask: () => Promise<Answer<T>>): Promise<T> {
  const answer = await withRetries(world, ask, signal);
  if (answer.ok) return answer.value;
  throw new AppError('FORGE_FAILED', failureText(answer.failure, forge), { kind: answer.failure.kind });
}
