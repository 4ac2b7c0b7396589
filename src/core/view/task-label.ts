import type { TaskKey } from '../../schema/ids.ts';
import type { RunState } from '../run/state.ts';
import { shellWord } from './shell-word.ts';

type NamedTask = { key: TaskKey; name?: string | null | undefined };

/** The id of a task for display: its name in the work file, else its key. Further rounds and verifications append to it, as in `login/verify/1`. */
export function taskLabel({ key, name }: NamedTask): string {
  return name == null ? key : [name, ...key.split('/').slice(2)].join('/');
}

/** The title of a task, preceded by its label if that differs. */
export function titleWithLabel(task: NamedTask & { title: string }): string {
  return task.name == null || task.name === task.title ? task.title : `${taskLabel(task)}: ${task.title}`;
}

/** The label of the task with this key. */
export function labelOf({ tasks }: Pick<RunState, 'tasks'>, key: TaskKey): string {
  const task = tasks[key];
  return task === undefined ? key : taskLabel(task.spec);
}

/** The label as an argument of a command. */
export function taskArgument(state: Pick<RunState, 'tasks'>, key: TaskKey): string {
  return shellWord(labelOf(state, key));
}

/** The key of the task that a person refers to: by its key, by its name (the last one of that name) or by its label. */
export function namedTask(tasks: readonly NamedTask[], text: string): TaskKey | undefined {
  const found =
    tasks.find(({ key }) => key === text) ??
    tasks.findLast(({ name }) => name === text) ??
    tasks.find((task) => taskLabel(task) === text);
  return found?.key;
}

/** The agent of an attempt, and its host if it was not the machine of the engine. */
export function agentText({ agent, host }: { agent: string; host?: string | undefined }): string {
  return host === undefined ? agent : `${agent} on ${host}`;
}
