import type { RunState, TaskState } from '../../core/run/state.ts';
import { AppError } from '../../errors.ts';
import type { RunEvent } from '../../schema/event.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { crashpoint } from '../../world.ts';
import type { ActiveRun } from '../loop/context.ts';

/** An attempt that can be interrupted on its own. */
export interface InterruptibleAttempt extends Disposable {
  readonly signal: AbortSignal;
}

/** Makes one attempt of the task interruptible; it is interrupted at once if that was recorded before an engine ended. */
export function interruptible(run: ActiveRun, task: TaskState): InterruptibleAttempt {
  const controller = new AbortController();
  const { key } = task.spec;
  run.interrupts.set(key, controller);
  if (run.ledger.state.tasks[key]?.interrupt != null) controller.abort();
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      if (run.interrupts.get(key) === controller) run.interrupts.delete(key);
    },
  };
}

/** Interrupts the attempt of a task, after the reason is recorded. */
export function interrupt(run: ActiveRun, key: string): void {
  crashpoint('attempt.interrupting');
  run.interrupts.get(key)?.abort();
  crashpoint('attempt.interrupted');
}

/** Interrupts every attempt that this machine performs, not those on hosts. */
export function interruptHere(runs: Iterable<ActiveRun>, reason: string): void {
  for (const { interrupts, ledger } of runs)
    for (const [key, controller] of interrupts)
      if (ledger.state.tasks[key]?.attempts.at(-1)?.host === undefined)
        controller.abort(new AppError('NOT_LEADER', reason));
}

/** Ends everything in flight for a run that is being cancelled. */
export function cancel(run: ActiveRun, force: boolean): void {
  if (force) run.force.abort();
  run.cancel.abort();
}

/** Lets a cancelled run that has ended begin again. */
export function uncancel(run: ActiveRun): void {
  if (!run.cancel.signal.aborted) return;
  run.cancel = new AbortController();
  run.force = new AbortController();
  run.cancelErrors = 0;
}

/** The tasks whose running attempt these events interrupt. */
export function interruptedBy(events: readonly RunEvent[], state: RunState): TaskKey[] {
  const isInterrupted = (key: TaskKey) => state.tasks[key]?.interrupt != null;
  return events.flatMap((event) => {
    if (event.type === 'tasks.cancelled') return event.data.tasks.filter(isInterrupted);
    if (event.type !== 'task.messaged' && event.type !== 'task.requeued') return [];
    return isInterrupted(event.data.task) ? [event.data.task] : [];
  });
}
