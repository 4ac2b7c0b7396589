import { z } from 'zod';

/** The name of a collection: one line, no longer than a title. */
export const CollectionName = z
  .string()
  .trim()
  .regex(
    /^[^\p{Cc}\p{Zl}\p{Zp}\s-][^\p{Cc}\p{Zl}\p{Zp}]{0,79}$/u,
    'one line of at most 80 characters that begins with no dash',
  );

/** How a run is filed in its project. */
export const Filing = z.object({
  collection: z.string().nullable(),
  hidden: z.boolean().describe('Omitted from lists unless hidden runs are requested.'),
  flag: z
    .object({ note: z.string().nullable(), at: z.string() })
    .nullable()
    .describe('Marked for follow-up, with the reason.'),
});
export type Filing = z.infer<typeof Filing>;

/** A line of `collection ls`. */
export const CollectionDocument = z.object({
  name: z.string(),
  createdAt: z.string(),
  runs: z.number().int(),
  open: z.number().int().describe('Runs in it that have not ended.'),
  failed: z.number().int(),
  cost: z.number(),
});
export type CollectionDocument = z.infer<typeof CollectionDocument>;
