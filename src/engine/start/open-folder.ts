import { AppError } from '../../errors.ts';
import { inspectRepository, type Repository } from '../../git/read/repository.ts';
import { snapshotFolder } from '../../git/save/snapshot-folder.ts';
import type { Recipe } from '../../recipes/recipe.ts';
import type { StartRequest } from '../../schema/request.ts';
import type { EngineContext } from '../loop/context.ts';
import { refreshClone } from './project-clone.ts';

/** The repository that contains the folder; a read-only run also works on a plain folder, from a snapshot of it. */
export async function openFolder(
  ctx: EngineContext,
  recipe: Recipe,
  request: StartRequest,
): Promise<{ repository: Repository; folder?: string }> {
  const { dir } = request.options;
  await refreshClone(ctx, dir);
  try {
    return { repository: await inspectRepository(dir) };
  } catch (error) {
    if (
      recipe.acceptsFolder?.(request.input) !== true ||
      !(error instanceof AppError) ||
      error.code !== 'NOT_A_REPOSITORY'
    )
      throw error;
    const root = await snapshotFolder({ folders: ctx.home.folders, dir });
    return { repository: await inspectRepository(root), folder: dir };
  }
}
