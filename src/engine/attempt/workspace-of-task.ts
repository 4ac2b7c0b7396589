import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { RunState, TaskState } from '../../core/run/state.ts';
import { errorCode } from '../../errors.ts';
import { workspaceFolder } from '../../workspaces/location.ts';
import { showRecordedLayers } from '../../workspaces/shown-layers.ts';
import type { EngineContext } from '../loop/context.ts';

/** Where a task works, and which files in it are never committed; without a list it was never provisioned. */
export type AttemptWorkspace = { path: string; branch: string; excluded: readonly string[] | undefined };

/** The workspace of a task of a run, which need not be running here. */
export async function workspaceOfTask(
  ctx: Pick<EngineContext, 'home'>,
  { start, tasks }: RunState,
  task: TaskState,
): Promise<AttemptWorkspace> {
  const owner = task.spec.workspace === undefined ? task : (tasks[task.spec.workspace] ?? task);
  const { project, config, run } = start;
  const folder = { dir: config.workspace.dir, root: project.folder ?? project.root };
  const path = join(workspaceFolder(folder, ctx.home.workspaces), `${run}-${owner.ordinal}`);
  await showRecordedLayers(layersFile(ctx, path), path);
  return { path, branch: `task-${owner.ordinal}`, excluded: await readExcluded(excludedFile(ctx, path)) };
}

/** The list of files in a workspace that are never committed; it is outside, so that agents cannot change it. */
export function excludedFile(ctx: Pick<EngineContext, 'home'>, path: string): string {
  return join(ctx.home.workspaces, `${basename(path)}.excluded`);
}

/** What its programs see besides its own files, where that is anything. */
export function layersFile(ctx: Pick<EngineContext, 'home'>, path: string): string {
  return join(ctx.home.workspaces, `${basename(path)}.layers`);
}

async function readExcluded(file: string): Promise<readonly string[] | undefined> {
  try {
    return z.array(z.string()).parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
