import { describe, it } from 'vitest';
import { runCrashCase } from './crash-case.ts';
import { GOAL, PAID_ATTEMPTS } from './scenario.ts';

/** One of each phase: start, base check, claim, workspace, spawn, output, save, check, conflict, landing, push, end. */
const SAMPLE = [
  { point: 'run.started', hit: 1 },
  { point: 'check.started', hit: 1 },
  { point: 'attempt.claimed', hit: 2 },
  { point: 'workspace.made', hit: 3 },
  { point: 'attempt.recorded', hit: 1 },
  { point: 'attempt.going', hit: 4 },
  { point: 'save.committed', hit: 2 },
  { point: 'branch.swapped', hit: 1 },
  { point: 'conflict.laid', hit: 1 },
  { point: 'branch.pushed', hit: 1 },
];

describe('after a kill at a crash point, a restart', () => {
  it.each(SAMPLE)('settles from $point, pass $hit', { timeout: 300_000 }, async (crash) => {
    await runCrashCase({ args: GOAL, paid: PAID_ATTEMPTS, crash });
  });
});
