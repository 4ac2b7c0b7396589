import { isSettled } from '../core/document.ts';
import type { RunState } from '../core/state.ts';
import type { LogLine } from '../schema/document.ts';
import { attemptId } from '../schema/ids.ts';
import { completeKey, findRun } from './find-run.ts';
import type { StreamOperation } from './operation.ts';
import type { SaidRow } from './ports.ts';

const PAGE = 500;

/** Reads what the agents of a run said, in the order in which it was heard; follows it until the run is settled if asked. */
export const readLogs: StreamOperation<'read-logs'> = async function* (ports, input, signal) {
  const { start } = await findRun(ports, input);
  let { after } = input;
  while (!signal.aborted) {
    const state = ports.runs.state(start.run);
    const settled = isSettled(state);
    const only = input.task === undefined ? undefined : completeKey(state, input.task);
    const heard = input.follow && !settled && ports.runs.isLive ? ports.runs.news(start.run, signal) : undefined;
    const names = attemptsOf(state, only, input.attempt);
    const rows = ports.runs.said([...names.keys()], after, PAGE);
    for (const row of rows) yield line(row, start.run, names.get(row.attempt));
    after = rows.at(-1)?.id ?? after;
    if (rows.length === PAGE) continue;
    if (heard === undefined) return;
    await heard;
  }
};

function attemptsOf(
  state: RunState,
  only: string | undefined,
  number: number | undefined,
): Map<string, { task: string; attempt: number }> {
  const names = new Map<string, { task: string; attempt: number }>();
  for (const key of only === undefined ? state.order : [only]) {
    const task = state.tasks[key];
    for (const attempt of task?.attempts ?? []) {
      if (number !== undefined && attempt.number !== number) continue;
      names.set(attemptId(state.start.run, task?.ordinal ?? 0, attempt.number), { task: key, attempt: attempt.number });
    }
  }
  return names;
}

function line(row: SaidRow, run: string, name: { task: string; attempt: number } | undefined): LogLine {
  const { id, kind, text, data } = row;
  return {
    id,
    run,
    task: name?.task ?? '',
    attempt: name?.attempt ?? 0,
    at: new Date(row.at).toISOString(),
    kind,
    text,
    ...(data === undefined ? {} : { data }),
  };
}
