import type { RunStatus } from '../../schema/document.ts';
import type { RunState } from '../run/state.ts';
import { isStuck } from './attention.ts';

/** The status of a run. */
export function runStatus(state: RunState): RunStatus {
  switch (state.status.kind) {
    case 'ended':
      return state.status.status;
    case 'cancelling':
      return 'cancelling';
    case 'held':
      return 'held';
    case 'running':
      if (!isStuck(state)) return needsRerun(state) ? 'needs-rerun' : 'running';
      if (state.counts.held > 0) return 'held';
      return state.counts.blocked > 0 || Object.keys(state.paused).length === 0 ? 'blocked' : 'paused';
  }
}

/** Whether done work was invalidated, and nothing of the run is in progress. */
function needsRerun({ invalidated, counts }: RunState): boolean {
  return invalidated.length > 0 && counts.running + counts.landing + counts.verifying + counts.analyzing === 0;
}
