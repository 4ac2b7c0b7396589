import { z } from 'zod';
import type { RunState } from '../../core/run/state.ts';
import { isSettled } from '../../core/view/document.ts';
import { LogLine } from '../../schema/document.ts';
import { attemptId } from '../../schema/ids.ts';
import type { TranscriptEntry } from '../../store/store.ts';
import { completeKey, findRun, RunRef } from '../find-run.ts';
import { stream } from '../operation.ts';

/** Which lines are read; undefined selects all. */
type Selection = { task: string | undefined; attempt: number | undefined };

/** The task and the number in the name of an attempt. */
type AttemptName = { ordinal: number; number: number };

const PAGE = 500;

/** Reads the transcripts of a run in the order in which rows were stored; with `follow` until the run has ended or waits. */
export const readLogs = stream({
  name: 'read-logs',
  where: 'anywhere',
  summary: 'Read the transcripts of a run',
  http: 'GET /api/runs/{run}/logs',
  allow: ['guest', 'viewer', 'operator'],
  input: z.object({
    ...RunRef,
    task: z.string().optional(),
    follow: z.boolean().default(false),
    attempt: z.number().int().positive().optional().describe('Only this attempt of each task.'),
    after: z.number().int().nonnegative().default(0).describe('The last line received: only later ones are returned.'),
  }),
  output: LogLine,
  cursor: 'id',
  async *run(app, input, { signal }) {
    const found = await findRun(app, input);
    const { run } = found.start;
    const selection: Selection = {
      task: input.task === undefined ? undefined : completeKey(found, input.task),
      attempt: input.attempt,
    };
    using listener = input.follow && app.runs.isLive ? app.runs.listen(run, signal) : undefined;
    const nameOf = attemptNames();
    let { after } = input;
    let isBehind = true;
    while (!signal.aborted) {
      const state = app.runs.state(run);
      const isLast = listener === undefined || isSettled(state);
      const rows: TranscriptEntry[] | undefined = isBehind
        ? app.runs.transcript({ run, after, limit: PAGE, ...attemptsOf(state, selection) })
        : listener?.take();
      const lines: LogLine[] = [];
      for (const row of rows ?? []) {
        if (row.id <= after) continue;
        after = row.id;
        const line = lineOf(row, state, nameOf(row.attempt));
        if (isSelected(line, selection)) lines.push(line);
      }
      if (lines.length > 0) yield lines;
      const isQuiet = rows?.length === 0;
      if (isQuiet && isLast) return;
      if (isQuiet && !isBehind) await listener?.changed();
      isBehind = rows === undefined || (isBehind && !isQuiet);
    }
  },
});

/** The attempts of one task are read by their names, with what was done for the run before them; those of all tasks are too many. */
function attemptsOf({ start, tasks }: RunState, { task }: Selection): { attempts?: string[] } {
  const state = task === undefined ? undefined : tasks[task];
  if (state === undefined) return {};
  const own = state.attempts.map(({ number }) => attemptId(start.run, state.ordinal, number));
  return { attempts: [attemptId(start.run, 0, 0), ...own] };
}

/** A task includes the set-up on the base, which belongs to no task. */
function isSelected(line: LogLine, { task, attempt }: Selection): boolean {
  const isOfTask = task === undefined || line.task === task || line.task === '';
  return isOfTask && (attempt === undefined || line.attempt === attempt);
}

/** Parses the names of attempts, each once. */
function attemptNames(): (attempt: string) => AttemptName {
  const known = new Map<string, AttemptName>();
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

function lineOf(row: TranscriptEntry, { start, order, tasks }: RunState, { ordinal, number }: AttemptName): LogLine {
  const { id, at, kind, text, file, data } = row;
  const key = order[ordinal - 1] ?? '';
  const name = tasks[key]?.spec.name;
  return {
    id,
    run: start.run,
    task: key,
    ...(name === undefined ? {} : { name }),
    attempt: number,
    at: new Date(at).toISOString(),
    kind,
    text,
    ...(file === 'stderr' ? { stderr: true as const } : {}),
    ...(data === undefined ? {} : { data }),
  };
}
