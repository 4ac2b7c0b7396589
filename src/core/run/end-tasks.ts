import type { RunEvent } from '../../schema/event.ts';
import type { Failure, FailureKind, FailureLimit } from '../../schema/failure.ts';
import type { TaskKey } from '../../schema/ids.ts';
import { nextStepAfter } from '../attempt/next-step.ts';
import { labelOf } from '../view/task-label.ts';
import { requireTask } from './require.ts';
import { isOpen, type RunState, type TaskState } from './state.ts';

/** Fails a task and everything that depends on it: the task whose conflict it resolves, and all tasks that need either. */
export function endFailed(state: RunState, task: TaskState, why: { reason: string; failure: Failure }): RunEvent[] {
  const key = task.spec.key;
  const events: RunEvent[] = [{ type: 'task.ended', data: { task: key, status: 'failed', ...why } }];
  const settled = new Set([key]);
  const resolved = task.spec.resolves;
  if (resolved !== undefined && state.tasks[resolved]?.phase.status === 'conflicted') {
    const reason = `its merge conflict was not resolved: ${why.reason}`;
    const failure: Failure = { kind: 'conflict', message: reason };
    events.push({ type: 'task.ended', data: { task: resolved, status: 'failed', reason, failure } });
    settled.add(resolved);
  }
  const verified = task.spec.verifies === undefined ? undefined : state.tasks[task.spec.verifies];
  if (verified?.phase.status === 'verifying') {
    const { commit, ref } = verified.phase;
    const nextStep = nextStepAfter(state, task, why.failure);
    const reason = `it could not be verified: ${why.reason}`;
    events.push({
      type: 'task.blocked',
      data: { task: verified.spec.key, reason, nextStep, landing: { commit, ref } },
    });
  }
  for (const root of [...settled]) events.push(...skipDependents(state, root, settled));
  return events;
}

/** Blocks a task that no agent may do now, until a person changes that. */
export function blockTask(state: RunState, what: { task: TaskKey; reason: string }): RunEvent[] {
  const { task, reason } = what;
  if (requireTask(state, task).phase.status !== 'ready') return [];
  const nextStep = `Let another agent do it (manyhands retry ${state.start.run} --agent <name>), or retry when the cap allows it.`;
  return [{ type: 'task.blocked', data: { task, reason, nextStep } }];
}

/** Fails a task that can never start. */
export function giveUpTask(
  state: RunState,
  { task, kind, reason, limit }: { task: TaskKey; kind: FailureKind; reason: string; limit?: FailureLimit },
): RunEvent[] {
  const failure: Failure = { kind, message: reason, ...(limit === undefined ? {} : { limit }) };
  return endFailed(state, requireTask(state, task), { reason, failure });
}

function skipDependents(state: RunState, root: TaskKey, settled: Set<TaskKey>): RunEvent[] {
  const events: RunEvent[] = [];
  const pending = [root];
  for (let need = pending.pop(); need !== undefined; need = pending.pop()) {
    for (const key of state.dependents[need] ?? []) {
      const dependent = state.tasks[key];
      if (dependent === undefined || settled.has(key) || !isOpen(dependent)) continue;
      settled.add(key);
      pending.push(key);
      events.push({
        type: 'task.ended',
        data: { task: key, status: 'skipped', reason: `it needs ${labelOf(state, need)}, which was not done` },
      });
    }
  }
  return events;
}
