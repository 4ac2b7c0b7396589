import type { OperationName, StreamName } from '../schema/operation.ts';
import { approveRun } from './approve-run.ts';
import { cancelRun } from './cancel-run.ts';
import { clean } from './clean.ts';
import { diffRun } from './diff-run.ts';
import { landRun } from './land-run.ts';
import { limitRun } from './limit-run.ts';
import { listRuns } from './list-runs.ts';
import { listModels, pickModel } from './models.ts';
import type { Operation, StreamOperation } from './operation.ts';
import { readLogs } from './read-logs.ts';
import { resumeRuns } from './resume-runs.ts';
import { retryRun } from './retry-run.ts';
import { listSalvage, restoreSalvage } from './salvage.ts';
import { showRun } from './show-run.ts';
import { startRun } from './start-run.ts';
import { usage } from './usage.ts';
import { watchRun } from './watch-run.ts';

/** Every operation by name; a missing one does not compile. */
export const operations: { [N in OperationName]: Operation<N> } = {
  'start-run': startRun,
  'list-runs': listRuns,
  'show-run': showRun,
  'diff-run': diffRun,
  'cancel-run': cancelRun,
  'limit-run': limitRun,
  'approve-run': approveRun,
  'retry-run': retryRun,
  'resume-runs': resumeRuns,
  'land-run': landRun,
  'list-salvage': listSalvage,
  'restore-salvage': restoreSalvage,
  clean,
  'list-models': listModels,
  'pick-model': pickModel,
  usage,
  where: (ports, { dir }) => ports.where(dir),
  doctor: (ports, { dir }) => ports.doctor(dir),
};

/** Every operation that answers with a stream. */
export const streams: { [N in StreamName]: StreamOperation<N> } = {
  'watch-run': watchRun,
  'read-logs': readLogs,
};
