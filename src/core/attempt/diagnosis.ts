import { Diagnosis } from '../../schema/call.ts';
import type { DiagnosisDocument } from '../../schema/document.ts';
import type { Failure, FailureKind } from '../../schema/failure.ts';
import { callId } from '../models/fold-call.ts';
import type { RunState, TaskState } from '../run/state.ts';

/** What a person can do about a task that failed for good, by the kind of its last failure. */
const NEXT_STEPS: Readonly<Record<FailureKind, string>> = {
  'rate-limit': 'Wait a while or add another agent to routing.order, then manyhands retry.',
  'usage-limit': 'Wait for the reset or add another agent to routing.order, then manyhands retry.',
  overloaded: 'The provider is overloaded: try again later with manyhands retry.',
  auth: 'Log the agent in again (manyhands doctor says how), then manyhands retry.',
  billing: 'Settle the account with the provider or choose another agent, then manyhands retry.',
  'model-not-found': 'Correct the model in agents.<name>.models, or choose another agent, then manyhands retry.',
  'context-full': 'Split the task into smaller ones: its conversation did not fit the model.',
  network: 'Check the connection to the provider, then manyhands retry.',
  environment: 'Fix what the message names (manyhands doctor helps), then manyhands retry.',
  tests: 'Read the output of the check with manyhands show <run>, fix the task or the check, then manyhands retry.',
  verification: 'Read what was found with manyhands show <run>, word the task more exactly, then manyhands retry.',
  stalled:
    'Read its last output with manyhands logs. A retry keeps the limits of its run: if it was still working, start a new run with a higher limits.inactivitySeconds.',
  timeout:
    'A retry keeps the limits of its run: start a new run with more time (limits.runtimeSeconds, or --stop time=...), or split the task.',
  crashed: 'Read its last output with manyhands logs, update the agent, then manyhands retry.',
  killed: 'Find out what killed it (often too little memory), then manyhands retry.',
  'out-of-memory': 'Lower limits.agents so that fewer work at once, then manyhands retry.',
  'disk-full': 'Free some disk space, then manyhands retry.',
  conflict: 'Resolve the conflict by hand on the branch of the run, or manyhands retry.',
  budget:
    'A retry keeps the limits of its run: start a new run with a higher limit than the message names, or split the task.',
  refused: 'Word the task differently or choose another agent, then manyhands retry.',
  'no-change': 'Say in the task what must be different afterwards, then start it again.',
  'bad-output': 'Choose another model for this role, then manyhands retry.',
  implementation: 'Read its last output with manyhands logs, word the task more exactly, then manyhands retry.',
  interrupted: 'Nothing is wrong with the task: continue with manyhands retry.',
  'session-lost': 'Nothing is wrong with the task: start it again with manyhands retry.',
  unknown: 'Read its last output with manyhands logs, then manyhands retry.',
};

/** Why a task of a run failed and what to do, from the record alone. */
export function diagnosisByRules(run: string, failure: Failure): Diagnosis {
  return { why: failure.message, nextStep: NEXT_STEPS[failure.kind].replace('<run>', run) };
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
  if (call?.by == null || !answer.success) return { ...diagnosisByRules(state.start.run, failure), by: 'rules' };
  return { ...answer.data, by: call.by };
}
