import type { RunDocument } from '../schema/document.ts';

/** The exit codes of commands that start or change a run, for their help. */
export const EXIT_CODES = `Exit codes:
  0    done, every check passed
  1    the run failed, in part or as a whole, or was cancelled
  2    invalid command line
  3    the command failed; the message states the reason
  4    waiting for the user (held, blocked, awaiting approval), or done without any check, without its review, or with tests of --known-red
  130  interrupted; manyhands resume continues the run`;

/** The exit codes of commands that only read. */
export const READING_EXIT_CODES = `Exit codes:
  0  success
  2  invalid command line
  3  the command failed; the message states the reason`;

export const INTERRUPTED = 130;

/** The exit code for a run; the result of a read-only job needs no check to count as success. */
export function exitCodeOf(document: RunDocument): number {
  switch (document.status) {
    case 'done':
      return document.reviewed === false || (document.knownRed?.length ?? 0) > 0 ? 4 : 0;
    case 'unverified':
      return document.result === undefined ? 4 : 0;
    case 'held':
    case 'blocked':
    case 'paused':
    case 'running':
    case 'needs-rerun':
      return 4;
    case 'partial':
    case 'failed':
    case 'cancelled':
    case 'cancelling':
      return 1;
  }
}

/** The exit code for a landing: of a run that is done in part, the tasks that succeeded have landed. */
export function exitCodeOfLanding(document: RunDocument): number {
  return document.status === 'partial' && document.landed !== null ? 0 : exitCodeOf(document);
}

/** The exit code for several runs: interruption outranks failure, failure outranks waiting, waiting outranks success. */
export function worstExitCode(codes: readonly number[]): number {
  return [INTERRUPTED, 1, 4].find((code) => codes.includes(code)) ?? 0;
}
