import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { realWorld } from '../../world.ts';
import { removeTree } from '../remove-later.ts';
import { trialProblem } from './bubblewrap-trial.ts';
import { isMountable, type Overlays, withLayered } from './overlays.ts';

/** Why no folder can be shown on top of another in a sandbox, with its changes in itself; `folders` are the two, both of them ours. */
export async function layeringProblem(
  bwrap: string,
  overlays: Overlays,
  folders: { path: string; lower: string },
): Promise<string | undefined> {
  if (overlays.by === 'none') return 'this system does not allow to mount overlays';
  const token = realWorld.token();
  const [path, work] = [join(folders.path, `trial-${token}`), join(folders.path, `trial-${token}.work`)];
  const lower = join(folders.lower, `trial-${token}`);
  if (![path, lower].every(isMountable)) return `the path ${folders.path} has characters that a mount cannot have`;
  try {
    await mkdir(path, { recursive: true });
    await mkdir(join(lower, 'folder'), { recursive: true });
    await writeFile(join(lower, 'folder', 'file'), '');
    const overlaid = withLayered({ ...overlays, folders: [] }, { path, lower, work, isLossy: true }, false);
    // A change, a removed file, and a folder that replaces another: what the kernel records in three ways.
    const script = 'cd "$0" && echo x >>folder/file && rm -r folder && mkdir folder && test ! -e folder/file';
    const trial = { command: ['/bin/sh', '-c', script, path], cwd: '/', env: { PATH: '/usr/bin:/bin' } };
    return await trialProblem(bwrap, trial, { overlaid });
  } finally {
    for (const folder of [path, work, lower]) await removeTree(folder);
  }
}
