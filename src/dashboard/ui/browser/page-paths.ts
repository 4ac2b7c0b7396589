/** The last part of a path. */
export function folderName(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== '') ?? path;
}

/** The address of a run's page. */
export function runPath(run: string): string {
  return `/runs/${run}`;
}

/** The address of a task's page; the slashes of its key are encoded. */
export function taskPath(run: string, task: string): string {
  return `/runs/${run}/tasks/${encodeURIComponent(task)}`;
}
