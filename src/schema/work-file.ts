import { z } from 'zod';
import { Labels } from './config/hosts.ts';
import { Access, Tier } from './task.ts';

/** The id of a work item in a file: letters, digits, `.`, `_` and `-`; never `..`, a path, or an option. */
export const WorkId = z
  .string()
  .min(1, 'must not be empty')
  .max(100, 'must have at most 100 characters')
  .regex(
    /^(?!.*\.\.)[\p{L}\p{N}_][\p{L}\p{M}\p{N}._-]*$/u,
    'must consist of letters, digits, ".", "_" and "-", begin with a letter, a digit or "_", and contain no ".."',
  );
export type WorkId = z.infer<typeof WorkId>;

/** A path inside the project: relative and without `..`; globs are allowed where the format allows them. */
export const ProjectPath = z
  .string()
  .min(1, 'must not be empty')
  .max(4096, 'must have at most 4096 characters')
  .refine(
    (path) => !isOutside(path),
    'must be a path inside the project: relative, without ".." and control characters',
  );

/** The instructions for an agent. */
export const WorkText = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(200_000, 'must have at most 200,000 characters');

/** A CEL expression, checked for syntax where a file is read. It sees each node by its id, and all of them as `nodes["id"]`. */
const Expression = z.string().trim().min(1, 'must not be empty').max(4_000, 'must have at most 4,000 characters');

const Title = z.string().trim().min(1, 'must not be empty').max(200, 'must have at most 200 characters');
const Command = z.string().trim().min(1, 'must not be empty').max(10_000, 'must have at most 10,000 characters');
const Role = z.string().regex(/^[a-z][a-z0-9-]*$/, 'must be a role: lower-case letters, digits and "-"');
const Agent = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9][\w.-]*$/, 'must be the name of a configured agent');
const Seconds = z.number().positive().max(604_800, 'must be at most a week: 604800');
const Attempts = z.number().int().min(1).max(20);

export const FeatureStatus = z.enum(['open', 'verifying', 'passed', 'failed']);
export type FeatureStatus = z.infer<typeof FeatureStatus>;

/** A feature of features.json. An id that is a number in the file is its decimal text here: 1 and "1" are the same feature. */
export const Feature = z.object({
  id: WorkId,
  category: z.string().max(100),
  name: Title,
  description: z.string().max(200_000),
  steps: z.array(WorkText).max(200),
  status: FeatureStatus,
  dependsOn: z.array(WorkId).optional(),
  agent: Agent.optional(),
  /** Labels that its host must have. */
  labels: Labels.optional(),
});
export type Feature = z.infer<typeof Feature>;

/** The input of the recipe `features`; the status is written back to `file`, relative to the project, unless it is null. */
export const FeaturesInput = z.object({
  file: ProjectPath.nullable().describe('The file inside the project that statuses are written back to.'),
  features: z.array(Feature).min(1).max(10_000).describe('The features to build.'),
  only: z.array(WorkId).min(1).optional().describe('Only these.'),
});
export type FeaturesInput = z.infer<typeof FeaturesInput>;

export const BulkItem = z.object({
  id: WorkId,
  prompt: WorkText,
  /** The files that it changes; if empty, it may change any. */
  files: z.array(ProjectPath).max(1_000),
  /** Commands that must exit 0 after it. */
  check: z.array(Command).max(20).optional(),
  timeoutSeconds: Seconds.optional(),
  attempts: Attempts.optional(),
  priority: z.number().int().min(-10).max(10).optional(),
  /** Buckets are scheduled round-robin, so that a large one does not delay a small one. */
  bucket: z.string().min(1).max(200).optional(),
  /** Regular expressions that its files must match afterwards. */
  requirePatterns: z.array(z.string().min(1).max(1_000)).max(50).optional(),
  /** Files that it may change in addition to its own. */
  sideFiles: z.array(ProjectPath).max(1_000).optional(),
  /** Labels that its host must have. */
  labels: Labels.optional(),
});
export type BulkItem = z.infer<typeof BulkItem>;

/** The input of the recipe `bulk`: items that do not depend on each other. */
export const BulkInput = z.object({
  items: z.array(BulkItem).min(1).max(100_000).describe('The work items.'),
  maxParallel: z.number().int().min(1).max(150).default(16).describe('Maximum number of concurrent items.'),
  only: z.array(WorkId).min(1).optional().describe('Only these.'),
});
export type BulkInput = z.infer<typeof BulkInput>;

export const WorkTask = z.object({
  id: WorkId,
  title: Title,
  description: WorkText,
  branch: z.string().min(1).max(200).optional(),
  files: z.array(ProjectPath).max(1_000),
  needs: z.array(WorkId).max(1_000),
  check: Command.optional(),
  role: Role.optional(),
  agent: Agent.optional(),
  /** Labels that the host of the task and of its check must have. */
  labels: Labels.optional(),
});
export type WorkTask = z.infer<typeof WorkTask>;

/** The input of the recipe `tasks`; `pr` requests no pull request, one for each task or one for the run, and overrides the settings. */
export const TasksInput = z.object({
  tasks: z.array(WorkTask).min(1).max(1_000),
  pr: z
    .enum(['none', 'each', 'run'])
    .optional()
    .describe('Pull requests: none, one for each task, or one for the run.'),
  only: z.array(WorkId).min(1).optional().describe('Only these, by their ids.'),
});
export type TasksInput = z.infer<typeof TasksInput>;

/** The condition for a node to count as done: every expression of `passWhen`, evaluated when the node and `needs` have ended. */
export const WorkflowGate = z.object({
  id: WorkId,
  /** Nodes that must also have ended; never one that waits for the node of this gate. */
  needs: z.array(WorkId).default([]),
  passWhen: z.array(Expression).min(1).max(100),
  /** The node that is repeated with all its dependents, and how often at most; without it the run blocks. */
  onFail: z.object({ retry: WorkId, max: z.number().int().min(1).max(20) }).optional(),
});
export type WorkflowGate = z.infer<typeof WorkflowGate>;

export const WorkflowNode = z.object({
  id: WorkId,
  title: Title.optional(),
  role: Role,
  needs: z.array(WorkId).max(1_000),
  task: WorkText,
  /** Names of its outputs. */
  outputs: z.array(z.string().min(1).max(200)).max(100).optional(),
  writeScope: z
    .object({
      allow: z.array(ProjectPath).max(1_000),
      deny: z.array(ProjectPath).max(1_000),
      maxChangedLines: z.number().int().positive().optional(),
    })
    .optional(),
  access: Access,
  agent: Agent.optional(),
  tier: Tier.optional(),
  /** Labels that its host must have. */
  labels: Labels.optional(),
  gates: z.array(WorkflowGate).max(100).default([]),
  /** The node is skipped when this is false; nodes that need it continue. */
  condition: Expression.optional(),
  /** The node is repeated until this is true, at most `max` times in total. */
  loop: z.object({ max: z.number().int().min(1).max(100), until: Expression }).optional(),
  timeoutSeconds: Seconds.optional(),
  attempts: Attempts.optional(),
  /** The JSON Schema of its structured output. */
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  /** Nodes whose output it gets in addition to those that it needs, if they have ended. */
  reads: z.array(WorkId).max(1_000).optional(),
  /** Its answer is a result by itself: a node that may write may also end without a change. */
  answers: z.boolean().optional(),
});
export type WorkflowNode = z.infer<typeof WorkflowNode>;

/** The input of the recipe `workflow`; `loopGuard` limits the repetitions of all nodes together before the run blocks. */
export const WorkflowInput = z.object({
  name: Title.describe('The title of the workflow.'),
  nodes: z.array(WorkflowNode).min(1).max(1_000).describe('Its nodes.'),
  loopGuard: z
    .number()
    .int()
    .min(1)
    .max(500)
    .default(50)
    .describe('Maximum repetitions of all nodes together; then the run blocks.'),
  only: z.array(WorkId).min(1).optional().describe('Only these, and what they need.'),
});
export type WorkflowInput = z.infer<typeof WorkflowInput>;

/** The input of the recipe `todo`: the text of a to-do list, and its entries as far as they were recognised. */
export const TodoInput = z.object({
  file: z.string().nullable().describe('The file that it was read from, if any.'),
  text: WorkText.describe('The list, as it was written.'),
  entries: z
    .array(z.object({ line: z.number().int().positive(), text: z.string().min(1), done: z.boolean() }))
    .max(1_000),
});
export type TodoInput = z.infer<typeof TodoInput>;

export const WorkFormat = z.enum(['features', 'bulk', 'tasks', 'todo', 'workflow', 'dag']);
export type WorkFormat = z.infer<typeof WorkFormat>;

const Read = {
  /** Notes for the user, such as ignored input and assumptions; one sentence each. */
  notes: z.array(z.string()),
  /** Options of the whole run from the file; flags take precedence. */
  options: z.object({
    title: Title.optional(),
    maxParallel: z.number().int().min(1).max(150).optional(),
    base: z.string().min(1).optional(),
  }),
};

/** A parsed work file: its format, and the recipe with its input. */
export const WorkFile = z.discriminatedUnion('recipe', [
  z.object({ format: WorkFormat, recipe: z.literal('features'), input: FeaturesInput, ...Read }),
  z.object({ format: WorkFormat, recipe: z.literal('bulk'), input: BulkInput, ...Read }),
  z.object({ format: WorkFormat, recipe: z.literal('tasks'), input: TasksInput, ...Read }),
  z.object({ format: WorkFormat, recipe: z.literal('workflow'), input: WorkflowInput, ...Read }),
  z.object({ format: WorkFormat, recipe: z.literal('todo'), input: TodoInput, ...Read }),
]);
export type WorkFile = z.infer<typeof WorkFile>;

function isOutside(path: string): boolean {
  const hasControl = [...path].some((letter) => letter < ' ' || letter === '\u007f');
  return hasControl || /^([\\/~]|[A-Za-z]:)/.test(path) || path.split(/[\\/]/).includes('..');
}
