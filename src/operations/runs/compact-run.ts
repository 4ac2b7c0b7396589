import type { Ports } from '../../app/port-interfaces.ts';
import type { RunState } from '../../core/run/state.ts';
import { compactRun as compact, type RunTranscriptItem } from '../../core/view/compact-run.ts';
import { attemptId } from '../../schema/ids.ts';
import { findRun } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** So many of the latest attempts are looked at, and so many of their last rows. */
const MOST_ATTEMPTS = 20;
const MOST_ROWS = 300;

/** Tells in a few words how a run goes and what to do next. */
export const compactRun: Operation<'compact-run'> = async (ports, { after, ...ref }) => {
  const state = await findRun(ports, ref);
  const told = compact(state, lastSaid(ports, state), after);
  const { run } = state.start;
  if (told.recommended.action !== 'wait' || ports.runs.isActive(run)) return told;
  const because = 'it was interrupted: no engine works on it';
  return { ...told, recommended: { action: 'resume', task: null, because, command: `manyhands resume ${run}` } };
};

function lastSaid({ transcripts }: Ports, state: RunState): RunTranscriptItem[] {
  const attempts = state.order.flatMap((task) =>
    (state.tasks[task]?.attempts ?? []).map(({ number, startedAt }) => ({
      task,
      startedAt,
      attempt: attemptId(state.start.run, state.tasks[task]?.ordinal ?? 0, number),
    })),
  );
  return attempts
    .sort((a, b) => b.startedAt - a.startedAt)
    .slice(0, MOST_ATTEMPTS)
    .flatMap(({ task, attempt }) => {
      const offset = Math.max(transcripts.count(attempt) - MOST_ROWS, 0);
      return transcripts.page({ attempt, offset, limit: MOST_ROWS }).map((row) => ({ ...row, task }));
    })
    .sort((a, b) => a.id - b.id);
}
