import { isSettled } from '../core/document.ts';
import type { RunState } from '../core/state.ts';
import type { LogLine } from '../schema/document.ts';
import { attemptId } from '../schema/ids.ts';
import { completeKey, findRun } from './find-run.ts';
import type { StreamOperation } from './operation.ts';
import type { SaidRow } from './ports.ts';

/** Of whom it is read; all that is not said here is wanted. */
type Wanted = { task: string | undefined; attempt: number | undefined };

const PAGE = 500;

/** Reads what the agents of a run said, in the order in which it was heard; follows it until the run is settled if asked. */
export const readLogs: StreamOperation<'read-logs'> = async function* (ports, input, signal) {
  const found = await findRun(ports, input);
  const { run } = found.start;
  const wanted: Wanted = {
    task: input.task === undefined ? undefined : completeKey(found, input.task),
    attempt: input.attempt,
  };
  using ear = input.follow && ports.runs.isLive ? ports.runs.listen(run, signal) : undefined;
  let { after } = input;
  let isBehind = true;
  while (!signal.aborted) {
    const state = ports.runs.state(run);
    const isLast = ear === undefined || isSettled(state);
    const rows: SaidRow[] | undefined = isBehind
      ? ports.runs.said({ run, after, limit: PAGE, ...attemptsOf(state, wanted) })
      : ear?.take();
    for (const row of rows ?? []) {
      if (row.id <= after) continue;
      after = row.id;
      const line = lineOf(row, state);
      if (isWanted(line, wanted)) yield line;
    }
    const isQuiet = rows?.length === 0;
    if (isQuiet && isLast) return;
    if (isQuiet && !isBehind) await ear?.news();
    isBehind = rows === undefined || (isBehind && !isQuiet);
  }
};

/** The attempts of one task are asked for by their names; of all tasks they are too many. */
function attemptsOf({ start, tasks }: RunState, { task }: Wanted): { attempts?: string[] } {
  const state = task === undefined ? undefined : tasks[task];
  if (state === undefined) return {};
  return { attempts: state.attempts.map(({ number }) => attemptId(start.run, state.ordinal, number)) };
}

function isWanted(line: LogLine, { task, attempt }: Wanted): boolean {
  return (task === undefined || line.task === task) && (attempt === undefined || line.attempt === attempt);
}

/** The name of an attempt says which task of the run it is of. */
function lineOf({ id, attempt, at, kind, text, data }: SaidRow, { start, order }: RunState): LogLine {
  const [, ordinal = 0, number = 0] = attempt.split('-').map(Number);
  return {
    id,
    run: start.run,
    task: order[ordinal - 1] ?? '',
    attempt: number,
    at: new Date(at).toISOString(),
    kind,
    text,
    ...(data === undefined ? {} : { data }),
  };
}
