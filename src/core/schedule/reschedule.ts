import { AppError } from '../../errors.ts';
import type { RunEvent } from '../../schema/event.ts';
import { requireLive } from '../run/require.ts';
import type { RunState } from '../run/state.ts';
import { nextStartAt } from './start-time.ts';

/** Moves the next start of a run that waits for its time; a time that has passed starts it now. */
export function rescheduleRun(state: RunState, at: number): RunEvent[] {
  requireLive(state);
  const next = nextStartAt(state);
  if (next === undefined)
    throw new AppError('REFUSED', `Run ${state.start.run} does not wait for a time that could change`, {
      run: state.start.run,
    });
  if (next === at) return [];
  const tasks = Object.keys(state.delayed).filter((key) => state.delayed[key] === next);
  return [{ type: 'tasks.edited', data: { changes: tasks.map((task) => ({ task, notBefore: at })) } }];
}
