import { AppError } from '../../errors.ts';
import type { RunEnd } from '../../schema/coordination/sub-run.ts';
import type { ModelEvent, ProjectEvent, RunEvent } from '../../schema/event.ts';
import { type OutputReader, wholeEvidence } from '../run/evidence-output.ts';
import type { RunState } from '../run/state.ts';
import { benchResultOf, outcomesOf } from './outcomes.ts';

/** Moves the run branch back to the commit on which the recipe ends the run. */
export function rewindRun(state: RunState, what: { commit: string; tree: string; reason: string }): RunEvent[] {
  return state.tip.commit === what.commit ? [] : [{ type: 'run.rewound', data: what }];
}

/** The events of the project about an ended run: its cost, and which checks passed on its result. */
export function reportToProject(state: RunState, read: OutputReader): ProjectEvent[] {
  const { proven, tip, start, spent } = state;
  const evidence = Object.values(proven).filter(({ tree }) => tree === tip.tree);
  return [
    { type: 'project.spent', data: { run: start.run, spend: spent } },
    ...evidence.map(
      (found): ProjectEvent => ({ type: 'project.proved', data: { evidence: wholeEvidence(found, read) } }),
    ),
  ];
}

/** The results of models in an ended run; a benchmark is not work of the project and is recorded as a benchmark. */
export function reportToModels(state: RunState, end: { status: RunEnd; reason: string; at: number }): ModelEvent[] {
  const bench = benchResultOf(state, end);
  if (bench !== undefined) return [{ type: 'model.benched', data: bench }];
  const { run, project } = state.start;
  return [{ type: 'model.judged', data: { run, project: project.id, outcomes: outcomesOf(state, end.status) } }];
}

/** Records the commit that reverts the landing of a run. */
export function undoLanding(
  state: RunState,
  what: { branch: string; commit: string; from: string; reason: string },
): RunEvent[] {
  if (state.undone !== null)
    throw new AppError('REFUSED', `Run ${state.start.run} was already undone`, { run: state.start.run });
  return [{ type: 'run.undone', data: what }];
}

/** Records that the branch of the run was deleted, and the ref under which its commit is kept. */
export function recordRemovedBranch(what: { branch: string; commit: string; ref: string }): RunEvent[] {
  return [{ type: 'run.branch-removed', data: what }];
}
