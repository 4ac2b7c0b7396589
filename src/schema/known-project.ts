import { z } from 'zod';

/** A project in which something was ever started. */
export const KnownProject = z.object({
  id: z.string(),
  root: z.string(),
  name: z.string(),
  exists: z.boolean().describe('Whether its folder is still there.'),
  runs: z.number().int(),
  lastAt: z.string().describe('When something last happened in one of its runs.'),
  costUsd: z.number(),
});
export type KnownProject = z.infer<typeof KnownProject>;
