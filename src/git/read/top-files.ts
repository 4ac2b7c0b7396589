import { git } from '../git.ts';
import type { Mirror } from '../mirror/mirror-config.ts';
import { readCommit, readTree } from './objects.ts';

/** The texts of the requested files that exist in a commit's top folder. */
export async function readTopTexts(
  mirror: Mirror,
  commit: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  const entries = await readTree(mirror, (await readCommit(mirror, commit)).tree);
  const texts = new Map<string, string>();
  for (const { name, mode, oid } of entries) {
    if (!names.includes(name) || !mode.startsWith('100')) continue;
    texts.set(name, (await git(['cat-file', 'blob', oid], { gitDir: mirror.dir })).stdout);
  }
  return texts;
}
