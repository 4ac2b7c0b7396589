import { listBatches, showBatch, startBatch } from './batches/batches.ts';
import type { OperationName, StreamName } from './contracts.ts';
import { listInbox } from './inbox/list-inbox.ts';
import { archive } from './maintenance/archive.ts';
import { clean } from './maintenance/clean.ts';
import { stopEngine } from './maintenance/stop-engine.ts';
import { watchEngine } from './maintenance/watch-engine.ts';
import { listBenches, planBench, startBench } from './models/bench.ts';
import { listModels, pickModel, planRoutes } from './models/models.ts';
import { scoreModels } from './models/score-models.ts';
import type { Operation, StreamOperation } from './operation.ts';
import { addToCollection, listCollections, removeFromCollection, rename } from './projects/collections.ts';
import { listProjects } from './projects/list-projects.ts';
import { scanFiles } from './projects/scan-files.ts';
import { listPullRequests } from './pull-requests/list-pull-requests.ts';
import { reviewPullRequest } from './pull-requests/review-pull-request.ts';
import { askJudge } from './results/ask-judge.ts';
import { diffRun, summarizeDiff } from './results/diff-run.ts';
import { judgeRun } from './results/judge-run.ts';
import { landRun } from './results/land-run.ts';
import { recheckRun } from './results/recheck-run.ts';
import { reportRun } from './results/report-run.ts';
import { listSalvage, restoreSalvage } from './results/salvage.ts';
import { undoRun } from './results/undo-run.ts';
import { verifyRun } from './results/verify-run.ts';
import { approveRun } from './runs/approve-run.ts';
import { showBulk } from './runs/bulk-status.ts';
import { cancelRun } from './runs/cancel-run.ts';
import { compactRun } from './runs/compact-run.ts';
import { dismissWarning } from './runs/dismiss-warning.ts';
import { flagRun } from './runs/flag-run.ts';
import { hideRun } from './runs/hide-run.ts';
import { limitRun } from './runs/limit-run.ts';
import { listRecipes } from './runs/list-recipes.ts';
import { listRuns } from './runs/list-runs.ts';
import { listWarnings } from './runs/list-warnings.ts';
import { markRead } from './runs/mark-read.ts';
import { pauseRun } from './runs/pause-run.ts';
import { renameRun } from './runs/rename-run.ts';
import { resumeRuns } from './runs/resume-runs.ts';
import { retryRun } from './runs/retry-run.ts';
import { runState } from './runs/run-state.ts';
import { sendMessage } from './runs/send-message.ts';
import { showRun } from './runs/show-run.ts';
import { showTask } from './runs/show-task.ts';
import { startRun } from './runs/start-run.ts';
import { watchRun } from './runs/watch-run.ts';
import { watchRuns } from './runs/watch-runs.ts';
import { readSettings, writeSettings } from './settings/settings.ts';
import { listTemplates, removeTemplate, saveTemplate, showTemplate } from './templates/templates.ts';
import { resizeTerminal, typeTerminal, watchTerminal } from './terminals/terminal.ts';
import { readLogs } from './transcripts/read-logs.ts';
import { findInTranscript, readTranscript } from './transcripts/read-transcript.ts';
import { search } from './transcripts/search.ts';
import { usage } from './usage/usage.ts';

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
