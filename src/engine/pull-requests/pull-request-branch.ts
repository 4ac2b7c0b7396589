import { lastAttempt, type RunState, type TaskState } from '../../core/run/state.ts';
import { isRefName } from '../../git/refs/refs.ts';

const TITLE_CHARS = 40;

/** The branch at the remote that holds the work of a run, or of one task of it. */
export function pushedBranch({ start }: RunState, task?: TaskState): string {
  if (task?.spec.branch !== undefined) return task.spec.branch;
  const template = start.config.git.branch;
  const name = task?.spec.key.replaceAll('/', '-');
  if (template === undefined) return name === undefined ? `mh/${start.run}` : `mh-tasks/${start.run}/${name}`;
  const own = name === undefined || template.includes('{task}') ? template : `${template}-{task}`;
  const filled = own
    .replaceAll('{run}', start.run)
    .replaceAll('{title}', wordsOf(task?.spec.title ?? start.title))
    .replaceAll('{task}', name ?? '')
    .replace(/[-/]+$/, '');
  return isRefName(filled) ? filled : `mh/${start.run}${name === undefined ? '' : `-${name}`}`;
}

/** Whether there is one pull request for all, or one for each task: as the work file says, else the settings. */
export function perOf({ start }: RunState): 'run' | 'task' {
  const asked =
    typeof start.input === 'object' && start.input !== null && 'pr' in start.input ? start.input.pr : undefined;
  if (asked === 'each') return 'task';
  return asked === 'run' ? 'run' : start.config.pr.per;
}

/** The tasks that people asked for and whose work landed on the run branch, with the commit of their own work. */
export function landedWork(state: RunState): { task: TaskState; commit: string }[] {
  return state.order.flatMap((key) => {
    const task = state.tasks[key];
    if (task?.phase.status !== 'done' || task.phase.commit === null || task.spec.resolves !== undefined) return [];
    const saved = lastAttempt(task)?.ended?.saved;
    return saved == null ? [] : [{ task, commit: saved.commit }];
  });
}

/** The tasks that failed and left something. */
export function failedWork(state: RunState): { task: TaskState; commit: string }[] {
  return state.order.flatMap((key) => {
    const task = state.tasks[key];
    const saved = task?.phase.status === 'failed' ? lastAttempt(task)?.ended?.saved : undefined;
    return task === undefined || saved == null || !saved.changed ? [] : [{ task, commit: saved.commit }];
  });
}

function wordsOf(title: string): string {
  const words = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return words.slice(0, TITLE_CHARS).replace(/-+$/, '') || 'work';
}
