import type { FailureKind, FollowUp } from '../../schema/failure.ts';
import type { RunState, TaskState } from '../run/state.ts';

/** Uncounted retries (an interruption, a rate-limited account) are capped too, so that they cannot repeat forever. */
const FREE_RETRIES = 20;

export type RetryDecision =
  | { kind: 'retry'; at: number; counted: boolean; resume: boolean; analyze: boolean }
  | { kind: 'block'; reason: string }
  | { kind: 'give-up'; reason: string };

/** Whether the agent itself crashed or hung, which is no evidence about the task. */
export function isCrash(kind: FailureKind | undefined): boolean {
  return kind === 'crashed' || kind === 'stalled';
}

/** What happens to a task after a failure: caps per task and per run override what the kind of failure requests. */
export function decideRetry(state: RunState, task: TaskState, follow: FollowUp, now: number): RetryDecision {
  if (state.attempts >= state.start.config.limits.runAttempts) {
    return { kind: 'give-up', reason: `the run's cap of ${state.start.config.limits.runAttempts} attempts is reached` };
  }
  switch (follow.action) {
    case 'fail':
      return { kind: 'give-up', reason: '' };
    case 'block':
      return { kind: 'block', reason: follow.reason };
    case 'switch':
      return task.spec.retry.policy === 'none' ? noRetry() : retryUncounted(task, now, false);
    case 'retry':
      return follow.free ? retryUncounted(task, now + follow.delayMs, follow.resume) : counted(task, follow, now);
  }
}

function retryUncounted(task: TaskState, at: number, resume: boolean): RetryDecision {
  if (task.free >= FREE_RETRIES)
    return { kind: 'give-up', reason: `retried ${FREE_RETRIES} times for reasons outside the task` };
  return { kind: 'retry', at, counted: false, resume, analyze: false };
}

function counted(task: TaskState, follow: Extract<FollowUp, { action: 'retry' }>, now: number): RetryDecision {
  const { policy, attempts } = task.spec.retry;
  if (policy === 'none') return noRetry();
  if (task.counted + 1 >= attempts)
    return { kind: 'give-up', reason: attempts === 1 ? 'the only attempt failed' : `${attempts} attempts failed` };
  return {
    kind: 'retry',
    at: now + follow.delayMs,
    counted: true,
    resume: follow.resume,
    analyze: policy === 'analyze',
  };
}

function noRetry(): RetryDecision {
  return { kind: 'give-up', reason: 'its retry policy is none' };
}
