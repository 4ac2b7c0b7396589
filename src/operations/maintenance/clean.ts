import { z } from 'zod';
import { projectFilter, requireControl } from '../find-run.ts';
import { operation } from '../operation.ts';

const CleanItem = z.object({ what: z.string(), path: z.string(), bytes: z.number(), reason: z.string() });
const KeptItem = CleanItem.extend({
  until: z.string().nullable().describe('When it can be removed; null if unknown.'),
});

/** Removes what is saved elsewhere and no longer needed; without `apply` only lists it. */
export const clean = operation({
  name: 'clean',
  where: 'engine',
  summary: 'Remove workspaces and raw output that are saved and no longer needed',
  http: 'POST /api/clean',
  allow: ['operator'],
  input: z.object({ dir: z.string().optional(), olderThanDays: z.number().nonnegative(), apply: z.boolean() }),
  output: z.object({ items: z.array(CleanItem), bytes: z.number(), applied: z.boolean(), kept: z.array(KeptItem) }),
  run: async (app, { dir, olderThanDays, apply }) => {
    const project = await projectFilter(app, { dir });
    return requireControl(app).clean({ project, olderThanDays, apply });
  },
});
