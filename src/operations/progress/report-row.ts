import type { App } from '../../app.ts';
import { attemptId } from '../../schema/ids.ts';
import type { AttemptCaller } from '../attempt-caller.ts';
import { requireActive, requireTask } from '../find-run.ts';

/** After the messages of a person, which are the first rows of an attempt. */
const FIRST_OFFSET = 1_000_000;

/** Adds a row to the transcript of the attempt that calls; nothing else depends on it. */
export async function addReport(
  app: App,
  { run, task, attempt }: AttemptCaller,
  row: { kind: 'status' | 'milestone' | 'note'; text: string; data?: unknown },
): Promise<void> {
  const { redact } = requireActive(app, run);
  const state = requireTask(app.runs.state(run), task);
  const name = attemptId(run, state.ordinal, attempt);
  const at = app.world.now();
  const elapsedMs = Math.max(at - (state.attempts[attempt - 1]?.startedAt ?? at), 0);
  const offset = FIRST_OFFSET + elapsedMs * 100 + (app.store.rowCount(name) % 100);
  const text = redact(row.text);
  await app.store.ingest({
    attempt: name,
    rows: [{ attempt: name, file: 'engine', offset, at, ...row, text }],
    cursors: [],
  });
}
