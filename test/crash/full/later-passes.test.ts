import { describe, it } from 'vitest';
import { discoverPoints, runCrashCase } from '../crash-case.ts';
import { GOAL, PAID_ATTEMPTS } from '../scenario.ts';

const points = await discoverPoints(GOAL);
/** The second pass, the last one, and one in the middle where there are many. */
const crashes = [...points].flatMap(([point, passes]) => {
  const hits = new Set([2, passes > 6 ? Math.ceil(passes / 2) : 2, passes]);
  return [...hits].filter((hit) => hit > 1 && hit <= passes).map((hit) => ({ point, hit }));
});

describe('after a kill at a later pass of a crash point, a restart', () => {
  it.each(crashes)('settles from $point, pass $hit', async (crash) => {
    await runCrashCase({ args: GOAL, paid: PAID_ATTEMPTS, crash });
  });
});
