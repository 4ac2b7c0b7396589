import type { ModelEvent } from '../../schema/event.ts';
import type { BenchResult, ModelOutcome } from '../../schema/model.ts';

/** The results of models from ended runs and benchmarks; a benchmark has the time of its end. */
export type History = {
  runs: Map<string, { project: string; outcomes: ModelOutcome[] }>;
  benches: (BenchResult & { at: number })[];
};

export function emptyHistory(): History {
  return { runs: new Map(), benches: [] };
}

/** Adds an event; a run that was reopened and ended again is counted once, with its last result. Changes the history in place and returns it. */
export function foldHistory(history: History, event: ModelEvent, at: number): History {
  switch (event.type) {
    case 'model.judged':
      history.runs.set(event.data.run, { project: event.data.project, outcomes: event.data.outcomes });
      return history;
    case 'model.benched':
      history.benches = [...history.benches.filter(({ run }) => run !== event.data.run), { ...event.data, at }];
      return history;
  }
}
