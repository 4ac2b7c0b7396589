import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { App } from '../app.ts';
import type { RunState, TaskState } from '../core/run/state.ts';
import { labelOf, namedTask } from '../core/view/task-label.ts';
import type { ActiveRun } from '../engine/loop/context.ts';
import type { RunControl } from '../engine/loop/control-runs.ts';
import { AppError } from '../errors.ts';
import { type Location, locateRepository, projectId } from '../git/read/repository.ts';
import { snapshotRoot } from '../git/save/snapshot-folder.ts';

/** The selected run: an id or a unique prefix of one, which needs no folder; by default the latest run of the folder's project. */
export const RunRef = {
  dir: z.string().optional().describe('A folder of the project; required if no run is given.'),
  run: z.string().optional(),
};
export type Ref = { dir?: string | undefined; run?: string | undefined };

/** The fields of every operation about one task. */
export const TaskRef = { ...RunRef, task: z.string() };

export type ProjectRef = { id: string; root: string };

/** Finds the selected run: by id, by a unique prefix of one, or the project's latest. */
export async function findRun(app: App, ref: Ref): Promise<RunState> {
  if (ref.run !== undefined) return app.runs.state(completeId(app, ref.run));
  const project = await projectOf(app, requireDir(ref));
  const latest = app.runs.ids().find((id) => app.overviews.of(id).projectId === project.id);
  if (latest !== undefined) return app.runs.state(latest);
  throw new AppError('RUN_NONE', `There is no run in ${project.root} yet`, { root: project.root });
}

/** The folder in the input. */
export function requireDir({ dir }: Ref): string {
  if (dir !== undefined) return dir;
  throw new AppError('INPUT_INVALID', 'Name a run, or a folder of the project (dir)');
}

/** The project of the folder in the input, otherwise that of the run. */
export async function findProject(app: App, ref: Ref): Promise<ProjectRef> {
  return ref.dir === undefined ? (await findRun(app, ref)).start.project : projectOf(app, ref.dir);
}

/** The project of a folder; a folder that is not a repository has one if a snapshot of it was taken. */
export async function projectOf({ home }: Pick<App, 'home'>, dir: string): Promise<ProjectRef> {
  const repository = await locateRepository(dir).catch((error: unknown) => locateSnapshot(home.folders, dir, error));
  return { id: projectId(repository), root: repository.root };
}

/** The project id that lists are filtered by: that of the folder, otherwise the given one, otherwise none. */
export async function projectFilter(
  app: App,
  { dir, project }: { dir?: string | undefined; project?: string | undefined },
): Promise<string | undefined> {
  return dir === undefined ? project : (await projectOf(app, dir)).id;
}

/** The only run id with this prefix. */
export function completeId(app: App, beginning: string): string {
  const prefix = beginning.replace(/^mh\//, '').toLowerCase();
  const ids = prefix === '' ? [] : app.runs.ids().filter((id) => id.startsWith(prefix));
  const exact = ids.find((id) => id === prefix);
  if (exact !== undefined) return exact;
  const [only, second] = ids;
  if (only === undefined) throw new AppError('RUN_UNKNOWN', `There is no run ${beginning}`, { run: beginning });
  if (second === undefined) return only;
  throw new AppError('RUN_AMBIGUOUS', `${beginning} is ambiguous: it matches ${ids.slice(0, 5).join(', ')}`, {
    run: beginning,
    ids,
  });
}

/** The task that a person names, or the only one whose key ends with the text. */
export function completeKey(state: RunState, text: string): string {
  if (state.tasks[text] !== undefined) return text;
  const specs = state.order.flatMap((key) => state.tasks[key]?.spec ?? []);
  const named = namedTask(specs, text);
  if (named !== undefined) return named;
  const keys = state.order.filter((key) => key.endsWith(`/${text}`) || key.startsWith(text));
  const [only, second] = keys;
  if (only !== undefined && second === undefined) return only;
  const known = (keys.length > 0 ? keys : state.order).slice(0, 8).map((key) => labelOf(state, key));
  const list = known.length === 0 ? 'it has no tasks yet' : `it has ${known.join(', ')}`;
  throw new AppError('TASK_UNKNOWN', `Run ${state.start.run} has no task ${text}; ${list}`, {
    run: state.start.run,
    task: text,
  });
}

/** The task of a complete key. */
export function requireTask(state: RunState, key: string): TaskState {
  const task = state.tasks[key];
  if (task !== undefined) return task;
  throw new AppError('TASK_UNKNOWN', `Run ${state.start.run} has no task ${key}`, { run: state.start.run, task: key });
}

/** The interface that changes runs; operations that need it run only in the engine's process. */
export function requireControl({ control }: App): RunControl {
  if (control === undefined) throw new AppError('INTERNAL', 'This process is not the engine');
  return control;
}

/** A run that the engine of this process is running; the callers of tools belong to such a run. */
export function requireActive(app: App, run: string): ActiveRun {
  const active = requireControl(app).activeRun(run);
  if (active !== undefined) return active;
  throw new AppError('REFUSED', `Run ${run} is not running`, { run });
}

async function locateSnapshot(folders: string, dir: string, error: unknown): Promise<Location> {
  if (!(error instanceof AppError) || error.code !== 'NOT_A_REPOSITORY') throw error;
  const root = await snapshotRoot(folders, dir).catch(() => undefined);
  if (root === undefined || !existsSync(root)) throw error;
  return locateRepository(root);
}
