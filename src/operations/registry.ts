import type { OperationName, StreamName } from '../schema/operation.ts';
import { approveRun } from './approve-run.ts';
import { archive } from './archive.ts';
import { askJudge } from './ask-judge.ts';
import { listBatches, showBatch, startBatch } from './batches.ts';
import { listBenches, planBench, startBench } from './bench.ts';
import { showBulk } from './bulk-status.ts';
import { cancelRun } from './cancel-run.ts';
import { clean } from './clean.ts';
import { addToCollection, listCollections, removeFromCollection, rename } from './collections.ts';
import { compactRun } from './compact-run.ts';
import { diffRun, summarizeDiff } from './diff-run.ts';
import { dismissWarning } from './dismiss-warning.ts';
import { flagRun } from './flag-run.ts';
import { hideRun } from './hide-run.ts';
import { judgeRun } from './judge-run.ts';
import { landRun } from './land-run.ts';
import { limitRun } from './limit-run.ts';
import { listInbox } from './list-inbox.ts';
import { listProjects } from './list-projects.ts';
import { listRecipes } from './list-recipes.ts';
import { listRuns } from './list-runs.ts';
import { listWarnings } from './list-warnings.ts';
import { markRead } from './mark-read.ts';
import { scoreModels } from './model-scores.ts';
import { listModels, pickModel, planRoutes } from './models.ts';
import type { Operation, StreamOperation } from './operation.ts';
import { pauseRun } from './pause-run.ts';
import { listPullRequests } from './pr-list.ts';
import { readLogs } from './read-logs.ts';
import { recheckRun } from './recheck-run.ts';
import { renameRun } from './rename-run.ts';
import { reportRun } from './report-run.ts';
import { resumeRuns } from './resume-runs.ts';
import { retryRun } from './retry-run.ts';
import { reviewPullRequest } from './review-pr.ts';
import { runState } from './run-state.ts';
import { listSalvage, restoreSalvage } from './salvage.ts';
import { scanFiles } from './scan-files.ts';
import { search } from './search.ts';
import { sendMessage } from './send-message.ts';
import { readSettings, writeSettings } from './settings.ts';
import { showRun } from './show-run.ts';
import { showTask } from './show-task.ts';
import { startRun } from './start-run.ts';
import { stopEngine } from './stop-engine.ts';
import { listTemplates, removeTemplate, saveTemplate, showTemplate } from './templates.ts';
import { resizeTerminal, typeTerminal, watchTerminal } from './terminal.ts';
import { findInTranscript, readTranscript } from './transcript.ts';
import { undoRun } from './undo-run.ts';
import { usage } from './usage.ts';
import { verifyRun } from './verify-run.ts';
import { watchEngine } from './watch-engine.ts';
import { watchRun } from './watch-run.ts';
import { watchRuns } from './watch-runs.ts';

/** Every operation by name; a missing one does not compile. */
export const operations: { [N in OperationName]: Operation<N> } = {
  'start-run': startRun,
  'list-runs': listRuns,
  'show-run': showRun,
  'diff-run': diffRun,
  'summarize-diff': summarizeDiff,
  'verify-run': verifyRun,
  'recheck-run': recheckRun,
  'judge-run': judgeRun,
  'ask-judge': askJudge,
  'report-run': reportRun,
  'undo-run': undoRun,
  'cancel-run': cancelRun,
  'limit-run': limitRun,
  'pause-run': pauseRun,
  'approve-run': approveRun,
  'retry-run': retryRun,
  'resume-runs': resumeRuns,
  'send-message': sendMessage,
  'dismiss-warning': dismissWarning,
  'list-warnings': listWarnings,
  'stop-engine': stopEngine,
  'land-run': landRun,
  'list-pull-requests': listPullRequests,
  'review-pull-request': reviewPullRequest,
  'list-salvage': listSalvage,
  'restore-salvage': restoreSalvage,
  clean,
  'list-models': listModels,
  'pick-model': pickModel,
  'score-models': scoreModels,
  'plan-routes': planRoutes,
  'plan-bench': planBench,
  'start-bench': startBench,
  'list-benches': listBenches,
  'bulk-status': showBulk,
  'scan-files': scanFiles,
  backup: (ports, { keep }) => ports.keep.backup(keep),
  archive,
  'restore-archive': (ports, { archive: wanted }) => ports.keep.restore(wanted),
  'list-collections': listCollections,
  'add-collection': addToCollection,
  'rename-collection': rename,
  'remove-collection': removeFromCollection,
  'hide-run': hideRun,
  'flag-run': flagRun,
  'rename-run': renameRun,
  'list-templates': listTemplates,
  'show-template': showTemplate,
  'save-template': saveTemplate,
  'remove-template': removeTemplate,
  'run-state': runState,
  'show-task': showTask,
  'read-transcript': readTranscript,
  'find-in-transcript': findInTranscript,
  search,
  'list-inbox': listInbox,
  'list-projects': listProjects,
  'mark-read': markRead,
  'compact-run': compactRun,
  'list-recipes': listRecipes,
  'read-work-file': (ports, asked) => ports.files.readWork(asked),
  'list-batches': listBatches,
  'show-batch': showBatch,
  'start-batch': startBatch,
  'read-settings': readSettings,
  'write-settings': writeSettings,
  'type-terminal': typeTerminal,
  'resize-terminal': resizeTerminal,
  usage,
  where: (ports, { dir }) => ports.where(dir),
  doctor: (ports, { dir, online }) => ports.doctor(dir, online ?? false),
};

/** Every operation that answers with a stream. */
export const streams: { [N in StreamName]: StreamOperation<N> } = {
  'watch-run': watchRun,
  'watch-terminal': watchTerminal,
  'watch-runs': watchRuns,
  'read-logs': readLogs,
  'watch-engine': watchEngine,
};
