import type { RunDocument } from '../schema/document.ts';

/** What the codes mean, for the help of every command that works on a run. */
export const EXIT_CODES = `Exit codes:
  0    done, and every check passed
  1    the run failed or was cancelled
  2    the command was not understood
  3    it could not be done; the message says why
  4    it needs a person: held, blocked, to be approved, or done without any check
  130  interrupted; manyhands resume goes on`;

/** What the codes mean for commands that only ask. */
export const READING_EXIT_CODES = `Exit codes:
  0  fine
  2  the command was not understood
  3  it could not be done; the message says why`;

export const INTERRUPTED = 130;

/** How a command that worked on a run ends; the answer of a reading job needs no check to count. */
export function exitCodeOf(document: RunDocument): number {
  switch (document.status) {
    case 'done':
      return 0;
    case 'unverified':
      return document.result === undefined ? 4 : 0;
    case 'held':
    case 'blocked':
    case 'paused':
    case 'running':
      return 4;
    case 'failed':
    case 'cancelled':
    case 'cancelling':
      return 1;
  }
}

/** The code for several runs: a failure before a wait, a wait before a success. */
export function worstExitCode(codes: readonly number[]): number {
  return [INTERRUPTED, 1, 4].find((code) => codes.includes(code)) ?? 0;
}
