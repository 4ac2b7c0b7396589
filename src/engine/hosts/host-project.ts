import { mkdir, readdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mirror } from '../../git/mirror/mirror.ts';
import { withMutex } from '../../git/mutex.ts';
import { exists } from '../../git/path-kind.ts';
import { createWorkspace, removeWorkspace } from '../../git/workspace/workspace.ts';
import type { Home } from '../../home.ts';
import type { World } from '../../world.ts';

type Machine = { home: Pick<Home, 'root' | 'removing'>; world: World };

const BRANCH = 'base';
/** Longer than an attempt takes, so that what one uses is never removed. */
const KEPT_MS = 2 * 86_400_000;
/** How exactly the time of its last use is noted. */
const NOTED_MS = 3_600_000;

/**
 * The folder of a project on a host, which has neither the checkout of a person nor the server's clone: the files of the
 * commit that the run started from, with which agents and settings are found. Nothing is written into it.
 */
export async function hostProjectFolder(
  { home, world }: Machine,
  { id, mirror, base }: { id: string; mirror: Mirror; base: string },
): Promise<string> {
  const folder = join(home.root, 'projects');
  const path = join(folder, `${id}-${base}`);
  await withMutex(path, async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (!(await exists(path))) {
      await removeOld(folder, { mirror, removing: home.removing, id, world });
      await createWorkspace({ mirror, path, commit: base, branch: BRANCH }, world);
    }
    // Each change of the time lets its ignored files be listed again.
    const now = world.now();
    if (now - (await stat(path)).mtimeMs > NOTED_MS) await utimes(path, new Date(now), new Date(now));
  });
  return path;
}

/** Removes the files of other commits of a project that no order has used for long. */
async function removeOld(
  folder: string,
  { mirror, removing, id, world }: { mirror: Mirror; removing: string; id: string; world: World },
): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(`${id}-`));
  for (const name of names) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path);
    if (world.now() - mtimeMs > KEPT_MS) await removeWorkspace({ mirror, path, removing }, world);
  }
}
