import { z } from 'zod';
import { Tier } from './task.ts';
import { Spend, Usage } from './usage.ts';

/** The small calls: questions for a cheap model, or for rules. */
export const CallKind = z.enum(['title', 'tier', 'diagnosis', 'pr-text', 'triage']);
export type CallKind = z.infer<typeof CallKind>;

/** One model that was called: `api:<vendor>` or an agent, its usage, and why its answer was rejected. */
export const CallTry = z.object({
  by: z.string(),
  usage: Usage,
  reservation: Spend,
  problem: z.string().optional(),
});
export type CallTry = z.infer<typeof CallTry>;

export const TitleAnswer = z.object({
  title: z.string().trim().min(3).max(120).describe('One line in the words of the request, at most 80 characters.'),
});
export type TitleAnswer = z.infer<typeof TitleAnswer>;

export const TierAnswer = z.object({
  tier: Tier.describe('light: a small errand; standard: ordinary work; heavy: wide or delicate work.'),
  because: z
    .string()
    .trim()
    .min(1)
    .max(120)
    .describe('The reason, as the end of a sentence that begins with "because".'),
});
export type TierAnswer = z.infer<typeof TierAnswer>;

export const Diagnosis = z.object({
  why: z.string().trim().min(1).max(600).describe('Why the task failed, in one or two plain sentences.'),
  nextStep: z.string().trim().min(1).max(300).describe('What the person should do next, in one sentence.'),
});
export type Diagnosis = z.infer<typeof Diagnosis>;

export const PrText = z.object({
  title: z.string().trim().min(3).max(120).describe('The title of a pull request, imperative, at most 72 characters.'),
  body: z.string().trim().min(1).max(20_000).describe('What changed and why, in Markdown.'),
});
export type PrText = z.infer<typeof PrText>;

/** What a learning is worth, by its id. */
const TriageDecision = z.object({
  id: z.string().max(200).describe('The id of the reported learning.'),
  decision: z.enum(['keep', 'everywhere', 'discard', 'supersede']),
  other: z.string().max(200).optional().describe('For supersede: the id of the known entry that it corrects.'),
  because: z.string().trim().max(200).default('').describe('The reason, in a few words.'),
});
export type TriageDecision = z.infer<typeof TriageDecision>;

export const TriageAnswer = z.object({ decisions: z.array(TriageDecision).max(50) });
