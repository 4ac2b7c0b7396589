import { z } from 'zod';
import { LandMode } from './config/land.ts';
import { RetryPolicy } from './task.ts';

/** What every request for work may say, whatever the recipe. */
export const StartOptions = z.object({
  dir: z.string().describe('The folder of the project.'),
  agents: z.array(z.string()).default([]).describe('Agents: a name, role=name, or command:<program>.'),
  checks: z.array(z.string()).default([]).describe('Shell commands that must exit 0 on the merged tree.'),
  land: LandMode.optional(),
  budget: z.number().positive().optional().describe('Most US dollars the run may spend.'),
  base: z.string().optional().describe('The branch or commit to start from.'),
  rehearse: z.boolean().default(false).describe('Play a scenario instead of asking a model.'),
  scenario: z.string().optional().describe('The scenario file to play.'),
  maxParallel: z.number().int().min(1).max(150).optional().describe('Attempts at once.'),
  title: z.string().min(1).max(200).optional(),
});
export type StartOptions = z.infer<typeof StartOptions>;

export const GoalInput = z.object({
  goal: z.string().trim().min(1),
  planOnly: z.boolean().default(false),
});
export type GoalInput = z.infer<typeof GoalInput>;

/** When an attempt of a job is to be stopped. */
export const StopRule = z.object({
  turns: z.number().int().positive().optional(),
  budget: z.number().positive().optional(),
  seconds: z.number().positive().optional(),
  completion: z.boolean().default(false),
});
export type StopRule = z.infer<typeof StopRule>;

export const JobInput = z.object({
  task: z.string().trim().min(1),
  role: z.string().optional(),
  write: z.boolean().default(false),
  after: z.array(z.string()).default([]).describe('Runs, or run/task, that must be done first.'),
  priority: z.number().int().min(-10).max(10).default(0),
  stop: StopRule.prefault({}),
  retry: RetryPolicy.default('same'),
});
export type JobInput = z.infer<typeof JobInput>;

/** A request for work: the recipe with its input, and the options. */
export const StartRequest = z.discriminatedUnion('recipe', [
  z.object({ recipe: z.literal('goal'), input: GoalInput, options: StartOptions }),
  z.object({ recipe: z.literal('job'), input: JobInput, options: StartOptions }),
]);
export type StartRequest = z.infer<typeof StartRequest>;
