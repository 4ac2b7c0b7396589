import type { AgentResult } from '../../agents/agent.ts';
import { unknownUsage } from '../../core/schedule/budget.ts';
import type { Ending } from '../../process/launch.ts';
import type { LostOutput } from '../../process/lost-output.ts';
import type { Failure, FailureKind } from '../../schema/failure.ts';
import type { Access } from '../../schema/task.ts';

/** Failures that a reader also sees where the last lines of a program that succeeded are missing. */
const SEEN_WITHOUT_LAST_LINES: ReadonlySet<FailureKind> = new Set(['crashed', 'bad-output', 'unknown', 'interrupted']);
/** Failures of a program that cannot write its output any more. */
const SEEN_WITHOUT_OUTPUT: ReadonlySet<FailureKind> = new Set([...SEEN_WITHOUT_LAST_LINES, 'implementation', 'killed']);

const REASONS: Record<LostOutput['because'], string> = {
  ended: 'the process that stores it was ended',
  'disk-full': 'it could not be written, probably because the disk is full',
  limit: 'it reached the size limit of its file',
};

/** What a transcript says where output is missing. */
export function lostOutputText({ file, because }: LostOutput): string {
  const what = file === 'stdout' ? 'Output' : 'Output on the error channel';
  return `${what} is missing: ${REASONS[because]}`;
}

/**
 * The result of a program whose output is not complete: what it consumed is not known, an answer that was cut is none,
 * and whether it succeeded is decided by its work, unless its exit code says that it did not.
 */
export function withLostOutput(
  result: AgentResult,
  { ending, access }: { ending: Ending; access: Access },
): { result: AgentResult; isEndUnknown: boolean } {
  const isEndUnknown =
    ending.kind === 'interrupted' && ending.hasEnded === true && result.failure?.kind === 'interrupted';
  const lost = ending.lost?.find(({ file }) => file === 'stdout');
  if (lost === undefined) return { result, isEndUnknown };
  const text = access === 'read' && result.output === undefined ? '' : result.text;
  const rest = { ...result, usage: unknownUsage(result.usage), text };
  if (lost.because === 'limit') return { result: rest, isEndUnknown };
  const hasFailed = ending.kind === 'exited' && ending.code !== 0;
  const replaced = hasFailed ? SEEN_WITHOUT_OUTPUT : SEEN_WITHOUT_LAST_LINES;
  if (result.failure !== undefined && !replaced.has(result.failure.kind)) return { result: rest, isEndUnknown };
  return { result: { ...rest, failure: failureOf(lost, result.failure) }, isEndUnknown: !hasFailed };
}

function failureOf(lost: LostOutput, { evidence }: Partial<Failure> = {}): Failure {
  const kind = lost.because === 'disk-full' ? 'disk-full' : 'interrupted';
  return { kind, message: lostOutputText(lost), ...(evidence === undefined ? {} : { evidence }) };
}
