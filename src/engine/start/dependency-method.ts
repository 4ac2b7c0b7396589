import { join } from 'node:path';
import { containmentOf, type MachineContainment } from '../../core/attempt/containment.ts';
import type { Home } from '../../home.ts';
import { overlayFolders } from '../../process/sandbox/bubblewrap-trial.ts';
import { layeringProblem } from '../../process/sandbox/layering.ts';
import type { Overlays } from '../../process/sandbox/overlays.ts';
import type { SandboxAvailability } from '../../process/sandbox/sandbox.ts';
import type { Config } from '../../schema/config.ts';
import { blockSharingProblem } from '../../workspaces/copy-tree.ts';
import { workspaceFolder } from '../../workspaces/location.ts';

/** How workspaces and checkouts get their dependencies, and why not in a cheaper way. */
export type DependencyMethod = { by: 'overlay' | 'reflink' | 'copy'; how: string };

/** The folder of the workspaces, and that of the seeds. */
export type DependencyFolders = { path: string; lower: string };

type ProjectSettings = { project: { root: string; folder?: string | undefined }; config: Config };

type Machine = MachineContainment & { sandbox: SandboxAvailability };

const layeringTried = new Map<string, Promise<string | undefined>>();

/** Where a project has its workspaces and its seeds. */
export function dependencyFolders({ home }: { home: Home }, { project, config }: ProjectSettings): DependencyFolders {
  const root = project.folder ?? project.root;
  return { path: workspaceFolder({ dir: config.workspace.dir, root }, home.workspaces), lower: home.seeds };
}

/** Why dependencies cannot be shown below a workspace, if they cannot; tried once for each folder of workspaces. */
export function triedLayering(
  bwrap: string,
  overlays: Overlays,
  folders: DependencyFolders,
): Promise<string | undefined> {
  const key = [bwrap, overlays.by, folders.path, folders.lower].join('\0');
  const found = layeringTried.get(key) ?? layeringProblem(bwrap, overlays, folders);
  layeringTried.set(key, found);
  return found;
}

/** How the workspaces of a project get their dependencies on this machine. */
export async function dependencyMethod(
  ctx: { home: Home; machine: Machine },
  settings: ProjectSettings,
): Promise<DependencyMethod> {
  const folders = dependencyFolders(ctx, settings);
  const noOverlay = await overlayProblem(ctx, settings, folders);
  if (noOverlay === undefined)
    return { by: 'overlay', how: 'overlay: programs see them below their workspace, and nothing is copied' };
  const noReflink = await blockSharingProblem(folders.lower, folders.path);
  if (noReflink === undefined)
    return { by: 'reflink', how: `reflink: files are copied, and their blocks are shared; no overlay: ${noOverlay}` };
  return { by: 'copy', how: `copy; no overlay: ${noOverlay}; no reflink: ${noReflink}` };
}

async function overlayProblem(
  { home, machine }: { home: Home; machine: Machine },
  { config }: ProjectSettings,
  folders: DependencyFolders,
): Promise<string | undefined> {
  const sandbox = config.sandbox === 'off' ? 'off' : 'auto';
  const { kind, record } = containmentOf({ ...config, sandbox }, machine);
  if (kind === 'none' || machine.sandbox.kind === 'none') return record.reason ?? 'there is no sandbox';
  const { program, backend } = machine.sandbox;
  if (backend !== 'bubblewrap') return 'this sandbox has no overlays';
  return triedLayering(program, await overlayFolders(program, [], join(home.root, 'overlays')), folders);
}
