import { AppError } from '../../errors.ts';
import type { CommandNetworkUse } from '../../schema/containment.ts';
import type { RunEnd } from '../../schema/coordination/sub-run.ts';
import type { Hold, RunEvent, WorkspaceChanges } from '../../schema/event.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { labelOf, taskLabel } from '../view/task-label.ts';
import { canReopen, isAuxiliary, tasksToInvalidate, tasksToReopen } from './reopening.ts';
import { requireLive, requireTask } from './require.ts';
import { isOpen, lastAttempt, type RunState } from './state.ts';
import { openSubRuns } from './sub-run-state.ts';

const BUSY: ReadonlySet<string> = new Set(['running', 'landing', 'verifying', 'analyzing', 'conflicted']);

const MOST_REFUSED_CALLS = 100;

/** Holds the run for a decision of a person; a run that is being cancelled is not held. */
export function holdRun(state: RunState, hold: Hold): RunEvent[] {
  requireLive(state);
  return state.status.kind === 'cancelling' ? [] : [{ type: 'run.held', data: { hold } }];
}

/** Continues a run that was held because of an error; the failed step is repeated. */
export function releaseRun(state: RunState, note: string): RunEvent[] {
  if (state.status.kind !== 'held' || state.status.hold.what !== 'trouble') return [];
  return [{ type: 'run.approved', data: { hold: state.status.hold.id, note } }];
}

/** Changes how many attempts may run in parallel; running ones continue. An ended run may be limited before it is retried. */
export function limitRun(state: RunState, agents: number): RunEvent[] {
  return state.maxParallel === agents ? [] : [{ type: 'run.limited', data: { agents } }];
}

/** Records that an agent of the run called an operation that it must not call; the number of records is limited, because an agent can repeat it. */
export function refuseCall(state: RunState, operation: string): RunEvent[] {
  if ((state.refusedCalls ?? 0) >= MOST_REFUSED_CALLS) return [];
  return [{ type: 'run.call-refused', data: { operation } }];
}

/** Changes the title of the run, also when it has ended. */
export function titleRun(state: RunState, title: string): RunEvent[] {
  const line = title.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  if (line === '') throw new AppError('INPUT_INVALID', 'A title needs at least one letter');
  return state.start.title === line ? [] : [{ type: 'run.titled', data: { title: line } }];
}

/** Cancels the run: tasks that have not started now, running ones when their attempt ends; with `force` agents are killed at once. */
export function cancelRun(state: RunState, reason: string, force = false): RunEvent[] {
  requireLive(state);
  if (state.status.kind === 'cancelling' && (state.status.force || !force)) return [];
  const events: RunEvent[] = [{ type: 'run.cancelling', data: { reason, ...(force ? { force } : {}) } }];
  for (const key of state.order) {
    const task = state.tasks[key];
    if (task === undefined || !isOpen(task) || task.phase.status === 'running') continue;
    events.push({ type: 'task.ended', data: { task: key, status: 'cancelled', reason } });
  }
  return events;
}

/** Whether a retry without a task has something to do. */
export function canRetry(state: RunState): boolean {
  return reopenableTasks(state).length > 0 || hasEndedBeforeItsTasks(state);
}

function reopenableTasks(state: RunState): TaskKey[] {
  return state.order.filter((key) => canReopen(state, key));
}

/** Reopens ended or blocked tasks, with their needs and with tasks that were skipped because of them; the run continues. */
export function retryTasks(
  state: RunState,
  what: { task?: TaskKey; reason: string; changes?: WorkspaceChanges | undefined },
): RunEvent[] {
  if (state.status.kind === 'cancelling') {
    throw new AppError('REFUSED', `Run ${state.start.run} is being cancelled; retry once it has ended`, {
      run: state.start.run,
    });
  }
  const done = what.task === undefined ? undefined : requireTask(state, what.task);
  if (done?.phase.status === 'done' && !isAuxiliary(done)) return invalidateTasks(state, done.spec.key, what.reason);
  const roots = what.task === undefined ? reopenableTasks(state) : [reopenable(state, what.task)];
  const released = what.task === undefined ? releaseRun(state, what.reason) : [];
  if (roots.length === 0 && released.length > 0) return released;
  if (roots.length === 0 && !hasEndedBeforeItsTasks(state))
    throw new AppError('REFUSED', `Run ${state.start.run} has no task to retry`, { run: state.start.run });
  const { changes, reason } = what;
  if (changes !== undefined) requireChangedWorkspace(state, roots);
  const decided = changes === undefined ? {} : { changes };
  return [...released, { type: 'run.reopened', data: { tasks: tasksToReopen(state, roots), reason, ...decided } }];
}

/** A decision about changes in a workspace requires a task that is blocked by them. */
function requireChangedWorkspace(state: RunState, roots: readonly TaskKey[]): void {
  if (roots.some((key) => lastAttempt(requireTask(state, key))?.ended?.failure?.workspace !== undefined)) return;
  throw new AppError('INPUT_INVALID', 'No task waits for a decision about changes in its workspace', { tasks: roots });
}

/** Whether the run ended before it had tasks; a retry then lets the recipe plan them. */
function hasEndedBeforeItsTasks({ status, order }: RunState): boolean {
  return status.kind === 'ended' && status.status !== 'done' && order.length === 0;
}

/** Repeats a done task and all tasks that depend on it; none of them may be in progress. */
function invalidateTasks(state: RunState, root: TaskKey, reason: string): RunEvent[] {
  requireChangeable(state, root);
  const tasks = tasksToInvalidate(state, root);
  const busy = tasks.find((key) => BUSY.has(requireTask(state, key).phase.status));
  if (busy !== undefined)
    throw new AppError(
      'REFUSED',
      `Task ${labelOf(state, busy)} depends on ${labelOf(state, root)} and is in progress; cancel the run or wait`,
      {
        key: busy,
      },
    );
  return [{ type: 'tasks.invalidated', data: { tasks, reason } }];
}

/** The tasks of a plan are recorded and final: planning again would cost money and change nothing. */
function requireChangeable(state: RunState, root: TaskKey): void {
  if (requireTask(state, root).spec.role !== 'plan' || state.order.length === 1) return;
  throw new AppError(
    'REFUSED',
    `The tasks of ${root} are recorded, and another plan would not change them; send a message to the agent of a task with manyhands send, or start a new run`,
    { key: root },
  );
}

/** Closes the run; only when every task has ended. */
export function endRun(
  state: RunState,
  what: { status: RunEnd; reason: string },
  network: CommandNetworkUse[] = [],
): RunEvent[] {
  requireLive(state);
  const open = state.order.find((key) => isOpen(requireTask(state, key)));
  if (open !== undefined)
    throw new AppError('REFUSED', `Run ${state.start.run} still has an open task: ${open}`, { run: state.start.run });
  const [sub] = openSubRuns(state);
  if (sub !== undefined)
    throw new AppError('REFUSED', `Run ${state.start.run} still has an open sub-run: ${sub.run}`, {
      run: state.start.run,
    });
  const use = network.length === 0 ? {} : { network };
  return [{ type: 'run.ended', data: { ...what, spend: state.spent, ...use } }];
}

/** An ended resolver or analysis is not retried; the task that it served is. */
function reopenable(state: RunState, key: TaskKey): TaskKey {
  const { spec, phase } = requireTask(state, key);
  if (canReopen(state, key)) return key;
  const served = spec.resolves ?? spec.analyzes ?? spec.verifies;
  if (served !== undefined && canReopen(state, served)) return served;
  const rule = 'only failed, blocked, skipped or cancelled tasks can be retried';
  throw new AppError('REFUSED', `Task ${taskLabel(spec)} is ${phase.status}; ${rule}`, { key });
}
