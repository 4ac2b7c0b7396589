import { statfsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { lastAttempt, type RunState, type TaskState } from '../../core/run/state.ts';
import { errorCode } from '../../errors.ts';
import type { SavedWork } from '../../schema/event.ts';
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

/** How a kept workspace differs from the record of the last attempt in it; attempts that were refused for this reason are no record. */
export function differenceFromRecord(task: TaskState, saved: SavedWork): string | undefined {
  const last = task.attempts.slice(0, -1).findLast(({ ended }) => ended?.failure?.workspace === undefined);
  const recorded = last?.ended?.saved;
  if (recorded == null) return undefined;
  if (saved.tree !== recorded.tree) return `its files are not those of attempt ${last?.number}`;
  if (saved.head !== recorded.head) return `HEAD is at ${saved.head} instead of ${recorded.head}`;
  if (recorded.checkedOut !== undefined && saved.checkedOut !== recorded.checkedOut)
    return `HEAD is ${saved.checkedOut || 'missing'} instead of ${recorded.checkedOut}`;
  return undefined;
}

/** The commit that a task's new workspace is created from; `lastSaved` is that of its last saved work. */
export function startOf(run: ActiveRun, task: TaskState, lastSaved: string | undefined): string {
  const onto = task.from === null ? conflictOf(run, task)?.onto : undefined;
  return onto ?? task.from?.commit ?? lastSaved ?? lastAttempt(task)?.base ?? run.ledger.state.tip.commit;
}

/** Whether a task's workspace is set up to run the project: one that only reads is not, unless it starts the application or its role requires it. */
export function needsDependencies({ ledger, roles }: ActiveRun, task: TaskState): boolean {
  const owner = task.spec.workspace === undefined ? undefined : ledger.state.tasks[task.spec.workspace];
  return [task, ...(owner === undefined ? [] : [owner])].some(
    ({ spec }) => spec.access === 'write' || spec.serve !== undefined || roles.get(spec.role)?.dependencies === true,
  );
}

/** The merge conflict that a task resolves, if it is one. */
export function conflictOf(run: ActiveRun, task: TaskState): { onto: string; commit: string } | undefined {
  const resolved = task.spec.resolves === undefined ? undefined : run.ledger.state.tasks[task.spec.resolves]?.phase;
  return resolved?.status === 'conflicted' ? { onto: resolved.onto, commit: resolved.commit } : undefined;
}

/** An empty list is an empty file, which needs no flush: no power failure can damage it. */
async function readExcluded(file: string): Promise<readonly string[] | undefined> {
  try {
    const text = await readFile(file, 'utf8');
    return text === '' ? [] : z.array(z.string()).parse(JSON.parse(text));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
