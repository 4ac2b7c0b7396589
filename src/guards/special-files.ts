import { git } from '../git/git.ts';
import type { Mirror } from '../git/mirror/mirror.ts';

/** Paths changed between two commits that are no regular files in the later one: symbolic links and submodules. */
export async function specialFiles(mirror: Mirror, from: string, to: string): Promise<Set<string>> {
  const { stdout } = await git(['diff-tree', '-r', '-z', '--raw', '--no-renames', '--end-of-options', from, to], {
    gitDir: mirror.dir,
  });
  const fields = stdout.split('\0');
  const special = new Set<string>();
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const mode = fields[index]?.split(' ')[1];
    const path = fields[index + 1];
    if (path !== undefined && (mode === '120000' || mode === '160000')) special.add(path);
  }
  return special;
}
