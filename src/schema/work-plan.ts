import { z } from 'zod';
import { WorkFormat } from './work-file.ts';

/** What `check` says of a file. */
export const WorkCheck = z.object({
  file: z.string(),
  ok: z.boolean(),
  format: WorkFormat.nullable(),
  recipe: z.string().nullable(),
  count: z.number().int().describe('How many features, items, tasks, nodes or entries.'),
  notes: z.array(z.string()),
  mistakes: z.array(
    z.object({
      line: z.number().int(),
      column: z.number().int(),
      code: z.string(),
      where: z.string(),
      reason: z.string(),
    }),
  ),
});
export type WorkCheck = z.infer<typeof WorkCheck>;

/** What `run --dry-run` says: what would be started; nothing was. */
export const DryRun = z.object({
  file: z.string(),
  format: WorkFormat,
  recipe: z.string(),
  title: z.string().nullable(),
  batches: z.array(
    z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        role: z.string(),
        agent: z.string().nullable(),
        played: z.boolean().describe('In a rehearsal: the agent is played, and no model is asked.'),
        needs: z.array(z.string()),
        gates: z.array(z.string()),
      }),
    ),
  ),
  agents: z.array(
    z.object({ role: z.string(), agent: z.string().nullable(), played: z.boolean(), because: z.string() }),
  ),
  checks: z.array(z.string()).describe('What must exit 0 for every task.'),
  maxParallel: z.number().int(),
  cost: z
    .object({ attempts: z.number().int(), perAttempt: z.number(), estimate: z.number() })
    .describe(
      'US dollars: what is set aside per attempt, times one attempt per task. An upper estimate without retries.',
    ),
  notes: z.array(z.string()),
  started: z.literal(false),
});
export type DryRun = z.infer<typeof DryRun>;
