import { describe, it } from 'vitest';
import { variants } from '../support/variants.ts';
import { runCrashCase } from './crash-case.ts';
import { GOAL, PAID_ATTEMPTS } from './scenario.ts';

/** One of each phase: claim, output, save, push, then start and conflict; `npm run test:crash` has every point. */
const SAMPLE = variants(
  [
    { point: 'attempt.claimed', hit: 2 },
    { point: 'attempt.going', hit: 4 },
    { point: 'save.committed', hit: 2 },
    { point: 'branch.pushed', hit: 1 },
  ],
  [
    { point: 'run.started', hit: 1 },
    { point: 'conflict.laid', hit: 1 },
  ],
);

describe('after a kill at a crash point, a restart', () => {
  it.each(SAMPLE)('settles from $point, pass $hit', { timeout: 300_000 }, async (crash) => {
    await runCrashCase({ args: GOAL, paid: PAID_ATTEMPTS, crash });
  });
});
