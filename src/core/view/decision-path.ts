import type { Attention } from './attention.ts';

type Waiting = { run: string } & Pick<Attention, 'task' | 'what'> & { options?: readonly unknown[] | undefined };

/** The page of the dashboard of a run, or of one of its tasks; the slashes of its key are encoded. */
export function pagePath({ run, task }: { run: string; task: string | null }): string {
  return `/runs/${run}${task === null ? '' : `/tasks/${encodeURIComponent(task)}`}`;
}

/** The page of the dashboard on which the user can see and then decide what an item is about. */
export function decisionPath({ run, task, what, options = [] }: Waiting): string {
  if (what === 'plan' && options.length === 0) return `${pagePath({ run, task: null })}?view=plan`;
  const page = pagePath({ run, task });
  return what === 'held' && task !== null ? `${page}?view=diff` : page;
}
