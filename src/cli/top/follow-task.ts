import type { Caller } from '../../access/caller.ts';
import type { TranscriptPage } from '../../schema/transcript-page.ts';
import { again, type Following, untilAborted } from './follow-one-run.ts';
import type { Top } from './top.ts';
import type { TranscriptItem } from './transcript-line.ts';

/** Whose output: an attempt by number, or the last one and those after it. */
export type TaskTarget = { run: string; task: string; attempt: number | null };

const PAGE = 500;

/** Tells the end of a task's output, and then what comes, until the signal aborts. */
export async function followTask(following: Following, place: TaskTarget, signal: AbortSignal): Promise<void> {
  const { caller, tell, changed } = following;
  await untilAborted(following, signal, async () => {
    const page = await lastPage(caller, place, signal);
    const rows = rowsOf(page);
    tell({ kind: 'opened', rows, earlier: page.offset });
    let after = rows.at(-1)?.id ?? 0;
    let last = page.attempt;
    const which = { run: place.run, task: place.task, ...(place.attempt === null ? {} : { attempt: place.attempt }) };
    await again(changed, signal, async () => {
      for await (const line of caller.stream('read-logs', { ...which, follow: true, after }, signal)) {
        const { id, attempt, kind, text, data } = line;
        const row = { id, attempt, kind, text, data, at: Date.parse(line.at) };
        tell({ kind: 'later', rows: attempt === last ? [row] : [heading(row), row] });
        after = id;
        last = attempt;
      }
    });
  });
}

/** Rows before those that are shown. */
export async function earlierRows(
  caller: Caller,
  { run, task }: TaskTarget,
  { rows, earlier }: Top['transcript'],
): Promise<{ rows: TranscriptItem[]; earlier: number }> {
  const attempt = rows[0]?.attempt;
  if (attempt === undefined || earlier === 0) return { rows: [], earlier: 0 };
  const offset = Math.max(earlier - PAGE, 0);
  const page = await caller.call('read-transcript', { run, task, attempt, offset, limit: Math.min(PAGE, earlier) });
  return { rows: rowsOf(page), earlier: page.offset };
}

/** The last attempt in which anything was said: what comes after it is followed. */
async function lastPage(caller: Caller, place: TaskTarget, signal: AbortSignal): Promise<TranscriptPage> {
  const { run, task } = place;
  const asked = place.attempt === null ? {} : { attempt: place.attempt };
  let page = await caller.call('read-transcript', { run, task, limit: PAGE, ...asked }, signal);
  while (place.attempt === null && page.rows.length === 0 && page.attempt > 1)
    page = await caller.call('read-transcript', { run, task, limit: PAGE, attempt: page.attempt - 1 }, signal);
  return page;
}

function rowsOf({ attempt, rows }: TranscriptPage): TranscriptItem[] {
  return rows.map((row) => ({ ...row, attempt }));
}

/** Stands just before the first row of another attempt. */
function heading({ id, at, attempt }: TranscriptItem): TranscriptItem {
  return { id: id - 0.5, at, attempt, kind: 'attempt', text: `attempt ${attempt}` };
}
