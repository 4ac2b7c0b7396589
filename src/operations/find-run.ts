import type { EnginePort, Ports } from '../app/port-interfaces.ts';
import type { RunState, TaskState } from '../core/run/state.ts';
import { AppError } from '../errors.ts';

/** A run by id or a beginning of one; or a folder, which stands for the latest run of its project. */
export type Ref = { dir?: string | undefined; run?: string | undefined };

/** The run that is meant: by id, by a unique beginning of one, or the project's latest. */
export async function findRun(ports: Ports, ref: Ref): Promise<RunState> {
  if (ref.run !== undefined) return ports.runs.state(completeId(ports, ref.run));
  const project = await ports.work.project(requireDir(ref));
  const latest = ports.runs.ids().find((id) => ports.overviews.of(id).projectId === project.id);
  if (latest !== undefined) return ports.runs.state(latest);
  throw new AppError('RUN_NONE', `There is no run in ${project.root} yet`, { root: project.root });
}

/** The folder that was named. */
export function requireDir({ dir }: Ref): string {
  if (dir !== undefined) return dir;
  throw new AppError('INPUT_INVALID', 'Name a run, or a folder of the project (dir)');
}

/** The project of the folder that was named, else that of the run. */
export async function findProject(ports: Ports, ref: Ref): Promise<{ id: string; root: string }> {
  return ref.dir === undefined ? (await findRun(ports, ref)).start.project : ports.work.project(ref.dir);
}

/** The only run id that begins so. */
export function completeId(ports: Ports, beginning: string): string {
  const wanted = beginning.replace(/^mh\//, '').toLowerCase();
  const ids = wanted === '' ? [] : ports.runs.ids().filter((id) => id.startsWith(wanted));
  const exact = ids.find((id) => id === wanted);
  if (exact !== undefined) return exact;
  const [only, second] = ids;
  if (only === undefined) throw new AppError('RUN_UNKNOWN', `There is no run ${beginning}`, { run: beginning });
  if (second === undefined) return only;
  throw new AppError('RUN_AMBIGUOUS', `${beginning} may be ${ids.slice(0, 5).join(', ')}`, { run: beginning, ids });
}

/** The only task whose key is or ends so, or the last one that its file calls so. */
export function completeKey(state: RunState, wanted: string): string {
  if (state.tasks[wanted] !== undefined) return wanted;
  const named = state.order.findLast((key) => state.tasks[key]?.spec.name === wanted);
  if (named !== undefined) return named;
  const keys = state.order.filter((key) => key.endsWith(`/${wanted}`) || key.startsWith(wanted));
  const [only, second] = keys;
  if (only !== undefined && second === undefined) return only;
  const known = keys.length > 0 ? keys : state.order;
  throw new AppError(
    'TASK_UNKNOWN',
    `Run ${state.start.run} has no task ${wanted}; it has ${known.slice(0, 8).join(', ')}`,
    { run: state.start.run, task: wanted },
  );
}

/** The task of a key that was completed. */
export function requireTask(state: RunState, key: string): TaskState {
  const task = state.tasks[key];
  if (task !== undefined) return task;
  throw new AppError('TASK_UNKNOWN', `Run ${state.start.run} has no task ${key}`, { run: state.start.run, task: key });
}

/** The engine; the caller made sure that this process is it. */
export function requireEngine(ports: Ports): EnginePort {
  if (ports.engine === undefined) throw new AppError('INTERNAL', 'This process is not the engine');
  return ports.engine;
}
