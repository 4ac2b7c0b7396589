import type { ProjectEvent, RunEvent, RunEventOf, RunStart } from '../../schema/event.ts';
import type { Evidence } from '../../schema/gate.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { isBaseChecked } from './check-start.ts';
import type { RunState } from './state.ts';

/** Records a new run with everything that it is pinned to. */
export function recordStart(start: RunStart): RunEventOf<'run.started'> {
  return { type: 'run.started', data: start };
}

/** Records a check that failed on the base while others still run, so that it is shown at once; each check once. */
export function recordBaseFailure(state: RunState, what: { tree: string; evidence: Evidence }): RunEvent[] {
  const { gate, definition } = what.evidence;
  const isRecorded = state.baseFailures?.some((known) => known.gate === gate && known.definition === definition);
  return isBaseChecked(state) || isRecorded ? [] : [{ type: 'run.base-check-failed', data: what }];
}

/** Records the results of the checks on the base, which run once, before any work. */
export function recordBaseCheck(state: RunState, what: { tree: string; evidence: Evidence[] }): RunEvent[] {
  return !isBaseChecked(state) ? [{ type: 'run.base-checked', data: what }] : [];
}

/** Shares checks that passed on a tree with later runs of the project. A failure is not shared: what is missing on the machine may be there the next time. */
export function shareProofs(evidence: readonly Evidence[]): ProjectEvent[] {
  return evidence
    .filter(({ reused, verdict, flags }) => !reused && verdict === 'pass' && flags === undefined)
    .map((found) => ({ type: 'project.proved', data: { evidence: found } }));
}

/** Counts a flaky check of the project, with the tests that failed once. */
export function recordFlaky(run: string, evidence: Evidence): ProjectEvent[] {
  if (evidence.reused || !evidence.flags?.some(({ risk }) => risk === 'flaky-check')) return [];
  const tests = [...new Set(evidence.reruns?.flatMap(({ failures }) => failures) ?? [])];
  return [{ type: 'check.flaked', data: { run, gate: evidence.gate, tests } }];
}

/** Whether the task starts from the current base, was never started, and no other work of the run is in progress. */
export function mayStartFromBase({ status, tasks, counts }: RunState, key: TaskKey): boolean {
  const task = tasks[key];
  if (status.kind !== 'running' || task?.phase.status !== 'ready') return false;
  const { running, analyzing, landing, verifying, conflicted, held } = counts;
  const isAlone = running + analyzing + landing + verifying + conflicted + held === 0;
  return isAlone && task.spec.fresh === true && task.attempts.length === 0;
}

/** Moves the run branch to its merge with the current base; no event if the run moved since the merge. */
export function moveToBase(
  state: RunState,
  what: { task: TaskKey; tip: string; base: string; commit: string; tree: string },
): RunEvent[] {
  if (!mayStartFromBase(state, what.task) || state.tip.commit !== what.tip) return [];
  return [{ type: 'run.caught-up', data: { base: what.base, commit: what.commit, tree: what.tree } }];
}
