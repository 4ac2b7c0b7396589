import type { StartAttempt } from '../core/decide/attempt.ts';
import type { Intent } from '../core/next.ts';
import type { RunState } from '../core/state.ts';
import type { TaskKey } from '../schema/ids.ts';

/** The claim by which an attempt begins; none when the run or the task moved on since the loop looked. */
export function claimFor(state: RunState, intent: Extract<Intent, { do: 'attempt' }>): StartAttempt | undefined {
  const task = state.tasks[intent.task];
  if (state.status.kind !== 'running' || task?.phase.status !== 'ready') return undefined;
  const last = task.attempts.at(-1);
  const base = task.from?.base ?? last?.base ?? baseOf(state, intent.task);
  const { agent, account, because, reservation } = intent;
  const isSame = last?.agent === agent && last.account === (account ?? null);
  const session = task.resume && isSame ? last.session : undefined;
  const claim = { task: intent.task, agent, because, reservation, base };
  return { ...claim, ...(account === undefined ? {} : { account }), ...(session == null ? {} : { session }) };
}

/** A resolver measures its work against the side that the conflict was laid out on; everybody else against the tip. */
function baseOf(state: RunState, key: TaskKey): string {
  const resolves = state.tasks[key]?.spec.resolves;
  const phase = resolves === undefined ? undefined : state.tasks[resolves]?.phase;
  return phase?.status === 'conflicted' ? phase.onto : state.tip.commit;
}
