import { z } from 'zod';
import { UnknownUsage } from '../usage.ts';

const Ms = z.number().nonnegative();
const Cost = z.number().nonnegative().describe('US dollars.');
const Count = z.number().int().nonnegative();
const Unknown = UnknownUsage.optional().describe('How much of the cost is not known; absent where all of it is.');

/** Who did what in the runs of a project: agents by role, and how they worked together. */
export const TeamReport = z.object({
  runs: z.array(
    z.object({
      run: z.string(),
      title: z.string(),
      status: z.string(),
      cost: Cost,
      unknownUsage: Unknown,
      tasks: Count,
      done: Count,
    }),
  ),
  members: z
    .array(
      z.object({
        agent: z.string(),
        role: z.string(),
        attempts: Count,
        succeeded: Count.describe('Attempts that ended without a failure and whose work was not rejected.'),
        failed: Count,
        rejected: Count.describe('Attempts whose work a check, a verification or a person did not accept.'),
        busyMs: Ms,
        cost: Cost,
        unknownUsage: Unknown,
      }),
    )
    .describe('The most expensive first.'),
  together: z.object({
    subtasks: Count,
    subruns: Count.describe('Runs that agents started.'),
    questions: Count,
    unanswered: Count,
    messages: Count.describe('Messages of people to agents.'),
    conflicts: Count.describe('Tasks whose work conflicted with landed work.'),
    decisions: Count.describe('Approvals and rejections of people.'),
  }),
});
export type TeamReport = z.infer<typeof TeamReport>;

/** What limits the work on a project: agents against their limits, waits, retries, and what money was spent for. */
export const PressureReport = z.object({
  runs: Count,
  from: z.string().nullable().describe('When the first attempt began.'),
  to: z.string().nullable().describe('When the last attempt ended, or now while one runs.'),
  agents: z.array(
    z.object({
      agent: z.string().describe('`all` for all agents together.'),
      attempts: Count,
      mostAtOnce: Count,
      limit: Count.nullable().describe('Attempts at once; null: no limit of its own.'),
      busyMs: Ms.describe('The sum of the durations of its attempts.'),
      atLimitMs: Ms.describe('How long as many attempts ran as the limit allows.'),
    }),
  ),
  waits: z
    .array(z.object({ cause: z.string(), times: Count, totalMs: Ms, longestMs: Ms }))
    .describe('The longest in total first.'),
  retries: z.array(z.object({ cause: z.string(), times: Count, cost: Cost, unknownUsage: Unknown })),
  costs: z
    .array(z.object({ cause: z.string(), attempts: Count, cost: Cost, unknownUsage: Unknown }))
    .describe('The most expensive first.'),
});
export type PressureReport = z.infer<typeof PressureReport>;
