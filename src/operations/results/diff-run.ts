import { changeSummary } from '../../core/finish/change-summary.ts';
import type { RunState } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import { completeKey, findRun } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Shows what a run changed against its base, or what a task's last saved attempt changed against where it began. */
export const diffRun: Operation<'diff-run'> = async (ports, input) => {
  const state = await findRun(ports, input);
  const range = rangeOf(state, input.task);
  return { run: state.start.run, ...range, ...(await ports.work.diff(state.start.project, range)) };
};

/** The same in figures: files by kind, what a person should know about them, and whether tests are missing. */
export const summarizeDiff: Operation<'summarize-diff'> = async (ports, input) => {
  const state = await findRun(ports, input);
  const range = rangeOf(state, input.task);
  return { run: state.start.run, ...range, ...changeSummary(await ports.work.changes(state.start.project, range)) };
};

function rangeOf(state: RunState, task: string | undefined): { from: string; to: string } {
  return task === undefined ? { from: state.start.base.commit, to: state.tip.commit } : taskRange(state, task);
}

function taskRange(state: RunState, wanted: string): { from: string; to: string } {
  const key = completeKey(state, wanted);
  const attempt = state.tasks[key]?.attempts.findLast(({ ended }) => ended?.saved != null);
  const saved = attempt?.ended?.saved;
  if (attempt === undefined || saved == null)
    throw new AppError('REFUSED', `Task ${key} has no saved work yet`, { key });
  return { from: attempt.base, to: saved.commit };
}
