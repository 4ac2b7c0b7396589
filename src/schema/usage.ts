import { z } from 'zod';

/** What an attempt consumed. `none`: positively no model call. `unknown`: charged at the reservation, and at least at what it had reported. */
export const Usage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none') }),
  z.object({ kind: z.literal('unknown'), reportedUsd: z.number().positive().optional() }),
  z.object({
    kind: z.literal('known'),
    costUsd: z.number().nonnegative(),
    inputTokens: z.number().int().nonnegative(),
    outputTokens: z.number().int().nonnegative(),
    cachedTokens: z.number().int().nonnegative().default(0),
    turns: z.number().int().nonnegative().default(0),
    model: z.string().optional(),
  }),
]);
export type Usage = z.infer<typeof Usage>;

/** Attempts and small calls whose usage is not known: part of what something cost is a reservation, or missing. */
export const UnknownUsage = z.object({
  attempts: z.number().int().describe('Attempts and small calls of unknown usage.'),
  uncharged: z
    .number()
    .int()
    .describe('Those of them for which nothing was reserved, because there is no budget: the cost is higher.'),
});
export type UnknownUsage = z.infer<typeof UnknownUsage>;

/** Amounts consumed or reserved so far. */
export const Spend = z.object({
  costUsd: z.number().nonnegative(),
  tokens: z.number().nonnegative(),
  turns: z.number().nonnegative(),
});
export type Spend = z.infer<typeof Spend>;

/** What a row of `usage` groups by. */
export const UsageBy = z.enum(['agent', 'model', 'run', 'project', 'role', 'day']);
export type UsageBy = z.infer<typeof UsageBy>;

/** A line of `usage`. */
export const UsageRow = z.object({
  name: z.string(),
  day: z.string().optional().describe('The day, if the report is also grouped by day.'),
  attempts: z.number().int(),
  calls: z.number().int().describe('Small calls that a model answered.'),
  unknown: z.number().int().describe('Attempts and small calls of unknown usage; each counts with its reservation.'),
  uncharged: z
    .number()
    .int()
    .default(0)
    .describe('Those of them for which nothing was reserved, because there is no budget: the cost is higher.'),
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedTokens: z.number(),
  turns: z.number(),
  cost: z.number(),
});
export type UsageRow = z.infer<typeof UsageRow>;
