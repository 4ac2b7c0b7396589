import { useEffect, useRef, useState } from 'react';
import type { BoardRun, RunOverview } from '../../../schema/overview.ts';
import { call } from '../../api/call.ts';
import { after } from '../../ui/browser/clock.ts';

/** A busy run changes many times a second; its cards follow at this pace. */
const PACE_MS = 500;
const MAX_RUNS_PER_CALL = 50;

export type BoardTasks = { tasks: ReadonlyMap<string, BoardRun>; isReady: boolean; error: unknown };

/** The tasks of these runs, of one agent if it is given; those of a run are fetched again when it has changed. */
export function useBoardTasks(runs: readonly RunOverview[], agent: string): BoardTasks {
  const [loaded, setLoaded] = useState<{ agent: string; tasks: ReadonlyMap<string, BoardRun>; error: unknown }>();
  const [turn, setTurn] = useState(0);
  const isBusy = useRef(false);
  const current = loaded?.agent === agent ? loaded.tasks : undefined;
  const stale = runs.filter(({ run, version }) => (current?.get(run)?.version ?? -1) < version);
  const names = stale.map(({ run }) => run).slice(0, MAX_RUNS_PER_CALL);
  const requested = names.join(',');
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` asks again for what changed during a request
  useEffect(() => {
    if (requested === '' || isBusy.current) return;
    isBusy.current = true;
    const finish = () => {
      isBusy.current = false;
      setTurn((before) => before + 1);
    };
    call('list-tasks', { runs: requested.split(','), ...(agent === '' ? {} : { agent }) }).then(
      (received) => {
        setLoaded((before) => {
          const tasks = new Map(before?.agent === agent ? before.tasks : []);
          for (const run of received) tasks.set(run.run, run);
          return { agent, tasks, error: undefined };
        });
        after(PACE_MS, finish);
      },
      (error: unknown) => {
        setLoaded((before) => ({ agent, tasks: before?.agent === agent ? before.tasks : new Map(), error }));
        after(10 * PACE_MS, finish);
      },
    );
  }, [requested, agent, turn]);
  return { tasks: current ?? new Map(), isReady: current !== undefined || runs.length === 0, error: loaded?.error };
}
