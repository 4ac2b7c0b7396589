import type { AttemptState, RunState, TaskState } from '../run/state.ts';

/** The host that keeps the workspace or the session of a task; none if its last attempt could not begin there. */
export function hostOfTask({ tasks }: RunState, task: TaskState): string | undefined {
  const owner = task.attempts.length > 0 ? task : tasks[task.spec.continues ?? task.spec.workspace ?? ''];
  const last = owner?.attempts.at(-1);
  return last === undefined || couldNotBegin(last) ? undefined : last.host;
}

/** The hosts on which attempts of a task could not begin: another one is tried first. */
export function failedHosts({ attempts }: TaskState): string[] {
  return attempts.flatMap((attempt) => (attempt.host !== undefined && couldNotBegin(attempt) ? [attempt.host] : []));
}

/** Whether an attempt ended before its agent started, because of the machine. */
function couldNotBegin({ process, ended }: AttemptState): boolean {
  return process === null && isOfMachine(ended?.failure?.kind);
}

/** Whether a failure may be that of one machine, and not of the task. */
export function isOfMachine(kind: string | undefined): boolean {
  return kind === 'environment' || kind === 'disk-full';
}
