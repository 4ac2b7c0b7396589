import { z } from 'zod';
import { ScopeGlob } from './config/scope.ts';

const Text = z.string().trim().min(1, 'must not be empty');

/** One task of a planner's output; its id is any text and only resolves `needs`. */
const PlannedTask = z.object({
  id: Text.max(200).describe('Any name that is unique in this plan.'),
  title: Text.max(200).describe('One line, imperative.'),
  description: Text.describe('What to do and how to tell that it is done.'),
  needs: z.array(Text).default([]).describe('Ids of tasks that must be finished first.'),
  files: z.array(Text).optional().describe('Files it will probably touch.'),
});

/** The output of the plan role: tasks with unique ids and existing needs; the task graph detects cycles. */
export const PlanOutput = z
  .object({
    tasks: z.array(PlannedTask).min(1, 'a plan needs at least one task').max(200, 'a plan has at most 200 tasks'),
    summary: z.string().optional(),
  })
  .superRefine(refuseLooseEnds);
export type PlanOutput = z.infer<typeof PlanOutput>;

/** What a listed task is for; all but implement only read. */
const ListedRole = z.enum(['implement', 'requirements', 'architecture', 'research', 'testing', 'review', 'security']);

/** The output of the tasks role: a plan for a person to read, with a command that checks whether a task is done. */
export const TasksOutput = z
  .object({
    tasks: z
      .array(
        PlannedTask.extend({
          check: Text.max(1_000).optional().describe('A shell command that exits 0 exactly when it is done.'),
          role: ListedRole.optional().describe('In a workflow: who does it; implement unless it only reads.'),
        }),
      )
      .min(1, 'a plan needs at least one task')
      .max(200, 'a plan has at most 200 tasks'),
    summary: z.string().optional(),
  })
  .superRefine(refuseLooseEnds);
export type TasksOutput = z.infer<typeof TasksOutput>;

/** The output of the review role; a review without findings passed. */
export const ReviewOutput = z.object({
  findings: z
    .array(
      z.object({
        severity: z.enum(['low', 'medium', 'high']),
        file: z.string().optional(),
        line: z.number().int().min(1).max(10_000_000).optional(),
        title: Text.max(200),
        description: Text,
      }),
    )
    .max(200, 'a review has at most 200 findings'),
  summary: z.string(),
});
export type ReviewOutput = z.infer<typeof ReviewOutput>;

/** The output of the assess role: what to reach, in milestones, and what may be changed for it. */
export const CyclePlan = z.object({
  milestones: z
    .array(
      z.object({
        title: Text.max(200),
        description: Text.max(4_000).describe('What is true when it is reached.'),
        check: Text.max(1_000).optional().describe('A shell command that fails now and exits 0 once it is reached.'),
        size: z.enum(['S', 'M', 'L', 'XL']).optional(),
      }),
    )
    .min(1, 'a plan needs at least one milestone')
    .max(100, 'a plan has at most 100 milestones'),
  contract: z
    .object({
      allow: z.array(ScopeGlob).max(100).default([]),
      deny: z.array(ScopeGlob).max(100).default([]),
      rules: z.array(Text.max(500)).max(50).default([]),
    })
    .prefault({}),
  verify: z.array(Text.max(500)).max(50).default([]).describe('Steps that verify the whole result.'),
  summary: z.string().default(''),
});
export type CyclePlan = z.infer<typeof CyclePlan>;

/** The output of the analyze role about a failed attempt. */
export const AnalysisOutput = z.object({
  cause: Text.describe('Why the attempt failed, from the evidence.'),
  advice: Text.describe('What the next attempt should do differently.'),
});
export type AnalysisOutput = z.infer<typeof AnalysisOutput>;

function refuseLooseEnds(plan: { tasks: { id: string; needs: string[] }[] }, context: z.RefinementCtx): void {
  const ids = new Set<string>();
  for (const [index, task] of plan.tasks.entries()) {
    if (ids.has(task.id)) refuse(context, ['tasks', index, 'id'], `two tasks have the id "${task.id}"`);
    ids.add(task.id);
  }
  for (const [index, task] of plan.tasks.entries()) {
    for (const need of task.needs) {
      if (need === task.id) refuse(context, ['tasks', index, 'needs'], `task "${task.id}" needs itself`);
      else if (!ids.has(need))
        refuse(context, ['tasks', index, 'needs'], `task "${task.id}" needs "${need}", which is not in the plan`);
    }
  }
}

function refuse(context: z.RefinementCtx, path: (string | number)[], message: string): void {
  context.addIssue({ code: 'custom', path, message });
}

const StepResult = z.object({
  step: z.number().int().min(1).max(10_000),
  result: z.enum(['pass', 'fail']),
  note: z.string(),
});

/** The requested output of the verify role: the result of each step, by its number from 1. */
export const RequestedSteps = z.object({ steps: z.array(StepResult).max(1_000), summary: z.string() });

/** The parsed answer of a verifier, which may also come as lines of text. */
export const StepsOutput = RequestedSteps.extend({
  steps: z.array(StepResult.extend({ note: z.string().default('') })).max(1_000),
  verdict: z.enum(['pass', 'fail']).optional(),
  summary: z.string().default(''),
});
export type StepsOutput = z.infer<typeof StepsOutput>;

/** The output of the milestones role: which milestones are reached, by their numbers from 1, and what else is wrong. */
export const MilestonesOutput = ReviewOutput.extend({
  steps: z.array(StepResult).max(100),
  findings: ReviewOutput.shape.findings.default([]),
  summary: z.string().default(''),
});
export type MilestonesOutput = z.infer<typeof MilestonesOutput>;
