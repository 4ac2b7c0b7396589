import { statfsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { RunState, TaskState } from '../../core/run/state.ts';
import { errorCode } from '../../errors.ts';
import { workspaceFolder } from '../../workspaces/location.ts';
import { showRecordedLayers } from '../../workspaces/shown-layers.ts';
import { type ActiveRun, type EngineContext, lfsOf } from '../loop/context.ts';

const MEGABYTE = 1024 * 1024;
/** Of `limits.freeDiskMb`: with less free space attempts need all of it. */
const SPARE_SHARE = 2;

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

/**
 * Prepares workspaces for the tasks that have not started yet, while the agent of this one works. Only in the data
 * directory, where the next engine finds what a killed one left.
 */
export function prepareAhead(
  { home, world }: EngineContext,
  run: ActiveRun,
  { path, commit }: { path: string; commit: string },
): void {
  const { start, counts } = run.ledger.state;
  const { workspace, limits } = start.config;
  if (dirname(path) !== home.workspaces || workspace.pool === 0) return;
  const { bavail, bsize } = statfsSync(home.root);
  const count = Math.min(workspace.pool, counts.waiting + counts.ready);
  if (count === 0 || bavail * bsize < limits.freeDiskMb * MEGABYTE * SPARE_SHARE) return;
  run.pool.prepare({ mirror: run.project.mirror, path, commit, ...lfsOf(run.project) }, count, world);
}

async function readExcluded(file: string): Promise<readonly string[] | undefined> {
  try {
    return z.array(z.string()).parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
