import { z } from 'zod';
import { CollectionName } from './collection.ts';
import { AgentConfig } from './config/agent.ts';
import { Labels } from './config/hosts.ts';
import { LandMode } from './config/land.ts';
import { Scope, ScopeGlob } from './config/scope.ts';
import { TaskKey } from './ids.ts';
import { Context, Repeat } from './job-parts.ts';
import { ReviewInput } from './pull-request.ts';
import { RetryPolicy, Tier } from './task.ts';
import { FileName } from './template.ts';
import { WatchInput } from './watch/watch-round.ts';
import { BulkInput, FeaturesInput, TasksInput, TodoInput, WorkflowInput } from './work-file.ts';

/** A point in time after which nothing starts, in milliseconds since 1970. */
const Deadline = z.number().int().positive();

/** The options of every request for work, independent of the recipe. */
export const StartOptions = z.object({
  dir: z.string().describe('The folder of the project.'),
  agents: z.array(z.string()).default([]).describe('Agents: a name, role=name, or command:<program>.'),
  checks: z.array(z.string()).default([]).describe('Shell commands that must exit 0 on the merged tree.'),
  land: LandMode.optional().describe('How the result lands: on a branch, merged into the base, or as a pull request.'),
  budget: z.number().positive().optional().describe('Maximum cost of the run in US dollars.'),
  until: Deadline.optional().describe('When the run stops, in milliseconds since 1970.'),
  maxIterations: z
    .number()
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe('Maximum number of rounds: cycles, debate rounds, reviews, verifications or repetitions.'),
  base: z.string().optional().describe('The branch or commit to start from.'),
  rehearse: z.boolean().default(false).describe('Run a scenario instead of calling a model.'),
  scenario: z.string().optional().describe('The scenario file to run.'),
  workFile: z.string().optional().describe('The file that the work was read from, including uncommitted changes.'),
  repairBase: z.boolean().optional().describe('Repair a base whose checks fail before other work begins.'),
  knownRed: z.boolean().optional().describe('Tests that fail on the base may keep failing; new failures block.'),
  maxParallel: z.number().int().min(1).max(150).optional().describe('Maximum number of concurrent attempts.'),
  labels: Labels.optional().describe('Labels that a host must have to perform the tasks and checks of the run.'),
  title: z.string().min(1).max(200).optional().describe('A short name for the run.'),
  collection: CollectionName.optional().describe('The collection that the run is filed in.'),
});
export type StartOptions = z.infer<typeof StartOptions>;

export const GoalInput = z.object({
  goal: z.string().trim().min(1).describe('The goal, in your own words.'),
  planOnly: z.boolean().default(false).describe('Stop after the plan and wait for it to be approved.'),
});
export type GoalInput = z.infer<typeof GoalInput>;

export const CycleInput = z.object({
  goal: z.string().trim().min(1).describe('The goal, in your own words.'),
  cycles: z.number().int().min(1).max(50).default(10).describe('Maximum number of cycles of implement and review.'),
  threshold: z.number().min(0.1).max(1).default(1).describe('The part of the milestones that must be reached.'),
  steps: z.array(z.string().trim().min(1)).default([]).describe('Steps that verify the whole result at the end.'),
  planOnly: GoalInput.shape.planOnly,
});
export type CycleInput = z.infer<typeof CycleInput>;

export const DebateInput = z.object({
  question: z.string().trim().min(1).describe('The question to debate.'),
  sides: z.number().int().min(2).max(5).default(2).describe('How many agents debate.'),
  rounds: z.number().int().min(1).max(10).default(3).describe('Maximum number of rounds.'),
  action: z.string().trim().min(1).optional().describe('What to do with the outcome, if the sides agree.'),
  loops: z.number().int().min(1).max(20).default(1).describe('How often debate, action and verification are repeated.'),
});
export type DebateInput = z.infer<typeof DebateInput>;

const RoleName = z.string().regex(/^[a-z][a-z0-9-]*$/, 'must be the name of a role, such as security');

export const TeamInput = z.object({
  task: z.string().trim().min(1).describe('The task that the roles examine.'),
  roles: z
    .array(RoleName)
    .min(2)
    .max(8)
    .refine((roles) => new Set(roles).size === roles.length, 'each role takes part once')
    .default(['requirements', 'architecture', 'security', 'testing'])
    .describe('The roles that examine it at the same time; each only reads.'),
  write: z.boolean().default(false).describe('Let an implementer do what the roles agreed on.'),
});
export type TeamInput = z.infer<typeof TeamInput>;

export const ImproveInput = z.object({
  focus: z.string().trim().min(1).optional().describe('What to look at, in your own words; everything by default.'),
  rounds: z.number().int().min(1).max(20).default(1).describe('Maximum number of rounds of discovery and improvement.'),
  top: z.number().int().min(1).max(20).optional().describe('Improve this many of the best ones without asking.'),
  yes: z.boolean().default(false).describe('Improve all that were found and shown, without asking.'),
  planOnly: z.boolean().default(false).describe('Stop after discovery and wait for the choice of a person.'),
});
export type ImproveInput = z.infer<typeof ImproveInput>;

/** When an attempt of a job is stopped. */
export const StopRule = z.object({
  turns: z.number().int().positive().optional().describe('After this many turns.'),
  budget: z.number().positive().optional().describe('When its cost reaches this many US dollars.'),
  seconds: z.number().positive().optional().describe('After this many seconds.'),
  silenceSeconds: z.number().positive().optional().describe('After this many seconds without output.'),
  completion: z.boolean().default(false).describe('When it reports completion.'),
});
export type StopRule = z.infer<typeof StopRule>;

/** Recorded settings that a person changes with a retry: of one task, or of the whole run. */
export const RunSettingsChange = z.object({
  task: TaskKey.optional(),
  /** Without defaults, so that the other limits do not change. */
  limits: z
    .object({
      turns: z.number().int().positive(),
      costUsd: z.number().positive(),
      runtimeMs: z.number().int().positive(),
      inactivityMs: z.number().int().positive(),
    })
    .partial()
    .optional(),
  /** Globs that are added to each list of allowed files. */
  scopeAllow: z.array(ScopeGlob).optional(),
  budget: z.number().positive().optional(),
  deadline: Deadline.optional(),
  /** Agents by their settings, those that come first in the order of preference, and those chosen by role or `*`. */
  agents: z
    .object({
      settings: z.record(z.string(), AgentConfig),
      order: z.array(z.string()),
      byRole: z.record(z.string(), z.string()),
    })
    .optional(),
});
export type RunSettingsChange = z.infer<typeof RunSettingsChange>;

export const JobInput = z.object({
  task: z.string().trim().min(1).describe('The instructions for the agent.'),
  role: z.string().optional().describe('The role of the agent.'),
  write: z.boolean().default(false).describe('Let the role change files; otherwise it only reads.'),
  after: z.array(z.string()).default([]).describe('Runs, or run/task, that must be done first.'),
  priority: z.number().int().min(-10).max(10).default(0).describe('From -10 (last) to 10 (first).'),
  stop: StopRule.prefault({}).describe('When an attempt is stopped.'),
  scope: Scope.optional().describe('Which files it may change, within what the settings allow.'),
  outputBytes: z.number().int().positive().optional().describe('Maximum output of an attempt, in bytes.'),
  retry: RetryPolicy.default('same').describe('What to do after a failure.'),
  tier: Tier.optional().describe('The tier of the model.'),
  template: FileName.optional().describe('The template that provides guidelines and defaults.'),
  guidelines: z.string().max(100_000).optional().describe('Placed before the task, verbatim.'),
  context: Context.default({}).describe('Facts for the agent, each under a name.'),
  notBefore: z.number().int().nonnegative().optional().describe('When it starts, in milliseconds since 1970.'),
  repeat: Repeat.optional().describe('Repeat it after each success.'),
  debate: DebateInput.shape.rounds
    .unwrap()
    .optional()
    .describe('Let two agents debate the task first, for at most this many rounds.'),
  review: z.boolean().optional().describe('Another agent reviews the result, and its findings are fixed.'),
  interactive: z
    .boolean()
    .optional()
    .describe('Run the agent in a terminal that a person can watch and type into; the job continues when it ends.'),
});
export type JobInput = z.infer<typeof JobInput>;

/** The input of the recipe `todo`: a to-do list or a goal in a person's words, and what to do with the generated tasks. */
export const TodoRequest = TodoInput.extend({
  as: z.enum(['tasks', 'workflow']).default('tasks').describe('The format of the result.'),
  execute: z
    .boolean()
    .default(false)
    .describe('Run the generated tasks; otherwise the run ends once they are generated.'),
  pr: TasksInput.shape.pr,
});
export type TodoRequest = z.infer<typeof TodoRequest>;

/** A request for work: the recipe with its input, and the options. */
export const StartRequest = z.discriminatedUnion('recipe', [
  z.object({ recipe: z.literal('goal'), input: GoalInput, options: StartOptions }),
  z.object({ recipe: z.literal('cycle'), input: CycleInput, options: StartOptions }),
  z.object({ recipe: z.literal('debate'), input: DebateInput, options: StartOptions }),
  z.object({ recipe: z.literal('team'), input: TeamInput, options: StartOptions }),
  z.object({ recipe: z.literal('improve'), input: ImproveInput, options: StartOptions }),
  z.object({ recipe: z.literal('job'), input: JobInput, options: StartOptions }),
  z.object({ recipe: z.literal('features'), input: FeaturesInput, options: StartOptions }),
  z.object({ recipe: z.literal('bulk'), input: BulkInput, options: StartOptions }),
  z.object({ recipe: z.literal('tasks'), input: TasksInput, options: StartOptions }),
  z.object({ recipe: z.literal('workflow'), input: WorkflowInput, options: StartOptions }),
  z.object({ recipe: z.literal('todo'), input: TodoRequest, options: StartOptions }),
  z.object({ recipe: z.literal('review'), input: ReviewInput, options: StartOptions }),
  z.object({ recipe: z.literal('watch'), input: WatchInput, options: StartOptions }),
]);
export type StartRequest = z.infer<typeof StartRequest>;

/** A batch that the engine runs: everything its items need, recorded when the batch was started. */
export const BatchStart = z.object({
  batch: z.string().describe('The id of this start of the batch.'),
  name: z.string(),
  collection: z.string(),
  parallel: z.number().int().min(1).max(50),
  as: z.enum(['job', 'debate']).optional().describe('What each item becomes; a job by default.'),
  options: StartOptions,
  items: z.array(
    z.object({
      item: z.number().int().positive(),
      prompt: z.string(),
      title: z.string().optional(),
      template: z.string().optional(),
      context: Context.optional(),
    }),
  ),
});
export type BatchStart = z.infer<typeof BatchStart>;
