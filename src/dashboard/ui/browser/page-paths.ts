import { pagePath } from '../../../core/view/decision-path.ts';

/** The last part of a path. */
export function folderName(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== '') ?? path;
}

/** The address of a run's page. */
export function runPath(run: string): string {
  return pagePath({ run, task: null });
}

/** The address of a task's page. */
export function taskPath(run: string, task: string): string {
  return pagePath({ run, task });
}
