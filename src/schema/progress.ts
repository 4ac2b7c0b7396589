import { z } from 'zod';

/** How far a run that works in rounds is: the points that it must reach, and what each round did for them. */
export const ProgressDocument = z.object({
  unit: z.enum(['cycle', 'round']).describe('What a round is called.'),
  plan: z.number().int().describe('The number of the current plan, from 1.'),
  points: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      status: z.enum(['open', 'done', 'rejected']),
      by: z.string().nullable().describe('What showed that it is done: a check, or a review.'),
      round: z.number().int().nullable(),
      evidence: z.string().nullable(),
    }),
  ),
  rounds: z.array(
    z.object({
      round: z.number().int(),
      plan: z.number().int(),
      done: z.number().int().describe('Points done after it, less those that were done and are open again.'),
      landed: z.boolean(),
      findings: z.number().int(),
      cost: z.number(),
    }),
  ),
  warnings: z.array(z.string()),
  stop: z.string().nullable().describe('Why no further round follows, if none does.'),
});
export type ProgressDocument = z.infer<typeof ProgressDocument>;

/** A node of a workflow: its status, the reason of each of its rounds, and what its gates decided. */
export const NodeDocument = z.object({
  id: z.string(),
  status: z.enum(['waiting', 'running', 'passed', 'refused', 'held', 'skipped', 'failed', 'needs-rerun']),
  reason: z.string().nullable().describe('Why it is skipped, refused or held.'),
  rounds: z.array(z.object({ task: z.string(), status: z.string(), reason: z.string() })),
  gates: z.array(
    z.object({ id: z.string(), verdict: z.enum(['pending', 'passed', 'failed', 'approved']), reason: z.string() }),
  ),
});
export type NodeDocument = z.infer<typeof NodeDocument>;
