import { Diagnosis } from '../../schema/call.ts';
import type { DiagnosisDocument } from '../../schema/document.ts';
import type { Failure } from '../../schema/failure.ts';
import { callId } from '../models/fold-call.ts';
import type { RunState, TaskState } from '../run/state.ts';
import { nextStepAfter } from './next-step.ts';

/** Failures by a limit: the rules know the command that raises it, and a model does not. */
const EXACT: ReadonlySet<Failure['kind']> = new Set(['budget', 'timeout', 'stalled']);

/** Why a task of a run failed and what to do, from the record alone. */
export function diagnosisByRules(state: RunState, task: TaskState, failure: Failure): Diagnosis {
  return { why: failure.message, nextStep: nextStepAfter(state, task, failure) };
}

/** The failure that a task ended with; one that was skipped or cancelled has none of its own. */
export function failureOf({ phase, attempts }: TaskState): Failure | undefined {
  if (phase.status !== 'failed') return undefined;
  return phase.failure ?? attempts.at(-1)?.ended?.failure ?? undefined;
}

/** Names the diagnosis of a task; each further attempt gives it another name. */
export function diagnosisName(task: TaskState): string {
  return `${task.spec.key} ${task.attempts.length}`;
}

/** Why a task failed and what to do: the answer that a model gave, else by rules. */
export function diagnosisOf(state: RunState, task: TaskState): DiagnosisDocument | null {
  const failure = failureOf(task);
  if (failure === undefined) return null;
  const call = state.calls[callId('diagnosis', diagnosisName(task))]?.ended;
  const answer = Diagnosis.safeParse(call?.answer);
  const byRules = diagnosisByRules(state, task, failure);
  if (call?.by == null || !answer.success) return { ...byRules, by: 'rules' };
  const isExact = EXACT.has(failure.kind) || failure.outside !== undefined;
  return { ...answer.data, ...(isExact ? { nextStep: byRules.nextStep } : {}), by: call.by };
}
