import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { realWorld } from '../../world.ts';
import type { MountStep } from './own-mounts.ts';

/** A folder that a sandbox shows copy-on-write, with its layers from the top; `kept` is where its changes are kept, without it they are in memory. */
type Overlay = { path: string; lower: readonly string[]; kept?: KeptChanges; isReadOnly?: boolean };

/** The folder with the changes, and one that the kernel needs beside it; `isLossy`: a power failure may lose them. */
type KeptChanges = { files: string; work: string; isLossy?: boolean };

/** A folder below whose own files programs see those of another, which they cannot change. */
export type LayeredFolder = { path: string; lower: string; work: string; isLossy: boolean };

/**
 * How such folders are shown. `mounts`: we mount them below `staging`, in a namespace in which bubblewrap starts;
 * `bubblewrap`: it mounts them itself (0.11 or newer); `none`: this machine cannot.
 */
export type Overlays = { by: 'mounts' | 'bubblewrap' | 'none'; folders: readonly Overlay[]; staging: string };

/** No folder is shown copy-on-write. */
export const NO_OVERLAYS: Overlays = { by: 'none', folders: [], staging: '' };

/** What set-up commands have added to package caches: written while they run, then shown to the programs that use it. */
export type CacheLayers = { folder: string; isWritten: boolean };

/** Characters that separate the options of a mount, or the folders in them. */
const SEPARATORS = /[,:\\\n]/;

/** Whether a folder can be named in the options of a mount. */
export function isMountable(folder: string): boolean {
  return !SEPARATORS.test(folder);
}

/** The overlays of package caches with what a set-up has added; these are all paths at which a cache can be. */
export function withLayers(overlays: Overlays, paths: readonly string[], layers: CacheLayers | undefined): Overlays {
  if (layers === undefined || overlays.by === 'none' || !isMountable(layers.folder)) return overlays;
  const folders = paths.filter(isMountable).flatMap((path): Overlay[] => {
    const own = overlays.folders.find((each) => each.path === path);
    const layer = join(layers.folder, path.replaceAll('/', '+'));
    const [files, work] = [join(layer, 'files'), join(layer, 'work')];
    if (layers.isWritten) return [{ path, lower: own?.lower ?? [], kept: { files, work } }];
    if (existsSync(files)) return [{ path, lower: [files, ...(own?.lower ?? [])] }];
    return own === undefined ? [] : [own];
  });
  return { ...overlays, folders };
}

/** The overlays with a folder whose changes are in itself; each mount has a folder of its own for the kernel. */
export function withLayered(overlays: Overlays, folder: LayeredFolder, isReadOnly: boolean): Overlays {
  const { path, lower, isLossy } = folder;
  const kept = { files: path, work: join(folder.work, realWorld.token()), isLossy };
  return { ...overlays, folders: [...overlays.folders, { path, lower: [lower], kept, isReadOnly }] };
}

/** The mounts of such folders, by their paths, as arguments of bubblewrap; folders for changes are made. */
export function overlayMounts({ by, folders, staging }: Overlays): [string, string[]][] {
  return folders.map(({ path, lower, kept, isReadOnly = false }, index) => {
    if (kept !== undefined) for (const folder of [kept.files, kept.work]) mkdirSync(folder, { recursive: true });
    const bind = isReadOnly ? '--ro-bind' : '--bind';
    if (kept !== undefined && lower.length === 0) return [path, [bind, kept.files, path]];
    if (by === 'mounts') return [path, [bind, mountPoint(staging, index), path]];
    const layers = isReadOnly && kept !== undefined ? [kept.files, ...lower] : lower;
    const sources = [...layers].reverse().flatMap((each) => ['--overlay-src', each]);
    if (isReadOnly) return [path, [...sources, '--ro-overlay', path]];
    if (kept === undefined) return [path, [...sources, '--tmp-overlay', path]];
    return [path, [...sources, '--overlay', kept.files, kept.work, path]];
  });
}

/** What mounts these folders for a sandbox. */
export function overlaySteps({ by, folders, staging }: Overlays, bytes: number): MountStep[] {
  const mounted = folders.flatMap(({ lower, kept }, index) =>
    lower.length === 0 ? [] : [overlayStep({ lower, ...(kept === undefined ? {} : { kept }), staging, index })],
  );
  if (by !== 'mounts' || mounted.length === 0) return [];
  return [{ kind: 'tmpfs', path: staging, options: `size=${bytes},mode=700`, folders: [] }, ...mounted];
}

type Mount = Pick<Overlay, 'lower' | 'kept'> & { staging: string; index: number };

function overlayStep({ lower, kept, staging, index }: Mount): MountStep {
  const path = mountPoint(staging, index);
  const memory = join(staging, String(index));
  const changes: KeptChanges = kept ?? { files: join(memory, 'files'), work: join(memory, 'work') };
  const { files: upper, work, isLossy = false } = changes;
  const options = `lowerdir=${lower.join(':')},upperdir=${upper},workdir=${work},userxattr${isLossy ? ',volatile' : ''}`;
  return { kind: 'overlay', path, options, folders: [upper, work, path] };
}

function mountPoint(staging: string, index: number): string {
  return join(staging, `${index}-shown`);
}
