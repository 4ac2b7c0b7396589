import type { TranscriptItem } from '../../app/port-interfaces.ts';
import type { RunState } from '../../core/run/state.ts';
import { isSettled } from '../../core/view/document.ts';
import type { LogLine } from '../../schema/document.ts';
import { attemptId } from '../../schema/ids.ts';
import { completeKey, findRun } from '../find-run.ts';
import type { StreamOperation } from '../operation.ts';

/** Of whom it is read; all that is not said here is wanted. */
type Wanted = { task: string | undefined; attempt: number | undefined };

/** What the name of an attempt says. */
type Named = { ordinal: number; number: number };

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
  const named = names();
  let { after } = input;
  let isBehind = true;
  while (!signal.aborted) {
    const state = ports.runs.state(run);
    const isLast = ear === undefined || isSettled(state);
    const rows: TranscriptItem[] | undefined = isBehind
      ? ports.runs.said({ run, after, limit: PAGE, ...attemptsOf(state, wanted) })
      : ear?.take();
    const lines: LogLine[] = [];
    for (const row of rows ?? []) {
      if (row.id <= after) continue;
      after = row.id;
      const line = lineOf(row, state, named(row.attempt));
      if (isWanted(line, wanted)) lines.push(line);
    }
    if (lines.length > 0) yield lines;
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

/** The name of an attempt says which task of the run it is of; the same names come again and again. */
function names(): (attempt: string) => Named {
  const known = new Map<string, Named>();
  return (attempt) => {
    let named = known.get(attempt);
    if (named === undefined) {
      const [, ordinal = 0, number = 0] = attempt.split('-').map(Number);
      named = { ordinal, number };
      known.set(attempt, named);
    }
    return named;
  };
}

function lineOf(row: TranscriptItem, { start, order }: RunState, { ordinal, number }: Named): LogLine {
  const { id, at, kind, text, data } = row;
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
