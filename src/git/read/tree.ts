import { AppError } from '../../errors.ts';
import { git } from '../git.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { isOid } from '../refs/refs.ts';

/** The id of a commit's tree. */
export async function treeOf(mirror: Mirror, commit: string): Promise<string> {
  const { stdout } = await git(['rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`], {
    gitDir: mirror.dir,
  });
  const tree = stdout.trim();
  if (!isOid(tree)) throw new AppError('GIT_FAILED', `Commit ${commit} has no tree`, { commit });
  return tree;
}
