import { shownState } from '../../core/view/shown-state.ts';
import { findRun } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Gives the state of a run, small enough to be sent however many tasks it has. */
export const runState: Operation<'run-state'> = async (ports, ref) => {
  const state = await findRun(ports, ref);
  return { version: state.version, now: ports.now(), state: shownState(state) };
};
