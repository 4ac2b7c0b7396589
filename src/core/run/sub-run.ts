import { AppError } from '../../errors.ts';
import type { RunEvent, RunEventOf, RunStart } from '../../schema/event.ts';
import type { RunId, TaskKey } from '../../schema/ids.ts';
import { fits, roundMoney, runMoney } from '../schedule/budget.ts';
import { moneyText } from '../view/amounts.ts';
import { isAuxiliary } from './reopening.ts';
import { requireTask } from './require.ts';
import { lastAttempt, type RunState, type TaskState } from './state.ts';
import type { SubRunState } from './sub-run-state.ts';

/** A run that the agent of a task requests. */
export type RequestRun = { parent: TaskKey; attempt: number; call: string; title: string; prompt: string };

/** The new run: its id, its recipe, and the input of that. */
export type NewSubRun = { run: RunId; recipe: RunStart['recipe']; input: unknown };

type SubRunEvent = RunEventOf<'subrun.started' | 'subrun.changed' | 'subrun.ended'>;

const MOST_DEPTH = 2;
const MOST_OF_RUN = 5;
/** What a sub-run may cost, of what its parent's attempt may. */
const SHARE = 0.25;
const SUCCESSFUL: readonly string[] = ['done', 'unverified'];

/** Records a sub-run; its own start is written in the same transaction, so that neither exists without the other. */
export function requestRun(state: RunState, request: RequestRun, run: RunId): RunEvent[] {
  const parent = requireTask(state, request.parent);
  requireMayStart(state, parent);
  const budgetUsd = shareOf(state, parent);
  const { parent: task, ...about } = request;
  return [{ type: 'subrun.started', data: { task, ...about, run, ...(budgetUsd === undefined ? {} : { budgetUsd }) } }];
}

/** The start of a sub-run: project, base, settings, agents and deadline of its parent, a share of its money, and a branch of its own. */
export function subRunStart(state: RunState, request: RequestRun, { run, recipe, input }: NewSubRun): RunStart {
  const { start } = state;
  const parent = requireTask(state, request.parent);
  const budgetUsd = shareOf(state, parent);
  const { budget } = start.config;
  const own = budgetUsd === undefined ? {} : { run: budgetUsd, attempt: Math.min(budget.attempt, budgetUsd) };
  const { landEach: _, maxIterations: _rounds, ...inherited } = start;
  return {
    ...inherited,
    run,
    title: request.title,
    recipe,
    input,
    land: 'branch',
    config: { ...start.config, budget: { ...budget, ...own } },
    agents: parent.spec.agent === undefined ? start.agents : { ...start.agents, '*': parent.spec.agent },
    parent: { run: start.run, task: request.parent, depth: depthOf(state) + 1 },
  };
}

/** The sub-run of a call, or one with the same title and instructions that did not fail. */
export function findRequestedRun(
  { subRuns = [] }: RunState,
  { parent, call, title, prompt }: Omit<RequestRun, 'attempt'>,
): SubRunState | undefined {
  return subRuns.find(
    (known) =>
      known.task === parent &&
      (known.call === call ||
        (known.title === title &&
          known.prompt === prompt &&
          (known.ended === null || SUCCESSFUL.includes(known.ended.status)))),
  );
}

/** Why a sub-run is to be cancelled; undefined while its parent needs it. */
export function reasonToCancel(state: RunState, { task }: SubRunState): { reason: string; force: boolean } | undefined {
  const { run } = state.start;
  if (state.status.kind === 'cancelling')
    return { reason: `with run ${run}, which started it`, force: state.status.force };
  if (state.wrapUp !== undefined) return { reason: `run ${run}, which started it, was wrapped up`, force: false };
  const status = state.tasks[task]?.phase.status;
  const isLost = status === 'failed' || status === 'cancelled' || status === 'skipped';
  return isLost ? { reason: `task ${task} of run ${run}, which started it, is ${status}`, force: false } : undefined;
}

/** Records that a sub-run waits for a person, or continues. */
export function changeSubRun(state: RunState, what: { run: RunId; waitsFor: string | null }): RunEvent[] {
  const known = state.subRuns?.find(({ run }) => run === what.run);
  if (known === undefined || known.ended !== null || known.waitsFor === what.waitsFor) return [];
  return [{ type: 'subrun.changed', data: what }];
}

/** Records how a sub-run ended, once. */
export function endSubRun(state: RunState, data: RunEventOf<'subrun.ended'>['data']): RunEvent[] {
  const known = state.subRuns?.find(({ run }) => run === data.run);
  return known === undefined || known.ended !== null ? [] : [{ type: 'subrun.ended', data }];
}

export function foldSubRun(state: RunState, event: SubRunEvent, at: number): void {
  if (event.type === 'subrun.started') {
    state.subRuns = [...(state.subRuns ?? []), { ...event.data, at, waitsFor: null, ended: null }];
    return;
  }
  const known = state.subRuns?.find(({ run }) => run === event.data.run);
  if (known === undefined) return;
  if (event.type === 'subrun.changed') {
    known.waitsFor = event.data.waitsFor;
    return;
  }
  const { run: _, commit, ...ended } = event.data;
  known.waitsFor = null;
  known.ended = { ...ended, at, commit: commit ?? null };
}

/** What a sub-run may cost; undefined where the attempt that starts it has no limit. */
function shareOf(state: RunState, parent: TaskState): number | undefined {
  const cap = parent.spec.limits.costUsd ?? lastAttempt(parent)?.reservation.costUsd ?? 0;
  if (cap === 0) return undefined;
  return roundMoney(Math.min(cap * SHARE, state.start.config.budget.run ?? cap));
}

function requireMayStart(state: RunState, parent: TaskState): void {
  const refuse = (reason: string) => new AppError('REFUSED', reason, { run: state.start.run });
  if (state.status.kind !== 'running') throw refuse(`Run ${state.start.run} starts nothing more`);
  if (isAuxiliary(parent)) throw refuse('A task that serves another one cannot start a run');
  if (state.start.bench !== undefined) throw refuse('A benchmark starts no run');
  if (depthOf(state) >= MOST_DEPTH) throw refuse(`Sub-runs are at most ${MOST_DEPTH} levels deep`);
  if ((state.subRuns ?? []).length >= MOST_OF_RUN) throw refuse(`A run has at most ${MOST_OF_RUN} sub-runs`);
  const share = shareOf(state, parent) ?? 0;
  const { run: cap } = state.start.config.budget;
  const money = runMoney(state);
  if (fits(share, cap, money) === 'yes') return;
  const left = Math.max(0, roundMoney((cap ?? 0) - money.spentUsd - money.reservedUsd));
  throw refuse(`A sub-run reserves ${moneyText(share)}, and the budget of the run has ${moneyText(left)} left`);
}

function depthOf({ start }: RunState): number {
  return start.parent?.depth ?? 0;
}
