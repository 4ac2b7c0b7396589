import { expect } from 'vitest';
import type { FailureKind } from '../../../src/schema/failure.ts';
import type { CaseResult } from './case-runner.ts';

/**
 * What a program comes to in a case: it goes well, it fails by one of these kinds, or it says nothing any more and our
 * watchdog ends it. Where that is not what the case asks for, `cannot` says why, and `shows` how it can be seen.
 */
export type Cell = (
  | { outcome: 'works' }
  | { outcome: 'fails'; as: readonly FailureKind[] }
  | { outcome: 'is stopped' }
) & { cannot?: string; shows?: (run: CaseResult) => void };

/** It goes well. */
export const works: Cell = { outcome: 'works' };

/** It says nothing any more, until our watchdog ends it. */
export const isStopped: Cell = { outcome: 'is stopped' };

/** It ends by itself, and the failure is told by its kind. */
export function fails(...as: FailureKind[]): Cell {
  return { outcome: 'fails', as };
}

/** The program cannot do what the case asks for: why, what it does instead, and what shows that this is the reason. */
export function cannot(why: string, instead: Cell, shows?: (run: CaseResult) => void): Cell {
  return { ...instead, cannot: why, ...(shows === undefined ? {} : { shows }) };
}

/** Holds an attempt to what its cell says. */
export function expectOutcome(run: CaseResult, cell: Cell): void {
  const seen = JSON.stringify({ result: run.result, stopped: run.stopped, exit: run.exit });
  switch (cell.outcome) {
    case 'works':
      expect(run.stopped, seen).toBeUndefined();
      expect(run.result.failure, seen).toBeUndefined();
      break;
    case 'fails':
      expect(run.stopped, seen).toBeUndefined();
      expect(cell.as, seen).toContain(run.result.failure?.kind);
      break;
    case 'is stopped':
      expect(run.stopped?.kind, seen).toBe('stalled');
      expect(run.result.failure, seen).toBeDefined();
      break;
  }
  cell.shows?.(run);
}
