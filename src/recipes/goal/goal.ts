import { requiredFailures } from '../../core/finish/verdict.ts';
import { findCycle } from '../../core/run/graph.ts';
import { isApproved, rejectionOf } from '../../core/run/holds.ts';
import { lastAttempt, openTasks, type RunState, type TaskState } from '../../core/run/state.ts';
import { promptText } from '../../roles/prompt.ts';
import type { Config } from '../../schema/config.ts';
import type { Evidence } from '../../schema/gate.ts';
import { PlanOutput } from '../../schema/output.ts';
import { GoalInput } from '../../schema/request.ts';
import type { TaskSpec } from '../../schema/task.ts';
import { acceptingRedBase, describeEvidence, redBaseHold, redOnBase, repairTask } from '../base-red.ts';
import type { PlanDraft, Recipe, RecipeOutline, Unfolding } from '../recipe.ts';
import { nextRound } from '../review-rounds.ts';
import { oneLine, taskSpec } from '../task-spec.ts';

const NOTHING_NEW: Unfolding = { add: [] };

/** A goal becomes a plan, the plan parallel work, the merged result is reviewed and fixed until the reviews converge. */
export const goal: Recipe<GoalInput> = acceptingRedBase({
  name: 'goal',
  version: 1,
  input: GoalInput,
  form: {
    title: 'Goal',
    summary: 'Plan a goal, execute the plan and review the result.',
    file: false,
    command: { name: 'do', text: 'goal', flags: { planOnly: '--plan-only' } },
  },
  title: (input) => oneLine(input.goal),
  accept: (task, output) => (task.spec.role === 'plan' ? refusePlan(output) : undefined),
  unfold: (run, input, ended) => {
    if (ended === undefined) return begin(run, input);
    if (ended.spec.role === 'plan') return ended.phase.status === 'done' ? afterPlan(run, input, ended) : NOTHING_NEW;
    return openTasks(run) === 0 ? afterWork(run) : NOTHING_NEW;
  },
  planTask,
  outline,
});

/** The plan decides how many tasks there are, a review how many fixes. */
function outline({ review }: Config): RecipeOutline {
  return {
    phases: [
      { title: 'Plan the work', role: 'plan', most: 1 },
      { title: 'Run the tasks of the plan in parallel', role: 'implement', most: null },
      { title: 'Review the merged result', role: 'review', most: review.rounds },
      { title: 'Fix what a review found', role: 'fix', most: null },
    ],
    stops: [
      'every task of the plan has landed or failed, and a review finds nothing serious',
      'a review finds as much as the one before or more, or a fixed finding returns: the best tree is kept',
      `${review.rounds} reviews are used`,
    ],
  };
}

function begin(run: RunState, input: GoalInput): Unfolding {
  const { config } = run.start;
  const red = redOnBase(run);
  const isPartOfGoal = config.baseRed === 'ask';
  const plan = taskSpec(config, {
    key: 'plan/1',
    title: 'Plan the work',
    role: 'plan',
    access: 'read',
    prompt: planPrompt(input, isPartOfGoal ? red : []),
  });
  if (red.length === 0 || isPartOfGoal) return { add: [plan] };
  const repair = repairTask(run, red);
  const add = [repair, { ...plan, needs: [repair.key] }];
  return { add, ...redBaseHold(run, red) };
}

function planPrompt({ goal }: GoalInput, red: readonly Evidence[]): string {
  return red.length === 0 ? goal : promptText('recipes/goal/make-plan', { goal, redChecks: describeEvidence(red) });
}

function refusePlan(output: unknown): string | undefined {
  const plan = PlanOutput.safeParse(output);
  if (!plan.success) {
    return plan.error.issues.map((issue) => `${issue.path.join('.') || 'the plan'}: ${issue.message}`).join('; ');
  }
  const cycle = findCycle(plan.data.tasks.map((task) => ({ key: task.id, needs: task.needs })));
  return cycle === undefined ? undefined : `the plan has a cycle: ${cycle.join(' needs ')}`;
}

/** The tasks of a plan, or another plan where a person rejected this one. */
function afterPlan(run: RunState, input: GoalInput, plan: TaskState): Unfolding {
  const { tasks } = PlanOutput.parse(lastAttempt(plan)?.ended?.output);
  const { key: subject } = plan.spec;
  const rejection = rejectionOf(run, 'plan', subject);
  if (rejection !== undefined) return { add: [replan(run, input, plan, { tasks, reason: rejection })] };
  const generation = generationOf(plan);
  const keys = new Map(tasks.map((task, index) => [task.id, `implement/${generation}.${index + 1}`]));
  const repair = redOnBase(run).length === 0 ? [] : [`implement/${generation}.1`];
  const add = tasks.map((task, index) => {
    const named = [...new Set(task.needs.flatMap((need) => keys.get(need) ?? []))];
    // The first task makes failing checks of the base pass: no other could land before it.
    const needs = named.length > 0 || index === 0 ? named : repair;
    const files = (task.files ?? []).join(', ');
    const prompt = promptText('recipes/task', { description: task.description, files, redChecks: '' });
    return implementation(run, { key: keys.get(task.id) ?? '', title: task.title, needs, prompt });
  });
  if (!input.planOnly || isApproved(run, 'plan', subject)) return { add };
  const reason = `The plan has ${add.length} tasks; approve it to continue`;
  return { add, hold: { what: 'plan', reason, files: [], subject } };
}

/** The next plan: its keys contain its generation, and its planner keeps the session in which it knows the project. */
function replan(
  run: RunState,
  input: GoalInput,
  plan: TaskState,
  rejected: { tasks: PlanOutput['tasks']; reason: string },
): TaskSpec {
  const listed = rejected.tasks.map(({ title, description }) => `- ${title}: ${description}`).join('\n');
  return taskSpec(run.start.config, {
    key: `plan/${generationOf(plan) + 1}`,
    title: 'Plan the work again',
    role: 'plan',
    access: 'read',
    continues: plan.spec.key,
    prompt: promptText('recipes/goal/replan', {
      goal: planPrompt(input, redOnBase(run)),
      reason: rejected.reason,
      plan: listed,
    }),
  });
}

function implementation(run: RunState, task: Pick<TaskSpec, 'key' | 'title' | 'needs' | 'prompt'>): TaskSpec {
  return taskSpec(run.start.config, { ...task, role: 'implement', access: 'write' });
}

/** A task that a person adds to the newest plan. */
function planTask(run: RunState, draft: PlanDraft): TaskSpec {
  const plan = run.order.findLast((key) => run.tasks[key]?.spec.role === 'plan');
  const generation = plan === undefined ? 1 : Number(plan.split('/')[1]);
  const prefix = `implement/${generation}.`;
  const taken = [...run.order, ...draft.taken].filter((key) => key.startsWith(prefix));
  const highest = Math.max(0, ...taken.map((key) => Number(key.slice(prefix.length))));
  const { title, prompt, needs, priority, agent } = draft;
  const spec = implementation(run, { key: `${prefix}${highest + 1}`, title, needs, prompt });
  return {
    ...spec,
    ...(priority === undefined ? {} : { priority }),
    ...(agent === undefined ? {} : { agent }),
    requestedBy: { kind: 'person' },
  };
}

function generationOf(plan: TaskState): number {
  return Number(plan.spec.key.split('/')[1]);
}

function afterWork(run: RunState): Unfolding {
  if (requiredFailures(run).length > 0) return NOTHING_NEW;
  const most = run.start.config.review.rounds;
  const since = run.start.base.commit;
  if (run.tip.commit === since || most === 0) return NOTHING_NEW;
  return nextRound(run, { most, since, title: 'Review the merged result', pullRequest: '', reviewsResult: true });
}
