import type { Ports } from '../../app/port-interfaces.ts';
import { AppError } from '../../errors.ts';
import { attemptId } from '../../schema/ids.ts';
import { completeKey, findRun, type Ref, requireTask } from '../find-run.ts';
import type { Operation } from '../operation.ts';

/** Reads a page of one attempt: at an offset, around a row, from the next place of a text on, or the last one. */
export const readTranscript: Operation<'read-transcript'> = async (ports, asked) => {
  const { number, attempt } = await findAttempt(ports, asked);
  if (attempt === undefined) return { attempt: 0, total: 0, offset: 0, rows: [] };
  const total = ports.transcripts.count(attempt);
  const offset = Math.min(offsetOf(ports, attempt, { ...asked, total }), total);
  return { attempt: number, total, offset, rows: ports.transcripts.page({ attempt, offset, limit: asked.limit }) };
};

/** Finds a text in one attempt, the first place first. */
export const findInTranscript: Operation<'find-in-transcript'> = async (ports, asked) => {
  const { attempt } = await findAttempt(ports, asked);
  if (attempt === undefined) return { hits: [], more: false };
  const { text, after, limit } = asked;
  const found = ports.transcripts.find({ attempt, text, after, limit: limit + 1 });
  const hits = found.slice(0, limit).map((hit) => ({ ...hit, offset: ports.transcripts.offsetOf(attempt, hit.id) }));
  return { hits, more: found.length > limit };
};

type Wanted = {
  total: number;
  limit: number;
  offset?: number | undefined;
  row?: number | undefined;
  find?: string | undefined;
};

function offsetOf({ transcripts }: Ports, attempt: string, { total, limit, offset, row, find }: Wanted): number {
  if (row !== undefined) return Math.max(transcripts.offsetOf(attempt, row) - Math.floor(limit / 2), 0);
  if (find === undefined) return offset ?? Math.max(total - limit, 0);
  const from = offset ?? 0;
  const [first] = transcripts.page({ attempt, offset: from, limit: 1 });
  if (first === undefined) return total;
  const [hit] = transcripts.find({ attempt, text: find, after: first.id - 1, limit: 1 });
  return hit === undefined ? total : transcripts.offsetOf(attempt, hit.id);
}

type AttemptRef = Ref & { task: string; attempt?: number | undefined };

/** The attempt that is meant, by number or the last; none where the task was never attempted. */
async function findAttempt(ports: Ports, asked: AttemptRef): Promise<{ number: number; attempt: string | undefined }> {
  const state = await findRun(ports, asked);
  const task = requireTask(state, completeKey(state, asked.task));
  const number = asked.attempt ?? task.attempts.length;
  if (number > task.attempts.length) {
    const { key } = task.spec;
    throw new AppError('INPUT_INVALID', `Task ${key} has ${task.attempts.length} attempts, so none is ${number}`);
  }
  const attempt = number === 0 ? undefined : attemptId(state.start.run, task.ordinal, number);
  return { number, attempt };
}
