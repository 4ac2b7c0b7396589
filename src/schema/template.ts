import { z } from 'zod';
import { Tier } from './task.ts';

/** A name that is a file name everywhere and a path nowhere. */
export const FileName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'at most 64 lower-case letters, digits and dashes, not starting with a dash');

/** The front matter of a template: the defaults of its jobs. */
export const TemplateHeader = z.strictObject({
  name: FileName,
  summary: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(200)
    .regex(/^[^@-]/, 'must not begin with @ or a dash'),
  agent: z.string().min(1).optional(),
  tier: Tier.optional(),
  role: z
    .string()
    .regex(/^[a-z][a-z0-9-]*$/)
    .optional(),
  write: z.boolean().optional().describe('Whether the role may change files.'),
  dir: z.string().min(1).optional(),
  checks: z.array(z.string().trim().min(1)).max(50).default([]),
  budget: z.number().positive().optional(),
});
export type TemplateHeader = z.infer<typeof TemplateHeader>;

/** The template as recorded in the input of a job. */
export const TemplateUse = z.object({ template: z.string() });

export const TemplateOrigin = z.enum(['built-in', 'global', 'project']);
export type TemplateOrigin = z.infer<typeof TemplateOrigin>;

/** A loaded template: its text is placed before the task as Guidelines. */
export type Template = TemplateHeader & { text: string; from: TemplateOrigin; file: string };

/** The outcomes of jobs from a template with one model; averages are per run. */
export const TemplateStatistic = z.object({
  agent: z.string(),
  model: z.string().nullable(),
  runs: z.number().int().describe('Ended runs, without those that were cancelled.'),
  verified: z.number().int().describe('Runs whose result passed every check, or whose answer was accepted.'),
  landed: z.number().int().describe('Runs whose result reached its base.'),
  successRate: z.number().describe('Share of verified runs.'),
  cost: z.number(),
  turns: z.number(),
  durationMs: z.number(),
});
export type TemplateStatistic = z.infer<typeof TemplateStatistic>;

/** A template as `template ls` and `template show` print it. */
export const TemplateDocument = z.object({
  name: z.string(),
  summary: z.string(),
  from: TemplateOrigin,
  file: z.string(),
  agent: z.string().nullable(),
  tier: Tier.nullable(),
  role: z.string().nullable(),
  write: z.boolean(),
  dir: z.string().nullable(),
  checks: z.array(z.string()),
  budget: z.number().nullable(),
  text: z.string(),
  statistics: z.array(TemplateStatistic).describe('From ended runs, one entry for each agent and model.'),
});
export type TemplateDocument = z.infer<typeof TemplateDocument>;
