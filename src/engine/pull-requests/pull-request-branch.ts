import { lastAttempt, type RunState, type TaskState } from '../../core/run/state.ts';
import { isRefName } from '../../git/refs/refs.ts';

const TITLE_CHARS = 40;

/** The branch at the remote that holds the work of a run, or of one task of it. */
export function pushedBranch({ start }: RunState, task?: TaskState): string {
  if (task?.spec.branch !== undefined) return task.spec.branch;
  const template = start.config.git.branch;
  const name = task?.spec.key.replaceAll('/', '-');
  if (template === undefined) return name === undefined ? `mh/${start.run}` : `mh-tasks/${start.run}/${name}`;
  const withTask = name === undefined || template.includes('{task}') ? template : `${template}-{task}`;
  const filled = withTask
    .replaceAll('{run}', start.run)
    .replaceAll('{title}', slugOf(task?.spec.title ?? start.title))
    .replaceAll('{task}', name ?? '')
    .replace(/[-/]+$/, '');
  return isRefName(filled) ? filled : `mh/${start.run}${name === undefined ? '' : `-${name}`}`;
}

/** Whether there is one pull request for the run, or one for each task: by the work file, else by the settings. */
export function pullRequestPer({ start }: RunState): 'run' | 'task' {
  const requested =
    typeof start.input === 'object' && start.input !== null && 'pr' in start.input ? start.input.pr : undefined;
  if (requested === 'each') return 'task';
  return requested === 'run' ? 'run' : (start.config.pr.per ?? 'run');
}

/** The requested tasks whose work landed on the run branch, with the commit of their own work. */
export function landedWork(state: RunState): { task: TaskState; commit: string }[] {
  return state.order.flatMap((key) => {
    const task = state.tasks[key];
    if (task?.phase.status !== 'done' || task.phase.commit === null || task.spec.resolves !== undefined) return [];
    const saved = lastAttempt(task)?.ended?.saved;
    return saved == null ? [] : [{ task, commit: saved.commit }];
  });
}

/** The failed tasks that left changes. */
export function failedWork(state: RunState): { task: TaskState; commit: string }[] {
  return state.order.flatMap((key) => {
    const task = state.tasks[key];
    const saved = task?.phase.status === 'failed' ? lastAttempt(task)?.ended?.saved : undefined;
    return task === undefined || saved == null || !saved.changed ? [] : [{ task, commit: saved.commit }];
  });
}

function slugOf(title: string): string {
  const slug = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return slug.slice(0, TITLE_CHARS).replace(/-+$/, '') || 'work';
}
