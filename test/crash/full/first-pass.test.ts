import { describe, it } from 'vitest';
import { discoverPoints, runCrashCase } from '../crash-case.ts';
import { GOAL, PAID_ATTEMPTS } from '../scenario.ts';

const points = await discoverPoints(GOAL);

describe('after a kill at the first pass of a crash point, a restart', () => {
  it.each([...points.keys()])('settles from %s', async (point) => {
    await runCrashCase({ args: GOAL, paid: PAID_ATTEMPTS, crash: { point, hit: 1 } });
  });
});
