import { z } from 'zod';
import { RunRef } from '../../schema/run-ref.ts';
import { operation } from '../contract.ts';

/** Work of an attempt that was saved. */
export const SalvageItem = z.object({
  ref: z.string(),
  run: z.string(),
  task: z.string(),
  attempt: z.number().int(),
  commit: z.string(),
  at: z.string(),
  landed: z.boolean(),
  files: z.number().int(),
  detail: z.string(),
});
export type SalvageItem = z.infer<typeof SalvageItem>;

/** Finding saved work, and bringing it back. */
export const SALVAGE_OPERATIONS = {
  'list-salvage': operation('anywhere', 'List all work that was ever saved', z.object(RunRef), z.array(SalvageItem)),
  'restore-salvage': operation(
    'anywhere',
    'Put saved work on a branch of your repository',
    z.object({
      ...RunRef,
      ref: z.string(),
      branch: z.string().optional(),
      to: z
        .string()
        .optional()
        .describe('A folder of another clone that gets the branch, where the repository is gone.'),
    }),
    z.object({ branch: z.string(), commit: z.string() }),
  ),
} as const;
