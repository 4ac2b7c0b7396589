import { basename, dirname, join } from 'node:path';
import { AppError } from '../errors.ts';
import { isMountedAnywhere } from '../process/proc-stat.ts';
import { run } from '../process/run.ts';
import { bubblewrapCommand } from '../process/sandbox/bubblewrap.ts';
import { overlayFolders } from '../process/sandbox/bubblewrap-trial.ts';
import { sandboxAvailability } from '../process/sandbox/contain.ts';
import { withLayered } from '../process/sandbox/overlays.ts';
import { readManifest } from './seed-manifest.ts';
import { dependenciesIn, showRecordedLayers } from './shown-layers.ts';

const TIMEOUT_MS = 1_800_000;
/** A moved copy hides what is below it, so that programs see the same with and without the layer. */
const COMPLETE = `for entry; do
  [ -e "$entry" ] || [ -L "$entry" ] || continue
  rm -rf "$entry.complete" && cp -a -- "$entry" "$entry.complete" && rm -rf "$entry" && mv -T -- "$entry.complete" "$entry" || exit 1
done`;

/**
 * Copies the dependencies that the programs of a workspace see below it into the workspace itself, with all changes, for
 * a person who opens it. A workspace in which a program works is left as it is.
 */
export async function completeDependencies(
  workspace: string,
  { home, env }: { home: { root: string; workspaces: string }; env: NodeJS.ProcessEnv },
): Promise<boolean> {
  await showRecordedLayers(join(home.workspaces, `${basename(workspace)}.layers`), workspace);
  const layer = dependenciesIn(workspace);
  const sandbox = await sandboxAvailability(env);
  const isShown = sandbox.kind === 'available' && sandbox.backend === 'bubblewrap';
  if (layer === undefined || !isShown || isMountedAnywhere(`upperdir=${workspace},`)) return false;
  const seed = await readManifest(join(dirname(layer.lower), 'seed.json'));
  const overlays = await overlayFolders(sandbox.program, [], join(home.root, 'overlays'));
  const program = {
    command: ['/bin/sh', '-c', COMPLETE, 'complete', ...(seed?.entries ?? [])],
    cwd: workspace,
    env: { PATH: '/usr/bin:/bin', HOME: '/', LC_ALL: 'C' },
  };
  const overlaid = withLayered({ ...overlays, folders: [] }, layer, false);
  const command = bubblewrapCommand(sandbox.program, program, { read: [], write: [], hidden: [home.root], overlaid });
  const { code, stderr } = await run(command, { env: program.env, timeoutMs: TIMEOUT_MS });
  if (code === 0) return true;
  const isFull = /No space left on device|Disk quota exceeded/i.test(stderr);
  const message = `The dependencies of ${workspace} could not be copied: ${stderr.trim().slice(-500)}`;
  throw new AppError(isFull ? 'NO_SPACE' : 'INTERNAL', message, { workspace });
}
