import type { RunWord } from '../schema/document.ts';
import { isStuck } from './attention.ts';
import type { RunState } from './state.ts';

/** Whether a run would go on and nobody works on it, as after a crash; `carried` is unknown where nobody asked. */
export function isInterrupted({ status, carried }: { status: RunWord; carried?: boolean | undefined }): boolean {
  return carried === false && (status === 'running' || status === 'cancelling');
}

/** How a run stands, in one word. */
export function runWord(state: RunState): RunWord {
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
