import { endFailed } from '../../core/run/end-tasks.ts';
import { requireTask } from '../../core/run/require.ts';
import type { RunState } from '../../core/run/state.ts';
import type { Intent } from '../../core/schedule/next.ts';
import type { RunEvent } from '../../schema/event.ts';

/** Fails a task that can never start. */
export function giveUp(state: RunState, intent: Extract<Intent, { do: 'give-up' }>): RunEvent[] {
  const task = requireTask(state, intent.task);
  return endFailed(state, task, { reason: intent.reason, failure: { kind: intent.kind, message: intent.reason } });
}
