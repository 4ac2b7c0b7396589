import type { App } from '../../app.ts';
import { withRetries } from '../../engine/pull-requests/forge-retries.ts';
import { failureText } from '../../engine/pull-requests/land-as-pull-request.ts';
import { AppError } from '../../errors.ts';
import type { Answer, Forge } from '../../forges/forge.ts';
import type { Remote } from '../../git/push/remote.ts';
import { inspectRepository } from '../../git/read/repository.ts';
import type { Config } from '../../schema/config.ts';

/** A forge with the repository and the settings it belongs to. */
export type ProjectForge = { forge: Forge; remote: Remote; config: Config; root: string };

/** The forge of a folder's repository. */
export async function forgeOf(app: App, dir: string, signal: AbortSignal): Promise<ProjectForge> {
  const implementations = await app.implementations();
  const { root } = await inspectRepository(dir, signal);
  const config = await implementations.config(root);
  const found = await implementations.forge({ root }, config.git, signal);
  if (found.kind === 'found') return { forge: found.forge, remote: found.remote, config, root };
  throw new AppError('FORGE_MISSING', `Pull requests are not available here: ${found.reason}; ${found.nextStep}`, {
    dir,
  });
}

/** The value of a forge's response; throws if it failed after retries. */
export async function answerOf<T>(
  { world }: App,
  forge: Forge,
  { ask, signal }: { ask: () => Promise<Answer<T>>; signal: AbortSignal },
): Promise<T> {
  const answer = await withRetries(world, ask, signal);
  if (answer.ok) return answer.value;
  throw new AppError('FORGE_FAILED', failureText(answer.failure, forge), { kind: answer.failure.kind });
}
