import { diagnosisByRules, diagnosisName, failureOf } from '../../core/attempt/diagnosis.ts';
import { isBaseChecked } from '../../core/run/check-start.ts';
import { holdRun } from '../../core/run/decide-run.ts';
import { hasLanded, lastAttempt, openTasks, type RunState, type TaskState } from '../../core/run/state.ts';
import { openSubRuns } from '../../core/run/sub-run-state.ts';
import { nextStartAt } from '../../core/schedule/start-time.ts';
import { isStuck } from '../../core/view/attention.ts';
import { isSatisfied } from '../../gates/gate-kinds.ts';
import { promptText } from '../../roles/prompt.ts';
import { Diagnosis } from '../../schema/call.ts';
import type { Failure } from '../../schema/failure.ts';

import { landOnBase } from '../land/land-on-base.ts';
import { measureTip } from '../land/measure-check.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { smallCall } from '../small-calls/small-call.ts';
import { finishRun, showBranch } from './finish-run.ts';
import { triageLearnings } from './triage-learnings.ts';

/** When every task failed, the first few diagnoses are enough. */
const MAX_DIAGNOSES = 3;

/** A step of a run besides its tasks; steps happen one at a time, and one with `onlyOnce` is never repeated. */
export type ClosingStep = {
  name: string;
  onlyOnce: boolean;
  /** What it does, for who watches. */
  what: string;
  perform: (ctx: EngineContext, run: ActiveRun) => Promise<void>;
};

const END: ClosingStep = { name: 'end', onlyOnce: false, what: 'completes the run', perform: diagnoseAndFinish };

/** What the recipe wants to know about the branch is measured before the run may end. */
const MEASURE: ClosingStep = {
  name: 'measure',
  onlyOnce: false,
  what: 'measures on the branch of the run',
  perform: measureTip,
};

/** The next step of a run besides its tasks: a measurement, its end, landing on the base after each task, pushing its branch while it waits. */
export function nextClosingStep(state: RunState, toMeasure?: ActiveRun['toMeasure']): ClosingStep | undefined {
  if (state.status.kind === 'ended') return undefined;
  const isRunning = state.status.kind === 'running';
  if (isRunning && state.start.landEach === true && hasWork(state) && !hasLanded(state))
    return {
      name: 'land',
      onlyOnce: false,
      what: `lands on ${state.start.base.branch ?? 'the base'}`,
      perform: landNow,
    };
  if (isRunning && toMeasure !== undefined) return MEASURE;
  const mayEnd = state.status.kind === 'cancelling' || (isRunning && isBaseChecked(state));
  if (mayEnd && openTasks(state) === 0) return state.openCalls > 0 || openSubRuns(state).length > 0 ? undefined : END;
  const waits = isStuck(state) || (state.start.landEach !== true && nextStartAt(state) !== undefined);
  if (waits && state.pushed !== state.tip.commit && hasWork(state))
    return {
      name: `show ${state.tip.commit}`,
      onlyOnce: true,
      what: 'updates the branch of the run',
      perform: showBranch,
    };
  return undefined;
}

function hasWork({ tip, start }: RunState): boolean {
  return tip.commit !== start.base.commit;
}

async function landNow(ctx: EngineContext, run: ActiveRun): Promise<void> {
  const outcome = await landOnBase(ctx, run);
  if (outcome.kind === 'held') await ctx.submit(run, (state) => holdRun(state, outcome.hold)).committed;
}

/** A person may retry tasks while their failures are diagnosed: then the run does not end. */
async function diagnoseAndFinish(ctx: EngineContext, run: ActiveRun): Promise<void> {
  await Promise.all([diagnoseFailures(ctx, run), triageLearnings(ctx, run)]);
  if (nextClosingStep(run.ledger.state, run.toMeasure) === END) await finishRun(ctx, run, run.endCommit);
}

/** Asks why the tasks of a run that is about to end have failed, and records the answers. */
async function diagnoseFailures(ctx: EngineContext, run: ActiveRun): Promise<void> {
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
        rules: () => diagnosisByRules(run.ledger.state, task, failure),
      }),
    ),
  );
}

function inputFor(task: TaskState, failure: Failure): string {
  const attempt = lastAttempt(task);
  const checks = task.evidence.filter(({ verdict }) => !isSatisfied(verdict));
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
