import { isDeepStrictEqual } from 'node:util';
import { evolve, type RecordedEvent } from '../../src/core/run/evolve.ts';
import type { RunState } from '../../src/core/run/state.ts';

/** The state that a log of JSON lines leads to; fails unless the log alone, and a snapshot of its first half with the tail, lead to exactly the given one. */
export function replay(log: readonly string[], expected: RunState): RunState {
  const half = Math.ceil(log.length / 2);
  const replayed = fold(undefined, log);
  const snapshot = JSON.stringify(fold(undefined, log.slice(0, half)));
  const resumed = fold(JSON.parse(snapshot), log.slice(half));
  requireSame('a replay', replayed, expected);
  requireSame('a snapshot with its tail', resumed, expected);
  return replayed;
}

function fold(from: RunState | undefined, log: readonly string[]): RunState {
  let state = from;
  for (const line of log) {
    const recorded: RecordedEvent = JSON.parse(line);
    state = evolve(state, recorded);
  }
  if (state === undefined) throw new Error('a log without events has no state');
  return state;
}

function requireSame(what: string, actual: RunState, expected: RunState): void {
  const isSame = isDeepStrictEqual(actual, expected) && JSON.stringify(actual) === JSON.stringify(expected);
  if (!isSame)
    throw new Error(`${what} gave another state:\n${JSON.stringify(actual)}\ninstead of\n${JSON.stringify(expected)}`);
}
