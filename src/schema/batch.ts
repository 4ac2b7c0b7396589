import { z } from 'zod';
import { RunStatus } from './document.ts';
import { Context } from './job-parts.ts';
import { FileName } from './template.ts';

const Prompt = z.string().trim().min(1, 'must not be empty').max(100_000);

/** One prompt of a batch; its own options take precedence over those of the batch. A plain string is a prompt. */
export const BatchItem = z.preprocess(
  (item) => (typeof item === 'string' ? { prompt: item } : item),
  z.strictObject({
    prompt: Prompt,
    title: z.string().trim().min(1).max(200).optional(),
    template: FileName.optional(),
    context: Context.optional(),
  }),
);
export type BatchItem = z.infer<typeof BatchItem>;

/** A saved list of prompts: each becomes a job. */
export const Batch = z.strictObject({
  summary: z.string().trim().min(1).max(200).optional(),
  template: FileName.optional(),
  context: Context.default({}),
  parallel: z.number().int().min(1).max(50).default(4).describe('Maximum number of concurrent jobs.'),
  items: z.array(BatchItem).min(1, 'must have at least one item').max(10_000, 'at most 10000 items'),
});
export type Batch = z.infer<typeof Batch>;

/** What `batch ls` and `batch show` print. */
export const BatchDocument = z.object({
  name: z.string(),
  file: z.string(),
  summary: z.string().nullable(),
  template: z.string().nullable(),
  parallel: z.number().int(),
  context: z.record(z.string(), z.string()),
  items: z.array(
    z.object({
      prompt: z.string(),
      title: z.string().nullable(),
      template: z.string().nullable(),
      context: z.record(z.string(), z.string()),
    }),
  ),
});
export type BatchDocument = z.infer<typeof BatchDocument>;

/** What `batch run` prints with --json: the outcome of each item; one that was never started has no run. */
export const BatchResult = z.object({
  batch: z.string(),
  collection: z.string(),
  items: z.array(
    z.object({
      item: z.number().int(),
      run: z.string().nullable(),
      title: z.string(),
      status: RunStatus.nullable(),
      cost: z.number(),
    }),
  ),
});
export type BatchResult = z.infer<typeof BatchResult>;
