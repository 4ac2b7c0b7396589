import { z } from 'zod';

/** Most that may be spent. */
export const BudgetConfig = z
  .strictObject({
    run: z.number().positive().optional().describe('Most US dollars a run may spend.'),
    project: z.number().positive().optional().describe('Most US dollars all runs of the project may spend.'),
    attempt: z.number().positive().default(1).describe('US dollars reserved for an attempt while it runs.'),
  })
  .prefault({});
