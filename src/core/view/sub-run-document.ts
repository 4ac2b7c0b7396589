import type { SubRunDocument } from '../../schema/coordination/sub-run.ts';
import type { SubRunState } from '../run/sub-run-state.ts';

/** A sub-run as its parent knows it. */
export function subRunDocument({ run, task, title, waitsFor, ended, budgetUsd }: SubRunState): SubRunDocument {
  return {
    run,
    task,
    title,
    status: ended?.status ?? (waitsFor === null ? 'running' : 'waiting'),
    reason: ended?.reason ?? waitsFor,
    cost: ended?.costUsd ?? null,
    budget: budgetUsd ?? null,
    branch: ended?.commit == null ? null : `mh/${run}`,
  };
}
