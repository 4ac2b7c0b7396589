import type { RunState, TaskState } from '../run/state.ts';
import { chargeOf } from '../schedule/budget.ts';
import { attemptCharge, taskCost } from './task-cost.ts';

/** What a run had spent at a time. */
export type SpendPoint = { at: number; usd: number };

/** What the known open tasks of a run will probably cost. */
export type FinishEstimate = {
  usd: number;
  /** How many tasks are open. */
  tasks: number;
  /** How many finished tasks it is derived from. */
  basis: number;
};

/** The spend of a run over time, from its start: a point for each attempt and small call, when it ended. */
export function spendHistory({ startedAt, order, tasks, calls }: RunState): SpendPoint[] {
  const charges = [
    ...order.flatMap((key) => attemptCharges(tasks[key])),
    ...Object.values(calls).flatMap(({ startedAt: at, ended }) =>
      (ended?.tries ?? []).map(({ usage, reservation }) => ({ at, usd: chargeOf(usage, reservation).costUsd })),
    ),
  ];
  let usd = 0;
  const points = charges
    .filter((charge) => charge.usd > 0)
    .sort((a, b) => a.at - b.at)
    .map((charge) => {
      usd += charge.usd;
      return { at: Math.max(charge.at, startedAt), usd };
    });
  return [{ at: startedAt, usd: 0 }, ...points];
}

/**
 * What is still to be spent, by what finished tasks of the same role cost, or all finished ones where there is none; what
 * an open task has spent counts as part of its cost. Undefined without a finished task, or with none open.
 */
export function estimateToFinish({ status, order, tasks }: RunState): FinishEstimate | undefined {
  if (status.kind === 'ended' || status.kind === 'cancelling') return undefined;
  const all = order.flatMap((key) => tasks[key] ?? []);
  const done = all.filter(({ phase, attempts }) => phase.status === 'done' && attempts.length > 0);
  const open = all.filter(({ phase }) => !ENDED.includes(phase.status));
  if (done.length === 0 || open.length === 0) return undefined;
  const byRole = Map.groupBy(done, ({ spec }) => spec.role);
  const usd = open.reduce((sum, task) => {
    const expected = average(byRole.get(task.spec.role) ?? done);
    return sum + Math.max(0, expected - taskCost(task).costUsd);
  }, 0);
  return { usd, tasks: open.length, basis: done.length };
}

const ENDED: readonly TaskState['phase']['status'][] = ['done', 'failed', 'skipped', 'cancelled'];

function attemptCharges(task: TaskState | undefined): SpendPoint[] {
  return (task?.attempts ?? []).map((attempt) => ({
    at: attempt.ended?.at ?? attempt.startedAt,
    usd: attemptCharge(attempt),
  }));
}

function average(tasks: readonly TaskState[]): number {
  return tasks.reduce((sum, task) => sum + taskCost(task).costUsd, 0) / tasks.length;
}
