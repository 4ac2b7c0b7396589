import { z } from 'zod';
import { BulkItem } from '../../schema/work-file.ts';
import { keysOf } from '../../work-files/checked.ts';
import { cellList, FileId } from '../../work-files/listed.ts';

const DURATION = /^(\d+(?:\.\d+)?)\s*(s|m|h)$/;
const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600 };
const Prompt = BulkItem.shape.prompt;
const Amount = z.preprocess(secondsOf, BulkItem.shape.timeoutSeconds);
const Count = z.preprocess(amountOf, BulkItem.shape.attempts);
const Variables = z.preprocess(jsonCell, z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])));
const Pattern = z.string().min(1).max(1_000).refine(isRegExp, 'must be a valid regular expression');

function cells<S extends z.ZodType>(list: S) {
  return z.preprocess(cellList, list).optional();
}

/** The fields of our own lines. */
const OurFields = z.object({
  id: FileId.optional(),
  prompt: Prompt.optional(),
  template: Prompt.optional(),
  vars: Variables.optional(),
  files: cells(BulkItem.shape.files),
  check: cells(BulkItem.shape.check),
  timeout: Amount,
  attempts: Count,
  bucket: BulkItem.shape.bucket,
  labels: z.preprocess(cellList, BulkItem.shape.labels),
  priority: z.preprocess(amountOf, z.number().int().optional()),
});

/** The additional fields of another tool's lines. */
const OtherFields = z.object({
  target: z.string().min(1, 'must not be empty').optional(),
  instruction: Prompt.optional(),
  timeout_seconds: Amount,
  max_attempts: Count,
  verify_commands: cells(BulkItem.shape.check),
  require_patterns: cells(z.array(Pattern).max(50)),
  allowed_side_files: cells(BulkItem.shape.sideFiles),
  metadata: z.preprocess(jsonCell, z.record(z.string(), z.unknown())).optional(),
  item_type: z.string().optional(),
});

/** A line of bulk work as files write it, in either spelling. */
export const FileItem = z.object({ ...OurFields.shape, ...OtherFields.shape });
export type FileItem = z.infer<typeof FileItem>;

export const OUR_ITEM_KEYS = keysOf(OurFields);
export const OTHER_ITEM_KEYS = keysOf(OtherFields);

function secondsOf(value: unknown): unknown {
  const [, amount, unit] = typeof value === 'string' ? (DURATION.exec(value.trim()) ?? []) : [];
  return amount === undefined ? amountOf(value) : Number(amount) * (SECONDS[unit ?? 's'] ?? 1);
}

function amountOf(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value;
}

function jsonCell(value: unknown): unknown {
  if (typeof value !== 'string' || !value.trim().startsWith('{')) return value;
  try {
    return JSON.parse(value);
  } catch {
    // A text that is no map: the schema reports it with its location.
    return value;
  }
}

function isRegExp(text: string): boolean {
  try {
    return new RegExp(text).source !== '';
  } catch {
    return false;
  }
}
