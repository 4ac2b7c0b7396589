/** The last part of a folder's path, which is what people call it. */
export function folderName(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== '') ?? path;
}

/** Where a run is looked at. */
export function runPath(run: string): string {
  return `/runs/${run}`;
}

/** Where a task is looked at; its key holds slashes. */
export function taskPath(run: string, task: string): string {
  return `/runs/${run}/tasks/${encodeURIComponent(task)}`;
}
