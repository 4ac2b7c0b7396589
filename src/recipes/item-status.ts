import { z } from 'zod';
import { BulkItem } from '../schema/work-file.ts';

/** The status of an item; `stuck` waits for a person. */
export const ItemStatus = z.enum(['waiting', 'running', 'done', 'failed', 'stuck', 'cancelled']);
export type ItemStatus = z.infer<typeof ItemStatus>;

/** The status of a run of items and of each of them. */
export const BulkStatus = z.object({
  run: z.string(),
  title: z.string(),
  status: z.string().describe('The status of the run.'),
  total: z.number().int(),
  counts: z.record(ItemStatus, z.number().int()),
  failed: z
    .array(
      z.object({
        item: BulkItem,
        task: z.string(),
        status: ItemStatus,
        reason: z.string(),
        attempts: z.number().int(),
        agent: z.string().nullable(),
      }),
    )
    .describe('Items that are not done and not running, each with the reason.'),
  uncovered: z.array(z.string()).describe('Files that an item names which is not done.'),
});
export type BulkStatus = z.infer<typeof BulkStatus>;
