import { useCallback, useEffect, useRef, useState } from 'react';
import { call } from '../../api/call.ts';
import { useRunOverview } from '../../api/run-overview.ts';
import type { TaskView } from './task-facts.ts';

export type LiveTask = { view: TaskView | undefined; error: unknown; reload(): void };

/** A task, loaded again whenever its run changes, with at most one request in flight. */
export function useTask(run: string, task: string): LiveTask {
  const version = useRunOverview(run)?.version ?? 0;
  const [view, setView] = useState<TaskView>();
  const [error, setError] = useState<unknown>();
  const [requestCount, setRequestCount] = useState(0);
  const request = useRef<{ isDue: boolean } | undefined>(undefined);

  useEffect(() => {
    setView(undefined);
    setError(undefined);
    request.current = undefined;
    setRequestCount((times) => times + 1);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version or `reload` repeats the request
  useEffect(() => {
    if (request.current !== undefined) {
      request.current.isDue = true;
      return;
    }
    const mine = { isDue: true };
    request.current = mine;
    void loadWhileDue(mine, { run, task }, (answer) => {
      if (request.current !== mine) return;
      setError(answer.error);
      if (answer.view !== undefined) setView(answer.view);
    }).finally(() => {
      if (request.current === mine) request.current = undefined;
    });
  }, [run, task, version, requestCount]);

  const reload = useCallback(() => setRequestCount((times) => times + 1), []);
  return { view, error, reload };
}

type Answer = { view?: TaskView; error?: unknown };

async function loadWhileDue(
  request: { isDue: boolean },
  which: { run: string; task: string },
  onAnswer: (answer: Answer) => void,
): Promise<void> {
  while (request.isDue) {
    request.isDue = false;
    try {
      // The server folds the task with the same code.
      onAnswer({ view: (await call('show-task', which)) as TaskView });
    } catch (error) {
      onAnswer({ error });
    }
  }
}
