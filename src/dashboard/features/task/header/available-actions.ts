import { messageEffect, type TaskView } from '../task-facts.ts';

/** The actions that are available for a task; retrying a done task repeats its dependents too. */
export type AvailableActions = {
  retry: 'redo' | 'retry' | null;
  /** Queue it again with a clean workspace and a new attempt count. */
  requeue: boolean;
  message: boolean;
  cancel: boolean;
};

const REQUEUED: ReadonlySet<string> = new Set([
  'running',
  'held',
  'blocked',
  'ready',
  'failed',
  'skipped',
  'cancelled',
]);
const ENDED: ReadonlySet<string> = new Set(['done', 'unverified', 'partial', 'failed', 'cancelled', 'cancelling']);

/** Lists the actions that the engine would accept. */
export function availableActions(view: TaskView): AvailableActions {
  const { task, status } = view;
  const { spec, phase, attempts } = task;
  const isServing = spec.resolves !== undefined || spec.analyzes !== undefined || spec.verifies !== undefined;
  return {
    retry: status === 'cancelling' ? null : retryOf(phase.status, isServing),
    requeue: status !== 'cancelling' && REQUEUED.has(phase.status) && !isServing && attempts.length > 0,
    message: 'effect' in messageEffect(view),
    cancel: !ENDED.has(status),
  };
}

function retryOf(status: TaskView['task']['phase']['status'], isServing: boolean): AvailableActions['retry'] {
  switch (status) {
    case 'done':
      return isServing ? null : 'redo';
    case 'blocked':
      return 'retry';
    case 'failed':
    case 'skipped':
    case 'cancelled':
      return isServing ? null : 'retry';
    case 'waiting':
    case 'ready':
    case 'running':
    case 'analyzing':
    case 'landing':
    case 'verifying':
    case 'conflicted':
    case 'held':
      return null;
  }
}
