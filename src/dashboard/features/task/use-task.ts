import { useCallback, useEffect, useRef, useState } from 'react';
import { call } from '../../api/call.ts';
import type { ConnectionState } from '../../api/follow-events.ts';
import { IS_GUEST } from '../../api/role.ts';
import { useRunOverview } from '../../api/run-overview.ts';
import { useStream } from '../../api/stream.ts';
import { useThrottled } from '../../ui/browser/use-now.ts';
import type { TaskView } from './task-facts.ts';

export type LiveTask = { view: TaskView | undefined; error: unknown; connectionState: ConnectionState; reload(): void };

/** A guest loads the task at most this often. */
const GUEST_REFRESH_MS = 1_000;

/** A task, loaded again whenever its run changes, with at most one request in flight. */
export function useTask(run: string, task: string): LiveTask {
  const { version, connectionState } = useRunVersion(run);
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
  return { view, error, connectionState, reload };
}

/** The version of a run: that of the overview, or for a guest, who has none, that of its last event. */
function useRunVersion(run: string): { version: number; connectionState: ConnectionState } {
  const overview = useRunOverview(run)?.version ?? 0;
  const last = useRef(0);
  const isDue = useRef(false);
  const [followed, setFollowed] = useState(0);
  const connectionState = useStream('watch-run', {
    key: run,
    enabled: IS_GUEST,
    input: () => ({ run, after: last.current }),
    onItem: ({ version }) => {
      last.current = version;
      if (isDue.current) return;
      isDue.current = true;
      requestAnimationFrame(() => {
        isDue.current = false;
        setFollowed(last.current);
      });
    },
  });
  const throttled = useThrottled(followed, GUEST_REFRESH_MS);
  return { version: IS_GUEST ? throttled : overview, connectionState };
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
