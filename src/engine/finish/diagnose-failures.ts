import { diagnosisByRules, diagnosisName, failureOf } from '../../core/attempt/diagnosis.ts';
import { lastAttempt, type TaskState } from '../../core/run/state.ts';
import { promptText } from '../../roles/prompt.ts';
import { Diagnosis } from '../../schema/call.ts';
import type { Failure } from '../../schema/failure.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { smallCall } from '../small-calls/small-call.ts';

/** When every task failed, the first few diagnoses are enough. */
const MAX_DIAGNOSES = 3;

/** Asks why the tasks of a run that is about to end have failed, and records the answers. */
export async function diagnoseFailures(ctx: EngineContext, run: ActiveRun): Promise<void> {
  const { state } = run.ledger;
  if (state.status.kind !== 'running' || state.counts.failed === 0) return;
  const failed = state.order.flatMap((key) => {
    const task = state.tasks[key];
    const failure = task === undefined ? undefined : failureOf(task);
    return task === undefined || failure === undefined ? [] : [{ task, failure }];
  });
  await Promise.all(
    failed.slice(0, MAX_DIAGNOSES).map(({ task, failure }) =>
      smallCall(ctx, run, {
        kind: 'diagnosis',
        about: task.spec.key,
        name: diagnosisName(task),
        input: inputFor(task, failure),
        schema: Diagnosis,
        rules: () => diagnosisByRules(failure),
      }),
    ),
  );
}

function inputFor(task: TaskState, failure: Failure): string {
  const attempt = lastAttempt(task);
  const checks = task.evidence.filter(({ verdict }) => verdict !== 'pass');
  return promptText('roles/small-calls/failed-task', {
    title: task.spec.title,
    task: task.spec.prompt.slice(0, 3_000),
    attempts: String(task.attempts.length),
    agent: attempt?.agent ?? 'none',
    failure: `${failure.kind}: ${failure.message}`,
    evidence: (failure.evidence ?? '').slice(-3_000),
    checks: checks.map(({ gate, verdict, summary }) => `Check ${gate}: ${verdict}: ${summary}`).join('\n\n'),
    lastMessage: (attempt?.ended?.summary ?? '').slice(-1_500),
  });
}
