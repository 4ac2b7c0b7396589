import type { OperationName, StreamName } from './contracts.ts';

export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Where an operation is reached by HTTP; `{name}` is a field of its input. `GET` reads, everything else acts. */
export type Route = `${RouteMethod} /api/${string}` | { unreachable: string };

type Routes = Record<string, Route>;

const RUN_ROUTES = {
  'start-run': 'POST /api/runs',
  'list-runs': 'GET /api/runs',
  'watch-runs': 'GET /api/runs/stream',
  'resume-runs': 'POST /api/resume',
  'show-run': 'GET /api/runs/{run}',
  'run-state': 'GET /api/runs/{run}/state',
  'watch-run': 'GET /api/runs/{run}/events',
  'compact-run': 'GET /api/runs/{run}/compact',
  'cancel-run': 'POST /api/runs/{run}/cancel',
  'limit-run': 'POST /api/runs/{run}/limit',
  'pause-run': 'POST /api/runs/{run}/pause',
  'approve-run': 'POST /api/runs/{run}/approve',
  'retry-run': 'POST /api/runs/{run}/retry',
  'land-run': 'POST /api/runs/{run}/land',
  'hide-run': 'POST /api/runs/{run}/hide',
  'flag-run': 'POST /api/runs/{run}/flag',
  'rename-run': 'POST /api/runs/{run}/rename',
  'mark-read': 'POST /api/runs/{run}/read',
  'bulk-status': 'GET /api/runs/{run}/items',
  'list-warnings': 'GET /api/runs/{run}/warnings',
} as const satisfies Routes;

const TASK_ROUTES = {
  'show-task': 'GET /api/runs/{run}/tasks/{task}',
  'read-logs': 'GET /api/runs/{run}/logs',
  'read-transcript': 'GET /api/runs/{run}/tasks/{task}/transcript',
  'find-in-transcript': 'GET /api/runs/{run}/tasks/{task}/transcript/find',
  'send-message': 'POST /api/runs/{run}/tasks/{task}/messages',
  'dismiss-warning': 'POST /api/runs/{run}/tasks/{task}/warnings/dismiss',
  'watch-terminal': 'GET /api/runs/{run}/tasks/{task}/terminal',
  'type-terminal': 'POST /api/runs/{run}/tasks/{task}/terminal/input',
  'resize-terminal': 'POST /api/runs/{run}/tasks/{task}/terminal/size',
} as const satisfies Routes;

const RESULT_ROUTES = {
  'diff-run': 'GET /api/runs/{run}/diff',
  'summarize-diff': 'GET /api/runs/{run}/diff/summary',
  'verify-run': 'GET /api/runs/{run}/acceptance',
  'recheck-run': 'POST /api/runs/{run}/recheck',
  'judge-run': 'GET /api/runs/{run}/judgement',
  'ask-judge': 'POST /api/runs/{run}/judgement',
  'report-run': 'GET /api/runs/{run}/report',
  'undo-run': 'POST /api/runs/{run}/undo',
  'list-pull-requests': 'GET /api/pull-requests',
  'review-pull-request': 'POST /api/pull-requests/{number}/review',
  'list-salvage': 'GET /api/salvage',
  'restore-salvage': 'POST /api/salvage/restore',
} as const satisfies Routes;

const PROJECT_ROUTES = {
  search: 'GET /api/search',
  'list-inbox': 'GET /api/inbox',
  'list-projects': 'GET /api/projects',
  'list-recipes': 'GET /api/recipes',
  'read-work-file': 'GET /api/work-file',
  'scan-files': 'GET /api/files',
  'list-collections': 'GET /api/collections',
  'add-collection': 'PUT /api/collections/{name}',
  'rename-collection': 'POST /api/collections/{name}/rename',
  'remove-collection': 'DELETE /api/collections/{name}',
  'list-templates': 'GET /api/templates',
  'show-template': 'GET /api/templates/{name}',
  'save-template': 'PUT /api/templates/{name}',
  'remove-template': 'DELETE /api/templates/{name}',
  'list-batches': 'GET /api/batches',
  'show-batch': 'GET /api/batches/{name}',
  'start-batch': 'POST /api/batches/{name}/start',
  usage: 'GET /api/usage',
} as const satisfies Routes;

const MODEL_ROUTES = {
  'list-models': 'GET /api/models',
  'pick-model': 'GET /api/models/pick',
  'score-models': 'GET /api/models/scores',
  'plan-routes': 'GET /api/models/routes',
  'list-benches': 'GET /api/benches',
  'plan-bench': 'GET /api/benches/plan',
  'start-bench': 'POST /api/benches',
} as const satisfies Routes;

const MAINTENANCE_ROUTES = {
  'read-settings': 'GET /api/settings',
  'write-settings': 'PUT /api/settings',
  where: 'GET /api/where',
  doctor: 'GET /api/doctor',
  clean: 'POST /api/clean',
  backup: 'POST /api/backup',
  archive: 'POST /api/archive',
  'restore-archive': 'POST /api/archive/restore',
  'stop-engine': 'POST /api/stop',
  'watch-engine': { unreachable: 'It is how a server waits for the engine of another process to end.' },
} as const satisfies Routes;

/** The route of every operation and stream; a missing one does not compile. */
export const ROUTES: Record<OperationName | StreamName, Route> = {
  ...RUN_ROUTES,
  ...TASK_ROUTES,
  ...RESULT_ROUTES,
  ...PROJECT_ROUTES,
  ...MODEL_ROUTES,
  ...MAINTENANCE_ROUTES,
};

/** The field of a stream's items that is passed back as `after`, or as `Last-Event-ID`, to go on behind it. */
export const CURSORS: Record<StreamName, string> = {
  'watch-run': 'version',
  'read-logs': 'id',
  'watch-terminal': 'offset',
  'watch-engine': 'pid',
  'watch-runs': 'position',
};
