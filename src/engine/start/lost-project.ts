import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import { openStoredMirror } from '../../git/mirror/stored-mirror.ts';
import type { EngineContext, Project } from '../loop/context.ts';

/** A project whose repository is gone, as far as its mirror knows it: enough to stop what runs, save it and end. */
export async function openLostProject(
  ctx: Pick<EngineContext, 'home'>,
  { id, root }: { id: string; root: string },
): Promise<Project> {
  const mirror = await openStoredMirror(join(ctx.home.mirrors, `${id}.git`));
  if (mirror === undefined)
    throw new AppError('REPOSITORY_GONE', `The repository is not at ${root} any more`, { root });
  const gitDir = join(root, '.git');
  const repository = {
    root,
    gitDir,
    commonDir: gitDir,
    branch: null,
    head: '',
    objectFormat: mirror.objectFormat,
    shallow: false,
    lfs: false,
    sparse: false,
    submodules: [],
  };
  return { id, repository, mirror };
}
