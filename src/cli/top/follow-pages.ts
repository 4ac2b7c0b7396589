import { type Following, followOpenRun } from './follow-open-run.ts';
import { followTask } from './follow-task.ts';
import type { Page } from './top-state.ts';

/** Follows what the current page shows, and nothing else. */
export interface FollowedPages {
  follow(page: Page): void;
  /** Resolves when nothing is followed any more, after the signal has aborted. */
  ended(): Promise<void>;
}

type Followed = { name: string; stop: AbortController };

export function followPages(following: Following, signal: AbortSignal): FollowedPages {
  const ended = new Set<Promise<void>>();
  const current: { run?: Followed; task?: Followed } = {};

  function replace(
    what: 'run' | 'task',
    name: string | undefined,
    begin: (signal: AbortSignal) => Promise<void>,
  ): void {
    if (current[what]?.name === name) return;
    current[what]?.stop.abort();
    delete current[what];
    if (name === undefined) return;
    const stop = new AbortController();
    const promise = begin(AbortSignal.any([signal, stop.signal]));
    current[what] = { name, stop };
    ended.add(promise);
    void promise.then(() => ended.delete(promise));
  }

  return {
    follow: (page) => {
      const run = page.kind === 'runs' ? undefined : page.run;
      replace('run', run, (until) => followOpenRun(during(following, until), run ?? '', until));
      const task = page.kind === 'task' ? page : undefined;
      replace('task', task && `${task.run} ${task.task} ${task.attempt}`, async (until) => {
        if (task !== undefined) await followTask(during(following, until), task, until);
      });
    },
    ended: async () => {
      await Promise.all(ended);
    },
  };
}

/** Drops updates of what is no longer followed. */
function during(following: Following, signal: AbortSignal): Following {
  return {
    ...following,
    publish: (update) => {
      if (!signal.aborted) following.publish(update);
    },
  };
}
