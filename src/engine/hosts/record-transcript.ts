import type { z } from 'zod';
import { redactValue } from '../../core/redact.ts';
import { Usage } from '../../schema/usage.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import type { TranscriptReport } from './attempt-order.ts';

/** Stores rows that a host reported in a transcript, without secrets; repeated ones are stored once. */
export async function recordTranscript(
  ctx: EngineContext,
  run: ActiveRun,
  attempt: string,
  report: z.infer<typeof TranscriptReport>,
): Promise<void> {
  const rows = report.rows.map(({ data, ...row }) => ({
    ...row,
    attempt,
    text: run.redact(row.text),
    ...(data === undefined ? {} : { data: redactValue(data, run.redact) }),
  }));
  const usage = Usage.safeParse(report.usage);
  const batch = { attempt, rows, cursors: report.cursors };
  await ctx.store.ingest(usage.success ? { ...batch, usage: usage.data } : batch);
}
