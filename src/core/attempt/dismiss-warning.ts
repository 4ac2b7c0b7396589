import { AppError } from '../../errors.ts';
import type { RunEvent } from '../../schema/event.ts';
import type { HealthSign } from '../../schema/health.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { requireTask } from '../run/require.ts';
import type { RunState } from '../run/state.ts';

/** Dismisses a warning, also of an attempt that has ended; a second time says nothing new. */
export function dismissWarning(
  state: RunState,
  what: { task: TaskKey; attempt: number; sign: HealthSign },
): RunEvent[] {
  const attempt = requireTask(state, what.task).attempts[what.attempt - 1];
  const warnings = (attempt?.warnings ?? []).filter(({ sign }) => sign === what.sign);
  if (warnings.length === 0)
    throw new AppError('REFUSED', `Attempt ${what.attempt} of ${what.task} has no warning "${what.sign}"`, {
      key: what.task,
    });
  return warnings.every(({ dismissed }) => dismissed) ? [] : [{ type: 'attempt.warning-dismissed', data: what }];
}
