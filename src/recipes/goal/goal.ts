import { requiredFailures } from '../../core/finish/verdict.ts';
import { findCycle } from '../../core/run/graph.ts';
import { lastAttempt, openTasks, type RunState, type TaskState } from '../../core/run/state.ts';
import { promptText } from '../../roles/prompt.ts';
import { PlanOutput } from '../../schema/output.ts';
import { GoalInput } from '../../schema/request.ts';
import { baseRedHold, describeEvidence, redOnBase } from '../base-red.ts';
import type { Recipe, Unfolding } from '../recipe.ts';
import { nextRound } from '../review-rounds.ts';
import { oneLine, taskSpec } from '../task-spec.ts';

const NOTHING_NEW: Unfolding = { add: [] };

/** A goal becomes a plan, the plan parallel work, the merged result is reviewed and fixed until the reviews converge. */
export const goal: Recipe<GoalInput> = {
  name: 'goal',
  version: 1,
  input: GoalInput,
  form: { title: 'Goal', summary: 'Plan a goal, execute the plan and review the result.', file: false },
  title: (input) => oneLine(input.goal),
  accept: (task, output) => (task.spec.role === 'plan' ? refusePlan(output) : undefined),
  unfold: (run, input, ended) => {
    if (ended === undefined) return begin(run, input);
    if (ended.spec.role === 'plan') return ended.phase.status === 'done' ? execute(run, input, ended) : NOTHING_NEW;
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

function execute(run: RunState, input: GoalInput, plan: TaskState): Unfolding {
  const { tasks } = PlanOutput.parse(lastAttempt(plan)?.ended?.output);
  const keys = new Map(tasks.map((task, index) => [task.id, `implement/1.${index + 1}`]));
  const add = tasks.map((task) =>
    taskSpec(run.start.config, {
      key: keys.get(task.id) ?? '',
      title: task.title,
      role: 'implement',
      access: 'write',
      needs: [...new Set(task.needs.flatMap((need) => keys.get(need) ?? []))],
      prompt: promptText('recipes/task', {
        description: task.description,
        files: (task.files ?? []).join(', '),
        redChecks: '',
      }),
    }),
  );
  if (!input.planOnly || run.approved.includes('plan')) return { add };
  return { add, hold: { what: 'plan', reason: `The plan has ${add.length} tasks; approve it to go on`, files: [] } };
}

function afterWork(run: RunState): Unfolding {
  if (requiredFailures(run).length > 0) return NOTHING_NEW;
  const most = run.start.config.review.rounds;
  const since = run.start.base.commit;
  if (run.tip.commit === since || most === 0) return NOTHING_NEW;
  return nextRound(run, { most, since, title: 'Review the merged result', pullRequest: '' });
}
