import type { DraftComment } from '../../../ui/diff/draft-review.ts';

/** A task whose work is part of the result, with the files that it changed. */
export type ChangedByTask = { task: string; label: string; title: string; files: readonly string[] };

/** The task that a comment goes to: the last one that changed its file; null if no task did. */
function taskOf(tasks: readonly ChangedByTask[], { path }: { path: string }): ChangedByTask | null {
  return tasks.findLast(({ files }) => files.includes(path)) ?? null;
}

/** The comments of a review by the task that they go to, and those that no task can receive. */
export function reviewByTask(
  tasks: readonly ChangedByTask[],
  comments: readonly DraftComment[],
): { byTask: [ChangedByTask, DraftComment[]][]; unassigned: DraftComment[] } {
  const byTask = new Map<ChangedByTask, DraftComment[]>();
  const unassigned: DraftComment[] = [];
  for (const comment of comments) {
    const task = taskOf(tasks, comment);
    if (task === null) unassigned.push(comment);
    else byTask.set(task, [...(byTask.get(task) ?? []), comment]);
  }
  return { byTask: [...byTask], unassigned };
}
