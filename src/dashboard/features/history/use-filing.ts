import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { count } from '../../ui/amounts.tsx';
import { notify } from '../../ui/notices.ts';
import type { HistoryRun } from './use-history.ts';

type Filing = {
  flag(runs: readonly HistoryRun[], isOn: boolean): void;
  hide(runs: readonly HistoryRun[], isOn: boolean): void;
  collect(dir: string, name: string, runs: readonly HistoryRun[]): void;
  rename(run: string, title: string): void;
};

/** Files runs: flags, hides, collects or renames them, several at once; the list is then asked for anew. */
export function useFiling(onDone: () => void): Filing {
  const client = useQueryClient();
  const execute = async (asked: readonly Promise<unknown>[], done: string) => {
    const outcomes = await Promise.allSettled(asked);
    const refused = outcomes.find((outcome) => outcome.status === 'rejected');
    if (refused === undefined) notify({ kind: 'done', text: done });
    else notify({ kind: 'trouble', text: String(refused.reason?.message ?? refused.reason), error: refused.reason });
    await Promise.all([
      client.invalidateQueries({ queryKey: ['list-runs'] }),
      client.invalidateQueries({ queryKey: ['list-collections'] }),
    ]);
    onDone();
  };
  return {
    flag: (runs, isOn) =>
      void execute(
        runs.map(({ run }) => call('flag-run', { run, flagged: isOn })),
        `${count(runs.length, 'run')} ${isOn ? 'flagged' : 'unflagged'}`,
      ),
    hide: (runs, isOn) =>
      void execute(
        runs.map(({ run }) => call('hide-run', { run, hidden: isOn })),
        `${count(runs.length, 'run')} ${isOn ? 'hidden' : 'listed again'}`,
      ),
    collect: (dir, name, runs) =>
      void execute([call('add-collection', { dir, name, runs: runs.map(({ run }) => run) })], `Filed in ${name}`),
    rename: (run, title) => void execute([call('rename-run', { run, title })], 'Renamed'),
  };
}
