import { useCallback, useEffect, useRef, useState } from 'react';
import type { OperationOutput } from '../../../operations/contracts.ts';
import { call } from '../../api/call.ts';
import { useRunOverview } from '../../api/run-overview.ts';
import type { TaskView } from './task-facts.ts';

export type LiveTask = { view: TaskView | undefined; error: unknown; again(): void };

/** A task as it stands, asked for anew whenever its run has changed: one question at a time, however fast it changes. */
export function useTask(run: string, task: string): LiveTask {
  const version = useRunOverview(run)?.version ?? 0;
  const [view, setView] = useState<TaskView>();
  const [error, setError] = useState<unknown>();
  const [asked, setAsked] = useState(0);
  const asking = useRef<{ isDue: boolean } | undefined>(undefined);

  useEffect(() => {
    setView(undefined);
    setError(undefined);
    asking.current = undefined;
    setAsked((times) => times + 1);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another version, or `again`, asks anew
  useEffect(() => {
    if (asking.current !== undefined) {
      asking.current.isDue = true;
      return;
    }
    const mine = { isDue: true };
    asking.current = mine;
    void askWhileDue(mine, { run, task }, (answer) => {
      if (asking.current !== mine) return;
      setError(answer.error);
      if (answer.view !== undefined) setView(answer.view);
    }).finally(() => {
      if (asking.current === mine) asking.current = undefined;
    });
  }, [run, task, version, asked]);

  const again = useCallback(() => setAsked((times) => times + 1), []);
  return { view, error, again };
}

type Answer = { view?: TaskView; error?: unknown };

async function askWhileDue(
  asking: { isDue: boolean },
  which: { run: string; task: string },
  tell: (answer: Answer) => void,
): Promise<void> {
  while (asking.isDue) {
    asking.isDue = false;
    try {
      tell({ view: whole(await call('show-task', which)) });
    } catch (error) {
      tell({ error });
    }
  }
}

/** The server folded it with the same code. */
function whole(answer: OperationOutput<'show-task'>): TaskView;
function whole(answer: unknown): unknown {
  return answer;
}
