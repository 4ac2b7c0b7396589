import { z } from 'zod';
import { RunRef } from '../../schema/run-ref.ts';
import { BulkItem } from '../../schema/work-file.ts';
import { operation } from '../contract.ts';

/** How an item stands; `stuck` waits for a person. */
export const ItemStatus = z.enum(['waiting', 'running', 'done', 'failed', 'stuck', 'cancelled']);
export type ItemStatus = z.infer<typeof ItemStatus>;

/** What `bulk status` says. */
export const BulkStatus = z.object({
  run: z.string(),
  title: z.string(),
  status: z.string().describe('How the run stands.'),
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
    .describe('Items that did not get done and are not under way, each with the reason.'),
  uncovered: z.array(z.string()).describe('Files that an item names which is not done.'),
});
export type BulkStatus = z.infer<typeof BulkStatus>;

/** What can be asked for about many small edits. */
export const BULK_OPERATIONS = {
  'bulk-status': operation(
    'anywhere',
    'Tell how the items of a bulk run stand; without a run, of the latest here',
    z.object(RunRef),
    BulkStatus,
  ),
  'scan-files': operation(
    'anywhere',
    'List the committed files of a project that globs match, in the order of their names',
    z.object({ dir: z.string(), globs: z.array(z.string().min(1)).min(1), exclude: z.array(z.string()).default([]) }),
    z.object({ commit: z.string(), files: z.array(z.string()) }),
  ),
} as const;
