import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError, messageOf } from '../../errors.ts';
import { openPlainHandle } from '../../process/files/plain-file.ts';
import { performCheck } from '../land/perform-check.ts';
import { Activities } from '../loop/activities.ts';
import type { CheckOrder } from './check-order.ts';
import { type HostRun, isRepositoryAway } from './ordered-run.ts';

/** More of the complete output than this stays out of the reports; its first and last lines are in the result. */
const MOST_OUTPUT_BYTES = 16 * 1024 * 1024;
const PART_BYTES = 512 * 1024;
/** The last line is reported at most this often. */
const RUNNING_MS = 1_000;

/** Runs a check as the engine would, and reports its result; what it means is decided by the leader. */
export async function performCheckOrder(
  { ctx, run }: HostRun,
  { commit, gate, overlay, isFresh }: CheckOrder,
  report: (body: unknown) => Promise<void>,
): Promise<void> {
  const activities = new Activities(ctx.world);
  const stopReporting = reportLines(activities, run.id, report);
  try {
    const { outputFile, ...result } = await performCheck({ ...ctx, activities }, run, {
      candidate: { commit, tree: '', tasks: [] },
      gate,
      ...(overlay === undefined ? {} : { overlay: { ...overlay, subject: 'the candidate' } }),
      ...(isFresh === undefined ? {} : { isFresh }),
    });
    ctx.stopping.throwIfAborted();
    if (outputFile !== undefined) {
      await reportOutput(outputFile, report);
      await rm(dirname(outputFile), { recursive: true, force: true });
    }
    await report({ kind: 'checked', result });
  } finally {
    stopReporting();
    await run.keptDependencies[Symbol.asyncDispose]();
  }
}

/** The report of a check that could not be run at all; one that was stopped, or whose repository does not answer, is ordered again. */
export function failedCheck(error: unknown, isStopped: boolean): unknown {
  if (isStopped || isRepositoryAway(error)) return { kind: 'not-run', reason: messageOf(error) };
  const hint = error instanceof AppError ? `. ${error.hint}` : '';
  const summary = `The host could not run it: ${messageOf(error)}${hint}`;
  return { kind: 'checked', result: { verdict: 'error', summary, exitCode: null, setup: '', durationMs: 0 } };
}

function reportLines(activities: Activities, run: string, report: (body: unknown) => Promise<void>): () => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  let shown: string | undefined;
  return activities.onChange(() => {
    const line = activities.of(run).activity.findLast(({ detail }) => detail !== null)?.detail;
    if (line == null || line === shown || performance.now() - reportedAt < RUNNING_MS) return;
    [shown, reportedAt] = [line, performance.now()];
    // Safe: a line that is not shown changes nothing; a lost lease ends the check anyway.
    report({ kind: 'running', line }).catch(() => {});
  });
}

async function reportOutput(file: string, report: (body: unknown) => Promise<void>): Promise<void> {
  let left = MOST_OUTPUT_BYTES;
  const handle = await openPlainHandle(file);
  for await (const chunk of handle.createReadStream({ encoding: 'utf8', highWaterMark: PART_BYTES })) {
    const text = String(chunk);
    left -= text.length;
    if (left < 0) return report({ kind: 'output', text: '\n(The rest of the output was not sent by the host.)\n' });
    await report({ kind: 'output', text });
  }
}
