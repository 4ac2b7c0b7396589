import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../errors.ts';
import { isFolder } from '../git/path-kind.ts';
import { deleteFile, replaceFile } from '../git/plain-file.ts';
import { removeTree } from '../process/remove-later.ts';
import type { CacheLayers, LayeredFolder } from '../process/sandbox/overlays.ts';
import type { Contain } from '../process/sandbox/sandbox.ts';
import { namesIn } from './copy-tree.ts';
import { hashTree, readManifest } from './seed-manifest.ts';

/** What programs in a folder see besides its own files: what a set-up has added to package caches, and dependencies below it. */
const ShownLayers = z.object({
  caches: z.string().optional(),
  dependencies: z.object({ path: z.string(), lower: z.string(), work: z.string(), isLossy: z.boolean() }).optional(),
});
export type ShownLayers = z.infer<typeof ShownLayers>;

/** By the workspace or checkout whose programs see them. */
const shown = new Map<string, ShownLayers>();

/** Shows the programs that work in a folder these layers; without any, only the folder. */
export function showLayers(folder: string, layers: ShownLayers = {}): void {
  if (layers.caches === undefined && layers.dependencies === undefined) shown.delete(folder);
  else shown.set(folder, layers);
}

/** What programs in a folder, or below it, see of a set-up's caches. */
export function cachesIn(cwd: string): CacheLayers | undefined {
  const caches = layersIn(cwd)?.caches;
  return caches === undefined ? undefined : { folder: caches, isWritten: false };
}

/** The folder whose programs see dependencies that are not in it, if this is one. */
export function dependenciesIn(cwd: string): LayeredFolder | undefined {
  return layersIn(cwd)?.dependencies;
}

function layersIn(cwd: string): ShownLayers | undefined {
  for (let folder = cwd; folder !== dirname(folder); folder = dirname(folder)) {
    const layers = shown.get(folder);
    if (layers !== undefined) return layers;
  }
  return undefined;
}

/** Records what the programs of a workspace see, so that a later engine shows them the same. */
export async function recordLayers(file: string, workspace: string): Promise<void> {
  const layers = shown.get(workspace);
  if (layers === undefined) return deleteFile(file);
  await replaceFile(file, JSON.stringify(layers));
}

/** Shows the programs of a workspace what an engine has recorded for them. */
export async function showRecordedLayers(file: string, workspace: string): Promise<void> {
  if (shown.has(workspace)) return;
  try {
    showLayers(workspace, ShownLayers.parse(JSON.parse(await readFile(file, 'utf8'))));
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/** Whether the programs of a workspace can still be shown the dependencies that they saw. */
export async function areLayersThere(workspace: string, canLayer: () => Promise<boolean>): Promise<boolean> {
  const lower = shown.get(workspace)?.dependencies?.lower;
  return lower === undefined || ((await isUnchanged(lower)) && (await canLayer()));
}

/** Whether the files of a seed are those that its manifest describes. */
async function isUnchanged(files: string): Promise<boolean> {
  const manifest = await readManifest(join(dirname(files), 'seed.json'));
  return manifest !== undefined && (await isFolder(files)) && manifest.hash === (await hashTree(files));
}

/** Contains set-up commands so that what they add to package caches is kept in a folder. */
export function keepingCaches(contain: Contain | undefined, folder: string): Contain | undefined {
  return contain === undefined ? undefined : (program) => contain({ ...program, caches: { folder, isWritten: true } });
}

/** Removes what is empty, and what the kernel needed while the set-up ran. */
export async function pruneCaches(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) {
    const layer = join(folder, name);
    await removeTree(join(layer, 'work'));
    if ((await namesIn(join(layer, 'files'))).length === 0) await removeTree(layer);
  }
  if ((await namesIn(folder)).length === 0) await removeTree(folder);
}
