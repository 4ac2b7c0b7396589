import { converge, type ReviewRound, SEVERITY_SCORE } from '../core/convergence.ts';
import { findCycle } from '../core/graph.ts';
import { lastAttempt, openTasks, type RunState, type TaskState } from '../core/state.ts';
import { requiredFailures } from '../core/verdict.ts';
import { PlanOutput, ReviewOutput } from '../schema/output.ts';
import { GoalInput } from '../schema/request.ts';
import type { TaskSpec } from '../schema/task.ts';
import { baseRedHold, describeEvidence, redOnBase } from './base-red.ts';
import type { Recipe, Unfolding } from './recipe.ts';
import { oneLine, taskSpec } from './spec.ts';

/** Findings beyond this many in one round are left for the next. */
const FIXES_PER_ROUND = 20;
const NOTHING_NEW: Unfolding = { add: [] };

/** A goal becomes a plan, the plan parallel work, the merged result is reviewed and fixed until the reviews converge. */
export const goal: Recipe<GoalInput> = {
  name: 'goal',
  version: 1,
  input: GoalInput,
  title: (input) => oneLine(input.goal),
  accept: (task, output) => (task.spec.role === 'plan' ? refusePlan(output) : undefined),
  unfold: (run, input, ended) => {
    if (ended === undefined) return begin(run, input);
    if (ended.spec.role === 'plan') return ended.phase.status === 'done' ? carryOut(run, input, ended) : NOTHING_NEW;
    return openTasks(run) === 0 ? afterWork(run) : NOTHING_NEW;
  },
};

function begin(run: RunState, input: GoalInput): Unfolding {
  const { config } = run.start;
  const plan = taskSpec(config, {
    key: 'plan/1',
    title: 'Plan the work',
    role: 'plan',
    access: 'read',
    prompt: input.goal,
  });
  const red = redOnBase(run);
  if (red.length === 0) return { add: [plan] };
  const repair = taskSpec(config, {
    key: 'repair/1',
    title: 'Make the checks green before the work begins',
    role: 'repair',
    access: 'write',
    prompt: describeEvidence(red),
  });
  const add = [repair, { ...plan, needs: [repair.key] }];
  return config.baseRed === 'block' && !run.approved.includes('base-red') ? { add, hold: baseRedHold(red) } : { add };
}

function refusePlan(output: unknown): string | undefined {
  const plan = PlanOutput.safeParse(output);
  if (!plan.success) {
    return plan.error.issues.map((issue) => `${issue.path.join('.') || 'the plan'}: ${issue.message}`).join('; ');
  }
  const cycle = findCycle(plan.data.tasks.map((task) => ({ key: task.id, needs: task.needs })));
  return cycle === undefined ? undefined : `the plan goes in a circle: ${cycle.join(' needs ')}`;
}

function carryOut(run: RunState, input: GoalInput, plan: TaskState): Unfolding {
  const { tasks } = PlanOutput.parse(lastAttempt(plan)?.ended?.output);
  const keys = new Map(tasks.map((task, index) => [task.id, `implement/1.${index + 1}`]));
  const add = tasks.map((task) =>
    taskSpec(run.start.config, {
      key: keys.get(task.id) ?? '',
      title: task.title,
      role: 'implement',
      access: 'write',
      needs: [...new Set(task.needs.flatMap((need) => keys.get(need) ?? []))],
      prompt:
        task.files === undefined ? task.description : `${task.description}\n\nProbably in: ${task.files.join(', ')}`,
    }),
  );
  if (!input.planOnly || run.approved.includes('plan')) return { add };
  return { add, hold: { what: 'plan', reason: `The plan has ${add.length} tasks; approve it to go on`, files: [] } };
}

function afterWork(run: RunState): Unfolding {
  if (requiredFailures(run).length > 0) return NOTHING_NEW;
  const reviews = tasksOf(run, 'review');
  const last = reviews.at(-1);
  if (last !== undefined && last.phase.status !== 'done') return NOTHING_NEW;
  const most = run.start.config.review.rounds;
  if (run.tip.commit === run.start.base.commit || most === 0) return NOTHING_NEW;
  if (last === undefined || run.tasks[`fix/${reviews.length}.1`] !== undefined) return { add: [review(run, reviews)] };
  return afterReview(run, reviews, most);
}

function afterReview(run: RunState, reviews: TaskState[], most: number): Unfolding {
  const rounds = reviews.map(roundOf);
  const result = converge(rounds, most);
  const latest = reviews.at(-1);
  if (result.kind === 'clean' || latest === undefined) return NOTHING_NEW;
  if (result.kind === 'continue') return { add: fixes(run, latest, reviews.length) };
  if (result.best.high === 0 || run.approved.includes('review')) return stopAt(run, result);
  const reason = `${result.best.high} serious review findings are left after ${rounds.length} rounds (${result.why})`;
  return { add: [], hold: { what: 'review', reason, files: [] } };
}

function stopAt(run: RunState, result: { why: string; best: ReviewRound }): Unfolding {
  return result.best.commit === run.tip.commit
    ? NOTHING_NEW
    : { add: [], keep: { commit: result.best.commit, reason: result.why } };
}

function review(run: RunState, earlier: TaskState[]): TaskSpec {
  const round = earlier.length + 1;
  const since =
    earlier.length === 0
      ? run.start.base.commit
      : (lastAttempt(earlier.at(-1) ?? never())?.base ?? run.start.base.commit);
  const known = earlier.flatMap((task) => findingsOf(task).map((finding) => `- ${finding.title}`));
  const before =
    known.length === 0 ? '' : `\n\nFindings of earlier rounds, which were to be fixed:\n${known.join('\n')}`;
  return taskSpec(run.start.config, {
    key: `review/${round}`,
    title: round === 1 ? 'Review the merged result' : `Review the fixes (round ${round})`,
    role: 'review',
    access: 'read',
    prompt: `Review what changed: git diff ${since} HEAD${before}`,
  });
}

function fixes(run: RunState, latest: TaskState, round: number): TaskSpec[] {
  const serious = findingsOf(latest).filter((finding) => SEVERITY_SCORE[finding.severity] > 0);
  return serious.slice(0, FIXES_PER_ROUND).map((finding, index) =>
    taskSpec(run.start.config, {
      key: `fix/${round}.${index + 1}`,
      title: `Fix: ${finding.title}`,
      role: 'fix',
      access: 'write',
      optional: true,
      prompt:
        `${finding.description}\n\n${finding.file === undefined ? '' : `In ${finding.file}${finding.line === undefined ? '' : `:${finding.line}`}`}`.trim(),
    }),
  );
}

function roundOf(task: TaskState): ReviewRound {
  const findings = findingsOf(task);
  return {
    score: findings.reduce((sum, finding) => sum + SEVERITY_SCORE[finding.severity], 0),
    high: findings.filter((finding) => finding.severity === 'high').length,
    commit: lastAttempt(task)?.base ?? '',
  };
}

function findingsOf(task: TaskState): ReviewOutput['findings'] {
  const output = ReviewOutput.safeParse(lastAttempt(task)?.ended?.output);
  return output.success ? output.data.findings : [];
}

function tasksOf(run: RunState, kind: 'review'): TaskState[] {
  const tasks: TaskState[] = [];
  for (let round = 1; ; round += 1) {
    const task = run.tasks[`${kind}/${round}`];
    if (task === undefined) return tasks;
    tasks.push(task);
  }
}

function never(): never {
  throw new Error('a list that is not empty has a last element');
}
