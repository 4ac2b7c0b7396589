import type { Caller } from '../../access/caller.ts';
import type { TranscriptPage } from '../../schema/transcript-page.ts';
import { type Following, repeatOnChange, untilAborted } from './follow-open-run.ts';
import type { Top } from './top-state.ts';
import type { TranscriptItem } from './transcript-line.ts';

/** The output to show: that of an attempt, or of the last attempt and later ones. */
export type TaskTarget = { run: string; task: string; attempt: number | null };

const PAGE_ROWS = 500;

/** Publishes the end of a task's output, and then new output, until the signal aborts. */
export async function followTask(following: Following, target: TaskTarget, signal: AbortSignal): Promise<void> {
  const { caller, publish, changed } = following;
  await untilAborted(following, signal, async () => {
    const page = await lastPage(caller, target, signal);
    const rows = rowsOf(page);
    publish({ kind: 'opened', rows, earlier: page.offset });
    let after = rows.at(-1)?.id ?? 0;
    let last = page.attempt;
    const input = {
      run: target.run,
      task: target.task,
      ...(target.attempt === null ? {} : { attempt: target.attempt }),
    };
    await repeatOnChange(changed, signal, async () => {
      for await (const line of caller.stream('read-logs', { ...input, follow: true, after }, { signal })) {
        const { id, attempt, kind, text, data } = line;
        const row = { id, attempt, kind, text, data, at: Date.parse(line.at) };
        publish({ kind: 'later', rows: attempt === last ? [row] : [heading(row), row] });
        after = id;
        last = attempt;
      }
    });
  });
}

/** The rows before those that are shown. */
export async function earlierRows(
  caller: Caller,
  { run, task }: TaskTarget,
  { rows, earlier }: Top['transcript'],
): Promise<{ rows: TranscriptItem[]; earlier: number }> {
  const attempt = rows[0]?.attempt;
  if (attempt === undefined || earlier === 0) return { rows: [], earlier: 0 };
  const offset = Math.max(earlier - PAGE_ROWS, 0);
  const page = await caller.call('read-transcript', {
    run,
    task,
    attempt,
    offset,
    limit: Math.min(PAGE_ROWS, earlier),
  });
  return { rows: rowsOf(page), earlier: page.offset };
}

/** The last page of the last attempt that has output; later output is followed. */
async function lastPage(caller: Caller, target: TaskTarget, signal: AbortSignal): Promise<TranscriptPage> {
  const { run, task } = target;
  const attempt = target.attempt === null ? {} : { attempt: target.attempt };
  let page = await caller.call('read-transcript', { run, task, limit: PAGE_ROWS, ...attempt }, { signal });
  while (target.attempt === null && page.rows.length === 0 && page.attempt > 1)
    page = await caller.call('read-transcript', { run, task, limit: PAGE_ROWS, attempt: page.attempt - 1 }, { signal });
  return page;
}

function rowsOf({ attempt, rows }: TranscriptPage): TranscriptItem[] {
  return rows.map((row) => ({ ...row, attempt }));
}

/** A heading just before the first row of another attempt. */
function heading({ id, at, attempt }: TranscriptItem): TranscriptItem {
  return { id: id - 0.5, at, attempt, kind: 'attempt', text: `attempt ${attempt}` };
}
