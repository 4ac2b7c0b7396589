import type { RunEnd } from '../../schema/coordination/sub-run.ts';
import type { TaskKey } from '../../schema/ids.ts';

/** A run that the agent of a task started. */
export type SubRunState = {
  run: string;
  task: TaskKey;
  attempt: number;
  call: string;
  title: string;
  prompt: string;
  at: number;
  /** What it may cost; absent where the run has no budget. */
  budgetUsd?: number | undefined;
  /** Why it waits for a person; null while it continues. */
  waitsFor: string | null;
  ended: { at: number; status: RunEnd; reason: string; costUsd: number; commit: string | null } | null;
};

/** The sub-runs of a run that have not ended. */
export function openSubRuns({ subRuns = [] }: { subRuns?: SubRunState[] }): SubRunState[] {
  return subRuns.filter(({ ended }) => ended === null);
}
