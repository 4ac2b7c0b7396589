import type { RunState, TaskState } from '../../../core/run/state.ts';
import { isPaused } from '../../../core/view/attention.ts';

/** Why a task does not run now; undefined if it runs or has ended. */
export function waitingReason(state: RunState, { spec, phase }: TaskState, now: number): string | undefined {
  switch (phase.status) {
    case 'waiting': {
      const open = spec.needs.filter((need) => state.tasks[need]?.phase.status !== 'done');
      const [first] = open;
      const title = first === undefined ? undefined : state.tasks[first]?.spec.title;
      return title === undefined
        ? 'waits'
        : `waits for ${title}${open.length > 1 ? ` and ${open.length - 1} more` : ''}`;
    }
    case 'ready':
      if (state.status.kind === 'held') return 'waits for your approval';
      if (isPaused(state, spec.track)) return 'paused';
      if (phase.notBefore > now) return 'waits for its scheduled time';
      return state.counts.running >= state.maxParallel ? 'waits for a free agent' : 'waits to start';
    case 'held':
      return `needs you: ${phase.hold.reason}`;
    case 'blocked':
      return `blocked: ${phase.reason}`;
    case 'conflicted':
      return 'waits for its conflict to be resolved';
    case 'analyzing':
      return 'its failure is analyzed';
    case 'verifying':
      return 'is verified';
    case 'landing':
      return 'checks run';
    case 'running':
    case 'done':
    case 'failed':
    case 'skipped':
    case 'cancelled':
      return undefined;
  }
}
