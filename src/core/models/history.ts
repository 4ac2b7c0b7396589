import type { ModelEvent } from '../../schema/event.ts';
import type { BenchResult, ModelOutcome } from '../../schema/model.ts';

/** What is known about models from ended runs and benchmarks; a benchmark carries the time of its end. */
export type History = {
  runs: Map<string, { project: string; outcomes: ModelOutcome[] }>;
  benches: (BenchResult & { at: number })[];
};

export function emptyHistory(): History {
  return { runs: new Map(), benches: [] };
}

/** Adds an event; a run that went on after its end and ended again is counted once, as it stands now. Changes it in place. */
export function foldHistory(history: History, event: ModelEvent, at: number): void {
  switch (event.type) {
    case 'model.judged':
      history.runs.set(event.data.run, { project: event.data.project, outcomes: event.data.outcomes });
      return;
    case 'model.benched':
      history.benches = [...history.benches.filter(({ run }) => run !== event.data.run), { ...event.data, at }];
      return;
  }
}
