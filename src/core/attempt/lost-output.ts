import type { Failure, FailureKind } from '../../schema/failure.ts';
import type { Access } from '../../schema/task.ts';
import type { Usage } from '../../schema/usage.ts';
import { unknownUsage } from '../schedule/budget.ts';

/** Output that was not stored, and why. */
type Lost = { file: 'stdout' | 'stderr'; because: 'ended' | 'disk-full' | 'limit' };
type Ended =
  | { kind: 'exited'; code: number; lost: readonly Lost[] }
  | { kind: 'interrupted'; hasEnded?: true; lost: readonly Lost[] };
type Result = { usage: Usage; text: string; output?: unknown; failure?: Failure };

/** Failures that a reader also sees where the last lines of a program that succeeded are missing. */
const SEEN_WITHOUT_LAST_LINES: ReadonlySet<FailureKind> = new Set(['crashed', 'bad-output', 'unknown', 'interrupted']);
/** Failures of a program that cannot write its output any more. */
const SEEN_WITHOUT_OUTPUT: ReadonlySet<FailureKind> = new Set([...SEEN_WITHOUT_LAST_LINES, 'implementation', 'killed']);

const REASONS: Record<Lost['because'], string> = {
  ended: 'the process that stores it was ended',
  'disk-full': 'it could not be written, probably because the disk is full',
  limit: 'it reached the size limit of its file',
};

/** What a transcript says where output is missing. */
export function lostOutputText({ file, because }: Lost): string {
  const what = file === 'stdout' ? 'Output' : 'Output on the error channel';
  return `${what} is missing: ${REASONS[because]}`;
}

/**
 * The result of a program whose output is not complete: what it consumed is not known, an answer that was cut is none,
 * and whether it succeeded is decided by its work, unless its exit code says that it did not.
 */
export function withLostOutput<R extends Result>(
  result: R,
  { ending, access }: { ending: Ended; access: Access },
): { result: R; isEndUnknown: boolean } {
  const isEndUnknown =
    ending.kind === 'interrupted' && ending.hasEnded === true && result.failure?.kind === 'interrupted';
  const lost = ending.lost.find(({ file }) => file === 'stdout');
  if (lost === undefined) return { result, isEndUnknown };
  const text = access === 'read' && result.output === undefined ? '' : result.text;
  const rest = { ...result, usage: unknownUsage(result.usage), text };
  if (lost.because === 'limit') return { result: rest, isEndUnknown };
  const hasFailed = ending.kind === 'exited' && ending.code !== 0;
  const replaced = hasFailed ? SEEN_WITHOUT_OUTPUT : SEEN_WITHOUT_LAST_LINES;
  if (result.failure !== undefined && !replaced.has(result.failure.kind)) return { result: rest, isEndUnknown };
  return { result: { ...rest, failure: failureOf(lost, result.failure) }, isEndUnknown: !hasFailed };
}

function failureOf(lost: Lost, { evidence }: Partial<Failure> = {}): Failure {
  const kind = lost.because === 'disk-full' ? 'disk-full' : 'interrupted';
  return { kind, message: lostOutputText(lost), ...(evidence === undefined ? {} : { evidence }) };
}
