import { z } from 'zod';
import { type TranscriptLine, TranscriptPage } from '../../schema/transcript-page.ts';
import type { Store, TranscriptEntry } from '../../store/store.ts';
import { operation } from '../operation.ts';
import { AttemptRef, findAttempt } from './find-attempt.ts';

/** Reads a page of one attempt: at an offset, around a row, from the next occurrence of a text, or the last page. */
export const readTranscript = operation({
  name: 'read-transcript',
  where: 'anywhere',
  summary: 'Read a page of the transcript of one attempt',
  http: 'GET /api/runs/{run}/tasks/{task}/transcript',
  allow: ['guest', 'viewer', 'operator'],
  input: z.object({
    ...AttemptRef,
    offset: z.number().int().nonnegative().optional().describe('Rows to skip; default: the last page is returned.'),
    row: z.number().int().positive().optional().describe('Return the page around this row.'),
    limit: z.number().int().min(1).max(1000).default(200),
    find: z.string().max(1_000).optional().describe('Begin at the first row after the offset that contains this text.'),
  }),
  output: TranscriptPage,
  run: async (app, input) => {
    const { number, attempt } = await findAttempt(app, input);
    if (attempt === undefined) return { attempt: 0, total: 0, offset: 0, rows: [] };
    const total = app.store.rowCount(attempt);
    const offset = Math.min(offsetOf(app.store, attempt, { ...input, total }), total);
    const rows = app.store.page({ attempt, offset, limit: input.limit });
    return { attempt: number, total, offset, rows: rows.map(lineOf) };
  },
});

type PageStart = {
  total: number;
  limit: number;
  offset?: number | undefined;
  row?: number | undefined;
  find?: string | undefined;
};

function offsetOf(store: Store, attempt: string, { total, limit, offset, row, find }: PageStart): number {
  if (row !== undefined) return Math.max(store.offsetOf(attempt, row) - Math.floor(limit / 2), 0);
  if (find === undefined) return offset ?? Math.max(total - limit, 0);
  const from = offset ?? 0;
  const [first] = store.page({ attempt, offset: from, limit: 1 });
  if (first === undefined) return total;
  const [hit] = store.find({ attempt, text: find, after: first.id - 1, limit: 1 });
  return hit === undefined ? total : store.offsetOf(attempt, hit.id);
}

/** A stored row as it is shown. */
export function lineOf({ id, at, kind, text, file, data }: TranscriptEntry): TranscriptLine {
  const channel = file === 'stderr' ? { stderr: true as const } : {};
  return { id, at, kind, text, ...channel, ...(data === undefined ? {} : { data }) };
}
