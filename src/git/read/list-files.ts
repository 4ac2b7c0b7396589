import { git } from '../git.ts';
import type { Mirror } from '../mirror/mirror-config.ts';

/** Every regular file of a commit, with the id of its content. */
export async function listFiles(
  mirror: Pick<Mirror, 'dir'>,
  commit: string,
  signal?: AbortSignal,
): Promise<{ path: string; oid: string }[]> {
  const { stdout } = await git(['ls-tree', '-r', '-z', '--full-tree', '--end-of-options', commit], {
    gitDir: mirror.dir,
    ...(signal === undefined ? {} : { signal }),
  });
  return stdout.split('\0').flatMap((row) => {
    const at = row.indexOf('\t');
    const [mode = '', , oid = ''] = row.slice(0, at).split(' ');
    return mode.startsWith('100') ? [{ path: row.slice(at + 1), oid }] : [];
  });
}
