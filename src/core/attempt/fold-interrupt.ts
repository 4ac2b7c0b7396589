import type { RunEventOf } from '../../schema/event.ts';
import { beginAtTip, makeReady, taskOf } from '../run/phase.ts';
import { lastAttempt, type RunState, type TaskState } from '../run/state.ts';

/** Keeps a message for the next attempt, and interrupts the running one. */
export function messageTask(state: RunState, event: RunEventOf<'task.messaged'>, at: number): void {
  const { task: key, id, message, comments, goesOn } = event.data;
  const task = taskOf(state, key);
  task.messages.push({ id, message, comments, at, after: task.attempts.length, session: null });
  task.free = 0;
  if (task.phase.status === 'running') task.interrupt = 'message';
  if (goesOn) resumeLastAttempt(state, task);
}

/** Queues a task again with a clean workspace and reset caps; a running attempt is interrupted first. */
export function requeueTask(state: RunState, event: RunEventOf<'task.requeued'>, at: number): void {
  const task = taskOf(state, event.data.task);
  task.counted = 0;
  task.free = 0;
  task.rounds = 0;
  task.lesson = null;
  task.report = null;
  task.resume = false;
  task.changes = 'discard';
  if (task.phase.status === 'running') {
    task.interrupt = 'requeue';
    return;
  }
  beginAtTip(state, task);
  if (task.phase.status !== 'waiting') makeReady(state, task, at);
}

/** The session of an ended attempt has received its messages; an interrupt is complete. */
export function deliverMessages(task: TaskState, { data }: RunEventOf<'attempt.ended'>): void {
  const { session, attempt, saved } = data;
  if (session !== undefined) {
    for (const message of task.messages) if (message.after < attempt) message.session = session;
  }
  if (task.interrupt === 'message' && saved !== undefined) task.from = null;
  task.interrupt = null;
}

/** The next attempt continues in the session and workspace of the last one; an invalidated task starts from the branch. */
function resumeLastAttempt(state: RunState, task: TaskState): void {
  task.resume = true;
  const isThere = lastAttempt(task)?.ended?.saved != null;
  if (isThere && !state.invalidated.includes(task.spec.key)) task.from = null;
}
