import { judgeSteps } from '../../core/land/steps.ts';
import { lastAttempt, type RunState, type TaskState } from '../../core/run/state.ts';
import type { Feature, FeatureStatus, FeaturesInput } from '../../schema/work-file.ts';
import type { FileStatuses } from '../recipe.ts';

type FeatureProgress = { status: FeatureStatus; reason?: string };

/** The status of the features of a run, as written to their file; features that are not part of the run are left out. */
export function featureStatuses(run: RunState, input: FeaturesInput): FileStatuses | undefined {
  if (input.file === null) return undefined;
  const statuses = input.features.flatMap((feature, index) => {
    const task = run.tasks[`feature/${index + 1}`];
    return task === undefined ? [] : [{ id: feature.id, ...progressOf(run, feature, task) }];
  });
  return { file: input.file, statuses };
}

/** Names the features whose last verification in the checkout failed: their code has landed, so no task shows it. */
export function finalVerdict(run: RunState, input: FeaturesInput): string | undefined {
  const failed = input.features.filter((feature, index) => {
    const task = run.tasks[`feature/${index + 1}`];
    return task !== undefined && progressOf(run, feature, task).status === 'failed';
  });
  if (failed.length === 0) return undefined;
  return `not verified: ${failed.map(({ name }) => name).join(', ')}`;
}

function progressOf(run: RunState, feature: Feature, task: TaskState): FeatureProgress {
  switch (task.phase.status) {
    case 'failed':
    case 'skipped':
      return { status: 'failed', reason: task.phase.reason };
    case 'verifying':
      return { status: 'verifying' };
    case 'done':
      return run.start.config.verify.in === 'checkout' && !run.start.config.verify.disabled
        ? inCheckout(run, feature, task.spec.key)
        : { status: 'passed' };
    default:
      return { status: 'open' };
  }
}

function inCheckout(run: RunState, feature: Feature, key: string): FeatureProgress {
  const rounds = run.start.config.verify.maxAttempts;
  for (let round = 1; round <= rounds; round += 1) {
    const verification = run.tasks[`${key}/verify/${round}`];
    if (verification === undefined) return { status: 'verifying' };
    if (verification.phase.status === 'failed') return { status: 'failed', reason: verification.phase.reason };
    if (verification.phase.status !== 'done') return { status: 'verifying' };
    const verdict = judgeSteps(lastAttempt(verification)?.ended?.output, feature.steps);
    if (verdict.passed) return { status: 'passed' };
    const fix = run.tasks[`${key}/fix/${round}`];
    if (fix?.phase.status === 'failed') return { status: 'failed', reason: fix.phase.reason };
    if (round === rounds) return { status: 'failed', reason: verdict.summary };
  }
  return { status: 'verifying' };
}
