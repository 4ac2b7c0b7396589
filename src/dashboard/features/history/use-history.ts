import { useEffect, useRef } from 'react';
import type { OperationOutput } from '../../../operations/all.ts';
import { useOverview } from '../../api/run-overview.ts';
import { usePages } from '../../api/use-pages.ts';
import { type HistoryQuery, historyInput, PAGE } from './history-query.ts';

export type HistoryRun = OperationOutput<'list-runs'>[number];

/** The runs that match a query, page by page with live values; reloaded when a run is added. */
export function useHistory(query: HistoryQuery) {
  const overview = useOverview();
  const { pages, ...rest } = usePages('list-runs', {
    input: (before) => historyInput(query, typeof before === 'string' ? before : undefined),
    next: (last) => (last.filter(({ hidden }) => !hidden).length < PAGE ? undefined : last.at(-1)?.run),
  });
  const known = overview.runs.length;
  const before = useRef(known);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new number of runs reloads
  useEffect(() => {
    const isAnother = overview.isReady && before.current !== 0 && before.current !== known;
    before.current = known;
    if (isAnother) rest.reload();
  }, [known]);
  const live = new Map(overview.runs.map((run) => [run.run, run]));
  const matching = pages.flat().filter(({ recipe }) => query.recipe === '' || recipe === query.recipe);
  const runs = matching.map((run): HistoryRun => ({ ...run, ...liveFields(live.get(run.run)) }));
  return { runs, ...rest };
}

/** The fields that change while a run is listed. */
function liveFields(run: HistoryRun | undefined): Partial<HistoryRun> {
  if (run === undefined) return {};
  const { title, status, cost, endedAt, nextAt, waitsFor, tasks, done, collection, hidden, flag } = run;
  return { title, status, cost, endedAt, nextAt, waitsFor, tasks, done, collection, hidden, flag };
}
