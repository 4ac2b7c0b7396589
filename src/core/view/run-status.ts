import type { RunStatus } from '../../schema/document.ts';
import type { RunState } from '../run/state.ts';
import { isStuck } from './attention.ts';

/** Whether a run would go on and nobody works on it, as after a crash; `carried` is unknown where nobody asked. */
export function isInterrupted({ status, carried }: { status: RunStatus; carried?: boolean | undefined }): boolean {
  return carried === false && (status === 'running' || status === 'cancelling');
}

/** How a run stands, in one word. */
export function runStatus(state: RunState): RunStatus {
  switch (state.status.kind) {
    case 'ended':
      return state.status.status;
    case 'cancelling':
      return 'cancelling';
    case 'held':
      return 'held';
    case 'running':
      if (!isStuck(state)) return 'running';
      if (state.counts.held > 0) return 'held';
      return state.counts.blocked > 0 || Object.keys(state.paused).length === 0 ? 'blocked' : 'paused';
  }
}
